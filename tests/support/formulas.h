/* The formulas of solids over a list of deformations, in single precision: one particle at a time, and in
 * eight lanes on each target. One file, formulas.c, compiled for each. */
#ifndef DLP_TESTS_FORMULAS_H
#define DLP_TESTS_FORMULAS_H

#include <stdint.h>

enum {
    FORMULA_INPUTS = 11,     /* H by rows, mu, lambda */
    FORMULA_NEO_HOOKEAN = 0, /* each law: the energy, then the stress by rows */
    FORMULA_STVK = 10,
    FORMULA_COROTATED = 20, /* with the rotation below */
    FORMULA_FIBER = 30,     /* along (0.6, 0, 0.8), beta = mu */
    FORMULA_TURN = 40,      /* w, x, y, z after four steps from none */
    FORMULA_ADDITIVE = 44,  /* E_p for yield 0.1, share 0.5, limit 0.3, from none: xx yy zz xy xz yz */
    FORMULA_PLAIN = 50,     /* 1 where plain for neo_hookean; then for stvk */
    FORMULA_FLOW = 52,      /* 1 where it may flow for yield 0.1 */
    FORMULA_LAWS = 53,      /* neo_hookean, then stvk, by whichever form holds */
    FORMULA_OUTPUTS = 73
};

/* count, a multiple of eight, times FORMULA_INPUTS numbers to as many times FORMULA_OUTPUTS. */
void formulas_single(int32_t count, const float *inputs, float *outputs);
void formulas_plain(int32_t count, const float *inputs, float *outputs);
void formulas_avx2(int32_t count, const float *inputs, float *outputs);

#endif
