# cmake -DFROM=FILE -DTO=COPY -DTEXT=TEXT -DREPLACEMENT=TEXT -P faulty.cmake: a copy of a block with a fault.
file(READ ${FROM} content)
string(REPLACE "${TEXT}" "${REPLACEMENT}" faulty "${content}")
if(faulty STREQUAL content)
  message(FATAL_ERROR "${FROM} has no '${TEXT}'")
endif()
file(WRITE ${TO} "${faulty}")
