/* Disjoint sets of particles as a forest: forest[i] is i at a root, else a smaller particle of the same set.
 * The root is the smallest of its set, in whatever order sets are joined. */
#ifndef DLP_MOTION_CLOTH_GROUPS_H
#define DLP_MOTION_CLOTH_GROUPS_H

#include <assert.h>
#include <stdint.h>

/* The root, without changing the forest: safe on many threads. */
static inline int32_t dlp_group_find(const int32_t *forest, int32_t i)
{
    while (forest[i] != i) {
        assert(forest[i] >= 0 && forest[i] < i);
        i = forest[i];
    }
    return i;
}

/* The root; shortens the path to it. */
static inline int32_t dlp_group_root(int32_t *forest, int32_t i)
{
    while (forest[i] != i) {
        assert(forest[i] >= 0 && forest[i] < i);
        forest[i] = forest[forest[i]];
        i = forest[i];
    }
    return i;
}

static inline void dlp_group_join(int32_t *forest, int32_t a, int32_t b)
{
    const int32_t p = dlp_group_root(forest, a), q = dlp_group_root(forest, b);
    forest[p > q ? p : q] = p > q ? q : p;
}

#endif
