/* The list of benches, in the order in which they run. A new one is a line here and a file
 * beside this one that defines `const dlp_bench_case dlp_bench_NAME`. */
#include "bench_case.h"

// clang-format off
#define BENCHES(X) \
    X(sph)         \
    X(neighbours)  \
    X(adapt)       \
    X(skin)        \
    X(solid)       \
    X(scene_load)
// clang-format on

#define DECLARE(name) extern const dlp_bench_case dlp_bench_##name;
BENCHES(DECLARE)

#define ENTRY(name) &dlp_bench_##name,
const dlp_bench_case *const dlp_bench_cases[] = {BENCHES(ENTRY) NULL};
