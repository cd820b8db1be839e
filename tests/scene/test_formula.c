/* Formulas: what they give, what they refuse, and that nothing is unbounded. */
#include "base/elementary.h"
#include "scene/formula.h"
#include "truth.h"

#include <string.h>

static const char *const NAMES[] = {"x", "y", "z", "t", NULL};

static double value_at(const char *text, double x, double y, double z, double t)
{
    dlp_formula formula;
    size_t at;
    dlp_error error = {0};
    if (dlp_formula_compile(text, NAMES, &formula, &at, &error) != DLP_OK)
        fail_msg("%s: %s", text, error.message);
    const double variables[4] = {x, y, z, t};
    return dlp_formula_value(&formula, variables);
}

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7},         {"(1 + 2) * 3", 9},
                 {"8 / 4 / 2", 1},         {"5 - 3 - 1", 1},
                 {"2 ^ 3 ^ 2", 512},       {"-2 ^ 2", -4},
                 {"2 ^ -1", 0.5},          {"(-2) ^ 3", -8},
                 {"2 * -3", -6},           {"--2", 2},
                 {"1e-3 * 1E3", 1},        {".5 + 1.", 1.5},
                 {"max(1, min(3, 2))", 2}, {"abs(-3) + sign(-2)", 2},
                 {"floor(-1.5)", -2},      {"sqrt(x)", 3},
                 {"x - y * z + t", -37},   {"2 * pi", 6.283185307179586}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_near(value_at(cases[k].text, 9, 7, 8, 10), cases[k].value, 1e-15 * (1 + fabs(cases[k].value)));
}

// Against the C library, which is right to a unit of the last place: a few of our own are allowed, of numbers
// that are at least as large as what they are made from.
static void functions_agree_with_the_library(void **state)
{
    (void)state;
    for (int32_t k = -2000; k <= 2000; k++) {
        const double x = 0.0137 * k, unit = 2.3e-16;
        assert_near(dlp_exp(x), exp(x), 4 * unit * exp(x));
        assert_near(dlp_sin(x), sin(x), 4 * unit);
        assert_near(dlp_cos(x), cos(x), 4 * unit);
        assert_near(dlp_tanh(x), tanh(x), 4 * unit);
        assert_near(dlp_atan2(x, 1.7), atan2(x, 1.7), 8 * unit);
        assert_near(dlp_atan2(x, -1.7), atan2(x, -1.7), 8 * unit);
        if (k > 0) assert_near(dlp_log(x), log(x), 4 * unit * fmax(1, fabs(log(x))));
        if (k > 0) assert_near(dlp_pow(x, 1.3), pow(x, 1.3), 16 * unit * pow(x, 1.3));
    }
    assert_near(dlp_sin(1e5), sin(1e5), 1e-11);
    assert_true(dlp_exp(-800) == 0 && isinf(dlp_exp(800)) && isnan(dlp_log(-1)) && isnan(dlp_sin(1e300)));
    assert_near(dlp_exp(700) / exp(700), 1, 1e-15);
    assert_near(dlp_log(1e-310), log(1e-310), 1e-12);  // not normalised
}

// By central differences, whose error is of second order in their step.
static void gradients_are_those_of_differences(void **state)
{
    (void)state;
    static const char *const texts[] = {"x^2 * y - z / (1 + x^2)",     "sin(x * y) + cos(z) * exp(-x)",
                                        "sqrt(x^2 + y^2 + z^2)",       "log(1 + x^2) ^ 1.5",
                                        "x ^ y + tan(z / 3)",          "atan2(y, x) * tanh(z)",
                                        "max(x, y) * min(y, z)",       "abs(x - 2 * y) + (x + t)^-2",
                                        "2 ^ x + sign(z) * floor(3.5)"};
    const double at[4] = {0.7, 1.3, 0.4, 0.2}, h = 1e-5;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        dlp_formula formula;
        size_t where;
        assert_int_equal(dlp_formula_compile(texts[k], NAMES, &formula, &where, NULL), DLP_OK);
        const dlp_vec3 gradient = dlp_formula_gradient(&formula, at);
        for (int axis = 0; axis < 3; axis++) {
            double up[4], down[4];
            memcpy(up, at, sizeof up);
            memcpy(down, at, sizeof down);
            up[axis] += h;
            down[axis] -= h;
            const double slope =
                (dlp_formula_value(&formula, up) - dlp_formula_value(&formula, down)) / (2 * h);
            assert_near(dlp_component(gradient, axis), slope, 1e-8);
        }
    }
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        size_t at;
    } cases[] = {
        {"", "missing at the end", 0}, {"x +", "missing at the end", 3},  {"x * (y", ") is missing", 6},
        {"2x", "operator", 1},         {"sqr(x)", "sqr is not known", 0}, {"x; y", "operator", 1},
        {"min(x)", "two values", 5},   {"sin(x, y)", "fewer values", 5},  {"1.2.3", "not a number", 0},
        {"sin x", "needs (", 4},       {"x ** y", "value must stand", 3}, {"system(1)", "is not known", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        dlp_formula formula;
        size_t at;
        dlp_error error = {0};
        assert_int_equal(dlp_formula_compile(cases[k].text, NAMES, &formula, &at, &error), DLP_INVALID);
        if (strstr(error.message, cases[k].message) == NULL) fail_msg("%s: %s", cases[k].text, error.message);
        assert_int_equal(at, cases[k].at);
    }
}

// Whatever repeats is refused once it is too long or too deep.
static void nothing_is_unbounded(void **state)
{
    (void)state;
    static const char *const parts[] = {"(", "-", "x+", "sqrt(", "2^", "1+(", "x*(y+"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        static char text[100000];
        const size_t length = strlen(parts[k]);
        for (size_t n = 0; n + length < sizeof text - 1; n += length) memcpy(text + n, parts[k], length + 1);
        dlp_formula formula;
        size_t at;
        dlp_error error = {0};
        assert_int_equal(dlp_formula_compile(text, NAMES, &formula, &at, &error), DLP_INVALID);
        assert_non_null(strstr(error.message, "too"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operators_bind_as_in_mathematics),
                                       cmocka_unit_test(functions_agree_with_the_library),
                                       cmocka_unit_test(gradients_are_those_of_differences),
                                       cmocka_unit_test(mistakes_are_told_with_their_place),
                                       cmocka_unit_test(nothing_is_unbounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
