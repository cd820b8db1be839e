# The wide loops are compiled once an instruction set (DLP_TARGET names it); the library chooses at run time. Every
# copy computes the same bits: eight virtual lanes, no fused multiply-add.
include(CheckCSourceCompiles)

function(dlp_wide target)
  add_library(dollop_wide_${target} OBJECT ${wide_sources})
  target_include_directories(dollop_wide_${target} PRIVATE include src)
  target_compile_definitions(dollop_wide_${target} PRIVATE DLP_TARGET=${target})
  # clang says where a loop that asks for it is not vectorised, as without optimisation none is.
  target_compile_options(dollop_wide_${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed> ${ARGN})
  target_link_libraries(dollop_wide_${target} PRIVATE dollop_flags)
  set(wide_objects ${wide_objects} $<TARGET_OBJECTS:dollop_wide_${target}> PARENT_SCOPE)
endfunction()

set(avx2_flags -march=x86-64-v3 -mno-fma -mprefer-vector-width=256)
string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${avx2_flags} -Werror")
check_c_source_compiles("
#if !defined(__x86_64__) || !defined(__AVX2__) || defined(__FMA__)
#error other
#endif
int main(void) { return 0; }" DLP_COMPILES_AVX2)
unset(CMAKE_REQUIRED_FLAGS)

set(wide_objects "")
set(wide_summary "plain")
dlp_wide(plain)
if(DLP_COMPILES_AVX2)
  dlp_wide(avx2 ${avx2_flags})
  target_compile_definitions(dollop_flags INTERFACE DLP_HAVE_AVX2_PAIRS=1)
  set(wide_summary "plain, avx2")
endif()
