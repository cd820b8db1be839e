# Turns the scenes of a folder into one C file, sorted by name:
#   cmake -DOUT=<file.c> -DDIR=<scenes folder> -P EmbedScenes.cmake
# Texts become arrays of bytes, so that nothing in them needs an escape and no literal is too long.

# The text after "title:" in the file's first such line, without quotes around it.
function(read_title file out)
  file(STRINGS ${file} lines REGEX "^title:" LIMIT_COUNT 1 ENCODING UTF-8)
  string(REPLACE "\\;" ";" lines "${lines}")  # file(STRINGS) makes a list of lines
  string(REGEX REPLACE "^title:[ \t]*" "" title "${lines}")
  string(REGEX REPLACE "[ \t]+#.*$" "" title "${title}")
  string(REGEX REPLACE "[ \t\r]+$" "" title "${title}")
  if(title MATCHES "^\"(.*)\"$")
    string(REGEX REPLACE "\\\\(.)" "\\1" title "${CMAKE_MATCH_1}")
  endif()
  string(REGEX REPLACE "^'(.*)'$" "\\1" title "${title}")
  set(${out} "${title}" PARENT_SCOPE)
endfunction()

# Hexadecimal digits as the inside of an initialiser, ten bytes a line, with the 0 at the end.
function(make_bytes digits out)
  string(REGEX REPLACE "(..)" "0x\\1, " bytes "${digits}")
  string(REGEX REPLACE "(0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., )" "\\1\n    " bytes "${bytes}")
  set(${out} "    ${bytes}0x00" PARENT_SCOPE)
endfunction()

file(GLOB files ${DIR}/*.yaml)
set(names "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  list(APPEND names ${name})
endforeach()
list(SORT names)

set(arrays "")
set(rows "")
set(number 0)
foreach(name IN LISTS names)
  set(file ${DIR}/${name}.yaml)
  file(READ ${file} digits HEX)
  make_bytes("${digits}" text)
  read_title(${file} title)
  string(HEX "${title}" digits)
  make_bytes("${digits}" title)
  string(APPEND arrays "static const unsigned char title_${number}[] = {\n${title}};\n")
  string(APPEND arrays "static const unsigned char text_${number}[] = {\n${text}};\n\n")
  string(APPEND rows "    {\"${name}\", (const char *)title_${number}, (const char *)text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(number EQUAL 0)
  set(rows "    {\"\", \"\", \"\"},\n")  # C has no empty arrays
endif()

file(WRITE ${OUT} "/* Generated from the scenes by EmbedScenes.cmake. */
#include \"scene/bundled.h\"

${arrays}const dlp_bundled_scene dlp_bundled_table[] = {
${rows}};
const int32_t dlp_bundled_table_count = ${number};
")
