# The bundled scenes become one C file of texts, so that the installed command needs no data folder.
file(GLOB scene_files CONFIGURE_DEPENDS scenes/*.yaml)
set(scene_script ${PROJECT_SOURCE_DIR}/cmake/EmbedScenes.cmake)
if(EXISTS ${scene_script})
  set(scene_source ${PROJECT_BINARY_DIR}/bundled_scenes.c)
  add_custom_command(OUTPUT ${scene_source}
    COMMAND ${CMAKE_COMMAND} -DOUT=${scene_source} -DDIR=${PROJECT_SOURCE_DIR}/scenes -P ${scene_script}
    DEPENDS ${scene_files} ${scene_script}
    COMMENT "Embedding the bundled scenes" VERBATIM)
  target_sources(dollop_core PRIVATE ${scene_source})
  # A string literal may be longer than the 4095 characters C17 promises; every compiler here takes more.
  set_source_files_properties(${scene_source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
endif()
