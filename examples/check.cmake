# Runs a program that checks itself: its exit status must be 0, and its output must contain the expected line.
#   cmake -D LINE=REGEX -P check.cmake -- COMMAND [ARGUMENT...]
# LINE must match a whole line of standard output.
set(command)
set(after FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output TIMEOUT 110)
message("${output}")
if(NOT status STREQUAL "0")
  message(FATAL_ERROR "exit status ${status}, not 0")
endif()
if(NOT output MATCHES "(^|\n)${LINE}\n")
  message(FATAL_ERROR "no line that matches: ${LINE}")
endif()
