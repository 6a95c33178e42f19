# The HTML page of a job (libhybrid/page) draws with ECharts, which is downloaded from the npm registry and embedded.
# HYBRID_ECHARTS names a downloaded archive for builds without a network. Without it there are no pages.
set(echarts_version 5.6.0)
set(HYBRID_ECHARTS "" CACHE FILEPATH "Archive of the npm package echarts ${echarts_version}; empty: it is downloaded")
set(echarts_hash a136d54ec5df2ae121c5fb47a8be71a6b80ba1cd24eee49c030b6bc8281617a84f6052d1c0e50788598718204a3f934f14d903568a4e89ec94a98187f056b790)

# hybrid_page_files()  makes the part page_files: page/page_files.c of the current directory, which embeds the page's files.
function(hybrid_page_files)
  set(page ${PROJECT_SOURCE_DIR}/libhybrid/page)
  add_library(hybrid_page_files OBJECT page/page_files.c)
  set(glossary "HYBRID_GLOSSARY=\"${page}/glossary.json\"")
  set_source_files_properties(page/page_files.c PROPERTIES
    OBJECT_DEPENDS ${page}/glossary.json COMPILE_DEFINITIONS "${glossary}")
  set(archive ${HYBRID_ECHARTS})
  if(NOT archive)
    set(archive ${PROJECT_BINARY_DIR}/echarts-${echarts_version}.tgz)
    if(NOT EXISTS ${archive})
      message(STATUS "Downloading ECharts ${echarts_version}")
      file(DOWNLOAD https://registry.npmjs.org/echarts/-/echarts-${echarts_version}.tgz ${archive}.part
        INACTIVITY_TIMEOUT 20 STATUS status)
      list(GET status 0 failed)
      if(failed)
        list(GET status 1 reason)
        message(STATUS "The HTML page is left out: ECharts was not downloaded (${reason}); -DHYBRID_ECHARTS=FILE names an archive")
        return()
      endif()
      file(RENAME ${archive}.part ${archive})
    endif()
  endif()
  file(SHA512 ${archive} hash)
  if(NOT hash STREQUAL echarts_hash)
    if(NOT HYBRID_ECHARTS)
      file(REMOVE ${archive})  # the next run downloads it again
    endif()
    message(FATAL_ERROR "${archive} is not the archive of echarts ${echarts_version}: its SHA-512 is ${hash}")
  endif()
  set(echarts ${PROJECT_BINARY_DIR}/package/dist/echarts.min.js)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${PROJECT_BINARY_DIR} PATTERNS package/dist/echarts.min.js)
  set(files ${page}/page.html ${page}/page.css ${page}/page.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  hybrid_csp_hash(${echarts} echarts_csp)
  hybrid_csp_hash(${page}/page.js script_csp)
  hybrid_csp_hash(${page}/page.css style_csp)
  set_source_files_properties(page/page_files.c PROPERTIES
    OBJECT_DEPENDS "${page}/glossary.json;${files};${echarts}"
    COMPILE_DEFINITIONS "${glossary};HYBRID_PAGE=\"${page}\";HYBRID_ECHARTS=\"${echarts}\";HYBRID_SCRIPT_CSP=\"'${echarts_csp}' '${script_csp}'\";HYBRID_STYLE_CSP=\"'${style_csp}'\"")
endfunction()

# hybrid_csp_hash(FILE VARIABLE)  the hash of an inline script or style in a content security policy:
# sha256-BASE64.
function(hybrid_csp_hash file variable)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${file} hex)
  string(APPEND hex 00)  # 32 bytes and one of padding: 11 groups of 24 bits
  set(base64)
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${hex} ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" base64 ${base64})
  set(${variable} sha256-${base64} PARENT_SCOPE)
endfunction()
