# What every file of the project is compiled with.
option(DLP_WERROR "Warnings are errors" ON)
option(DLP_COVERAGE "Count executed lines (gcov)" OFF)
option(DLP_FUZZ "Build the fuzzers (clang)" OFF)
set(DLP_SANITIZE "" CACHE STRING "Sanitizers, as in address,undefined or thread")

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
# Only the loops over neighbours gain from -O3 (cmake/Wide.cmake).
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(dollop_flags INTERFACE)
target_compile_definitions(dollop_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(dollop_flags INTERFACE
  # The same bits on every machine: no fused multiply-add, no reordering of sums.
  -ffp-contract=off -fno-math-errno -fopenmp-simd
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wmissing-prototypes
  # Vectors of eight are passed only between inline functions of one file: no binary interface is at stake.
  -Wno-psabi
  $<$<BOOL:${DLP_WERROR}>:-Werror>)

if(DLP_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "DLP_FUZZ: the compiler is ${CMAKE_C_COMPILER_ID}; fuzzing needs clang")
  endif()
  set(DLP_SANITIZE "address,undefined,fuzzer-no-link")
endif()
if(DLP_SANITIZE)
  target_compile_options(dollop_flags INTERFACE -fsanitize=${DLP_SANITIZE} -fno-omit-frame-pointer -g
                         $<$<BOOL:${DLP_FUZZ}>:-O1>)
  if(DLP_SANITIZE MATCHES "undefined")
    target_compile_options(dollop_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(dollop_flags INTERFACE -fsanitize=${DLP_SANITIZE})
endif()
if(DLP_COVERAGE)
  target_compile_options(dollop_flags INTERFACE --coverage)
  target_link_options(dollop_flags INTERFACE --coverage)
endif()
