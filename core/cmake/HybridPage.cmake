# The HTML page of a job (libhybrid/page) draws with ECharts. The npm packages are downloaded, and esbuild bundles the parts that
# page/echarts.js names; without esbuild, the page contains all of ECharts. HYBRID_ECHARTS names a directory with the archives for
# builds without a network. Without the archives there are no pages.
set(HYBRID_ECHARTS "" CACHE PATH "Directory with the archives of the npm packages of ECharts; empty: they are downloaded")
set(echarts_packages echarts-5.6.0 zrender-5.6.1 tslib-2.3.0)
set(echarts-5.6.0_hash a136d54ec5df2ae121c5fb47a8be71a6b80ba1cd24eee49c030b6bc8281617a84f6052d1c0e50788598718204a3f934f14d903568a4e89ec94a98187f056b790)
set(zrender-5.6.1_hash 3855e40c929cae5c79b2ed976f326f8ffdf84379ba3efc8266454f1c6629702279d9e93853fca66727ee5759ca136dc0c81279d44ffa62bd26859ef11933b86a)
set(tslib-2.3.0_hash 37cda8a32c55366ea1d6b88b0a8c92f5eddfb89dc0306db3219b3619dd404dc4858d2036dd0d1fce38d97a1d236c9bd65436747094fcc9a34d69a5c7cee78d8e)
set(echarts_notice "/* ECharts 5.6.0: Apache-2.0, Copyright 2017-2024 The Apache Software Foundation; zrender 5.6.1: BSD-3-Clause, Copyright (c) 2017 Baidu Inc.; tslib 2.3.0: 0BSD, Copyright (c) Microsoft Corporation. */")

# hybrid_npm_package(NAME-VERSION DIRECTORY REASON)  extracts the package into DIRECTORY/NAME; REASON: empty, or why it is not there.
function(hybrid_npm_package package directory reason)
  string(REGEX REPLACE "-[^-]*$" "" name ${package})
  set(${reason} "" PARENT_SCOPE)
  set(archive ${HYBRID_ECHARTS}/${package}.tgz)
  if(NOT HYBRID_ECHARTS)
    set(archive ${PROJECT_BINARY_DIR}/${package}.tgz)
    if(NOT EXISTS ${archive})
      message(STATUS "Downloading ${package} from npm")
      file(DOWNLOAD https://registry.npmjs.org/${name}/-/${package}.tgz ${archive}.part INACTIVITY_TIMEOUT 20 STATUS status)
      list(GET status 0 failed)
      if(failed)
        list(GET status 1 text)
        set(${reason} "${package} was not downloaded (${text}); -DHYBRID_ECHARTS=DIR names a directory with the archives" PARENT_SCOPE)
        return()
      endif()
      file(RENAME ${archive}.part ${archive})
    endif()
  elseif(NOT EXISTS ${archive})
    message(FATAL_ERROR "HYBRID_ECHARTS: there is no ${archive}")
  endif()
  file(SHA512 ${archive} hash)
  if(NOT hash STREQUAL ${package}_hash)
    if(NOT HYBRID_ECHARTS)
      file(REMOVE ${archive})  # the next run downloads it again
    endif()
    message(FATAL_ERROR "${archive} is not the archive of ${package}: its SHA-512 is ${hash}")
  endif()
  if(NOT EXISTS ${directory}/${name}/package.json)
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${directory} PATTERNS "*.js" "*.json")
    file(RENAME ${directory}/package ${directory}/${name})
  endif()
endfunction()

# hybrid_bundle_echarts(FILE REASON)  FILE: the script that the page embeds; REASON: empty, or why there is none.
function(hybrid_bundle_echarts file reason)
  set(modules ${PROJECT_BINARY_DIR}/node_modules)
  foreach(package ${echarts_packages})
    hybrid_npm_package(${package} ${modules} missing)
    if(missing)
      set(${reason} "${missing}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${reason} "" PARENT_SCOPE)
  set(parts ${PROJECT_SOURCE_DIR}/libhybrid/page/echarts.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${parts})
  find_program(HYBRID_ESBUILD esbuild)
  if(NOT HYBRID_ESBUILD)
    set(${file} ${modules}/echarts/dist/echarts.min.js PARENT_SCOPE)
    return()
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${modules} ${HYBRID_ESBUILD} ${parts} --bundle --minify --format=iife --global-name=echarts
            "--define:process.env.NODE_ENV='production'" "--banner:js=${echarts_notice}" --outfile=${PROJECT_BINARY_DIR}/echarts.js
            --log-level=warning
    COMMAND_ERROR_IS_FATAL ANY)
  set(${file} ${PROJECT_BINARY_DIR}/echarts.js PARENT_SCOPE)
endfunction()

# hybrid_page_files()  makes the part page_files: page/page_files.c of the current directory, which embeds the page's files.
function(hybrid_page_files)
  set(page ${PROJECT_SOURCE_DIR}/libhybrid/page)
  add_library(hybrid_page_files OBJECT page/page_files.c)
  set_target_properties(hybrid_page_files PROPERTIES C_COMPILER_LAUNCHER "")  # ccache does not see the embedded files
  set(glossary "HYBRID_GLOSSARY=\"${page}/glossary.json\"")
  set_source_files_properties(page/page_files.c PROPERTIES
    OBJECT_DEPENDS ${page}/glossary.json COMPILE_DEFINITIONS "${glossary}")
  hybrid_bundle_echarts(echarts missing)
  if(missing)
    message(STATUS "The HTML page is left out: ${missing}")
    return()
  endif()
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
