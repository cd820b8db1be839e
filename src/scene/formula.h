/* A formula of a scene: arithmetic of numbers and named variables, compiled once into a short program.
 * Whatever the text is, compiling and evaluating take bounded time and memory, and the result has the same
 * bits on every processor.
 *
 * Numbers, + - * / ^ (from the right, before a sign), parentheses, pi, and sqrt, abs, sign, floor, exp, log,
 * sin, cos, tan, tanh, min, max, atan2. */
#ifndef DLP_SCENE_FORMULA_H
#define DLP_SCENE_FORMULA_H

#include "base/status.h"
#include "base/vec.h"

enum {
    DLP_FORMULA_LENGTH = 256, /* instructions */
    DLP_FORMULA_DEPTH = 32    /* parentheses and signs within one another; values on the stack */
};

/* One step of a program on a stack of numbers. */
typedef struct dlp_instruction {
    int32_t operation; /* of formula.c */
    double number;     /* of a constant; the index of a variable */
} dlp_instruction;

/* All-zero is no program: it must not be evaluated. */
typedef struct dlp_formula {
    int32_t count;
    dlp_instruction code[DLP_FORMULA_LENGTH];
} dlp_formula;

/* `names` of the variables ends with NULL; it may be NULL for none. DLP_INVALID with what is wrong and its
 * `out_at`, the byte of `text` where it is. */
dlp_status dlp_formula_compile(const char *text, const char *const *names, dlp_formula *out_formula,
                               size_t *out_at, dlp_error *error);
/* `variables` in the order of `names`. Not finite where the formula is not defined. */
double dlp_formula_value(const dlp_formula *formula, const double *variables);
/* The derivatives by the first three variables, exact but for rounding. */
dlp_vec3 dlp_formula_gradient(const dlp_formula *formula, const double *variables);

/* A finite number, or arithmetic of numbers that gives one: "0.1", "2 * pi / 3". */
bool dlp_constant_read(const char *text, double *out_number);

#endif
