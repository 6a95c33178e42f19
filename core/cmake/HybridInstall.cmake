# `cmake --install`: a relocatable prefix. The command searches the library in ../lib relative to its folder. The folder
# names are therefore fixed, and not those of the distribution.
include(CMakePackageConfigHelpers)

set(package_dir lib/cmake/libhybrid)
install(TARGETS hybrid_command RUNTIME DESTINATION bin)
# As in the source tree, so that the links between the pages work.
install(FILES LICENSE README.md CONTRIBUTING.md CHANGELOG.md DESTINATION share/doc/libhybrid OPTIONAL)
install(DIRECTORY docs examples DESTINATION share/doc/libhybrid)
# Manual pages and completions, which the installed command prints.
file(GLOB commands CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/cli ${PROJECT_SOURCE_DIR}/cli/*_command.cpp)
list(TRANSFORM commands REPLACE "_command.cpp" "")
install(CODE "
  function(print file)
    get_filename_component(folder \${file} DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND $<TARGET_FILE:hybrid_command> \${ARGN} OUTPUT_FILE \${file} COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  set(share \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share)
  print(\${share}/man/man1/hybrid.1 manual)
  foreach(name ${commands})
    print(\${share}/man/man1/hybrid-\${name}.1 manual \${name})
  endforeach()
  print(\${share}/bash-completion/completions/hybrid completion bash)
  print(\${share}/zsh/vendor-completions/_hybrid completion zsh)
  print(\${share}/fish/vendor_completions.d/hybrid.fish completion fish)")
install(FILES libhybrid/hybrid.h DESTINATION include/hybrid)

set_target_properties(hybrid_preload PROPERTIES EXPORT_NAME hybrid)
install(TARGETS hybrid_preload EXPORT libhybridTargets LIBRARY DESTINATION lib INCLUDES DESTINATION include/hybrid include)
install(EXPORT libhybridTargets NAMESPACE libhybrid:: DESTINATION ${package_dir})
file(WRITE ${PROJECT_BINARY_DIR}/libhybridConfig.cmake
  "# libhybrid::hybrid: <hybrid.h>, and libhybrid.so, which records when it is linked before MPI or preloaded.\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/libhybridTargets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/libhybridConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/libhybridConfig.cmake ${PROJECT_BINARY_DIR}/libhybridConfigVersion.cmake
        DESTINATION ${package_dir})

file(WRITE ${PROJECT_BINARY_DIR}/libhybrid.pc
  "prefix=\${pcfiledir}/../..\nlibdir=\${prefix}/lib\nincludedir=\${prefix}/include\npreload=\${libdir}/libhybrid.so\n\n"
  "Name: libhybrid\nDescription: ${PROJECT_DESCRIPTION}\nVersion: ${PROJECT_VERSION}\n"
  "Libs: -L\${libdir} -lhybrid\nCflags: -I\${includedir}/hybrid -I\${includedir}\n")
install(FILES ${PROJECT_BINARY_DIR}/libhybrid.pc DESTINATION lib/pkgconfig)

if(HYBRID_TESTS)
  add_test(NAME install.PrefixIsRelocatable
    COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SANITIZE=${HYBRID_SANITIZE}
            -P ${PROJECT_SOURCE_DIR}/cli/testing/install_test.cmake)
endif()

# `cpack -G DEB` in the build tree: a Debian package of the command, the library and their documents, without the
# compilers' plugins.
set(CPACK_PACKAGE_NAME libhybrid)
set(CPACK_PACKAGE_CONTACT "the libhybrid authors <libhybrid@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # needs dpkg-dev
set(CPACK_DEBIAN_PACKAGE_DEPENDS "mpich, libdw1")  # mpiexec; loaded at run time
include(CPack)
