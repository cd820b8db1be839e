# The manual page, where scdoc is there.
find_program(SCDOC scdoc)
set(manual_source ${PROJECT_SOURCE_DIR}/docs/dollop.1.scd)
set(manual_summary "scdoc: not found; no manual page")
if(SCDOC AND EXISTS ${manual_source})
  set(manual_page ${PROJECT_BINARY_DIR}/dollop.1)
  add_custom_command(OUTPUT ${manual_page}
    COMMAND ${CMAKE_COMMAND} -E env sh -c "'${SCDOC}' < '${manual_source}' > '${manual_page}'"
    DEPENDS ${manual_source} COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(dollop_manual ALL DEPENDS ${manual_page})
  set(manual_summary "scdoc: found")
endif()
