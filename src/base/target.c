/* What was built is known to the build system (DLP_HAVE_AVX2_PAIRS), what runs to the processor. */
#include "base/target.h"

#include <string.h>

// base/wide.h uses both in its avx2 form.
static bool has_avx2(void)
{
#if defined(DLP_HAVE_AVX2_PAIRS)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

dlp_status dlp_target_choose(const char *name, dlp_target *out_target, dlp_error *error)
{
    *out_target = has_avx2() ? DLP_TARGET_AVX2 : DLP_TARGET_PLAIN;
    if (name == NULL) return DLP_OK;
    if (strcmp(name, "plain") == 0) {
        *out_target = DLP_TARGET_PLAIN;
        return DLP_OK;
    }
    if (strcmp(name, "avx2") != 0)
        return dlp_fail(error, DLP_INVALID, "instruction set: unknown name `%s`; plain and avx2 are known",
                        name);
    if (!has_avx2())
        return dlp_fail(error, DLP_UNSUPPORTED, "instruction set: this build or this processor has no avx2");
    return DLP_OK;
}

const char *dlp_target_name(dlp_target target)
{
    return target == DLP_TARGET_AVX2 ? "avx2" : "plain";
}

const char *dlp_instruction_set_name(int32_t index)
{
    const int32_t first = has_avx2() ? 0 : 1;  // plain is always there, and last
    return index < 0 || index + first > 1
               ? NULL
               : dlp_target_name(index + first == 0 ? DLP_TARGET_AVX2 : DLP_TARGET_PLAIN);
}
