/* Which instruction set a wide loop runs on: chosen once, at run time, from what was built and what the
 * processor has. The bits are the same on all of them. */
#ifndef DLP_BASE_TARGET_H
#define DLP_BASE_TARGET_H

#include "base/status.h"

typedef enum dlp_target { DLP_TARGET_PLAIN, DLP_TARGET_AVX2 } dlp_target;

/* By name, "plain" or "avx2"; NULL: the best there is. DLP_INVALID for an unknown name, DLP_UNSUPPORTED for
 * one that this build or this processor does not have. */
dlp_status dlp_target_choose(const char *name, dlp_target *out_target, dlp_error *error);
const char *dlp_target_name(dlp_target target);

/* The name of a function in a file that is compiled once per target (the build defines DLP_TARGET):
 * DLP_ON_TARGET(f) is f_plain or f_avx2. */
#define DLP_JOIN_NAMES(a, b) a##_##b
#define DLP_JOIN(a, b)       DLP_JOIN_NAMES(a, b)
#define DLP_ON_TARGET(name)  DLP_JOIN(name, DLP_TARGET)

#endif
