/* Random numbers without state: a hash of what they are for (an id, a tick, a use). So they do not depend on
 * the order in which they are drawn, nor on the thread that draws them, and a checkpoint need not save them.
 */
#ifndef DLP_BASE_RANDOM_H
#define DLP_BASE_RANDOM_H

#include <stdint.h>

/* The finaliser of splitmix64: every input bit reaches every output bit. */
static inline uint64_t dlp_hash(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Uniform in [0, 1), a multiple of 2^-53. The key is for example a particle's id, the tick and a number for
 * the use: different uses at one id and tick must pass different numbers. */
static inline double dlp_random(uint64_t id, uint64_t tick, uint64_t use)
{
    return (double)(dlp_hash(id ^ dlp_hash(tick ^ dlp_hash(use))) >> 11) * 0x1p-53;
}

#endif
