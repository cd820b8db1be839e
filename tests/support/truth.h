/* What the tests share: cmocka with its headers, and a comparison of doubles that says what it saw. */
#ifndef DLP_TESTS_TRUTH_H
#define DLP_TESTS_TRUTH_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* |value - truth| <= tolerance; NaN fails. */
#define assert_near(value, truth, tolerance)                                                                 \
    do {                                                                                                     \
        const double near_value = (value), near_truth = (truth), near_tolerance = (tolerance);               \
        if (!(fabs(near_value - near_truth) <= near_tolerance))                                              \
            fail_msg("%s is %.9g, not %.9g within %.3g", #value, near_value, near_truth, near_tolerance);    \
    } while (0)

#endif
