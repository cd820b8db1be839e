# The header, both libraries, the command, its manual page, and the two ways to find the library.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dollop)

install(TARGETS dollop dollop_static EXPORT dollop
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/dollop DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET dollop_command)
  install(TARGETS dollop_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET dollop_manual)
  install(FILES ${manual_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

install(EXPORT dollop NAMESPACE dollop:: FILE dollop-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/dollop-config.cmake.in dollop-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(dollop-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dollop-config.cmake ${PROJECT_BINARY_DIR}/dollop-config-version.cmake
  DESTINATION ${package_dir})

# dollop.pc finds its prefix from where it lies, so that an installed tree can be moved.
string(REPLACE ";" " " pc_private "${optional_flags} -lm -pthread")
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
configure_file(cmake/dollop.pc.in dollop.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dollop.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
