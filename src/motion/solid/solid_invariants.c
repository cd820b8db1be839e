#include "motion/solid/solid_invariants.h"

#ifndef NDEBUG

bool dlp_solid_are_links_valid(const dlp_solid *solid)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const dlp_solid_particles *p = &solid->state.particles;
    if (links.begin[0] != 0 || links.begin[p->count] != links.count) return false;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t count = links.begin[i + 1] - links.begin[i];
        if (count < 0 || count > DLP_STENCIL_LIMIT) return false;
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++) {
            const int32_t j = links.neighbour[n], first = links.first[n];
            if (first < 0 || first >= p->count || first == i || j < -1 || j >= p->count || j == i)
                return false;
            if (j >= 0 && p->body[j] != p->body[i]) return false;
        }
    }
    return true;
}

bool dlp_solid_are_fragments_valid(const dlp_solid *solid)
{
    const dlp_rest_links links = dlp_solid_links(solid);
    const dlp_solid_topology *t = &solid->topology;
    for (int32_t i = 0; i < solid->state.particles.count; i++) {
        if (t->fragment[i] < 0 || t->fragment[i] >= t->fragment_count) return false;
        for (int32_t n = links.begin[i]; n < links.begin[i + 1]; n++)
            if (links.neighbour[n] >= 0 && t->fragment[links.neighbour[n]] != t->fragment[i]) return false;
    }
    int32_t end = 0;
    for (int32_t s = 0; s < t->segment_count; s++) {
        if (t->segments[s].begin != end || t->segments[s].end <= end) return false;
        end = t->segments[s].end;
        if (t->fragment[end - 1] != t->segments[s].fragment) return false;
    }
    return end == solid->state.particles.count;
}

// Marks a particle as one of a block's; false where another block of the colour has it.
static bool take(int32_t *owner, int32_t count, int32_t particle, int32_t block)
{
    if (particle < 0 || particle >= count || (owner[particle] != 0 && owner[particle] != block)) return false;
    owner[particle] = block;
    return true;
}

// Lanes without a constraint share the group's node; each block is a lane of a group.
static bool is_group_apart(const dlp_solid *solid, const dlp_constraint_coloring *c, int32_t group,
                           int32_t *owner)
{
    const int32_t count = solid->state.particles.count;
    for (int32_t r = c->groups[group].first_row; r < c->groups[group].first_row + c->groups[group].row_count;
         r++) {
        const dlp_solid_row *row = &c->rows[r];
        if (r >= c->row_count || row->first_link + row->link_count > c->link_count) return false;
        for (int32_t lane = 0; lane < DLP_LANES; lane++) {
            const int32_t block = 1 + group * DLP_LANES + lane;
            if (row->particle[lane] == count + group) continue;
            if (!take(owner, count, row->particle[lane], block)) return false;
            for (int32_t n = row->first_link; n < row->first_link + row->link_count; n++)
                if (!take(owner, count, c->links[n].particle[lane], block)) return false;
        }
    }
    return true;
}

bool dlp_solid_is_coloring_valid(const dlp_solid *solid, const dlp_constraint_coloring *c)
{
    const size_t count = (size_t)solid->state.particles.count;
    bool is_valid = c->color_begin[0] == 0 && c->color_begin[DLP_COLORS] == c->group_count &&
                    solid->state.particles.count + c->group_count <= solid->capacity[DLP_PER_NODE];
    for (int32_t color = 0; color < DLP_COLORS && is_valid; color++) {
        int32_t *owner = dlp_alloc(count + 1, sizeof *owner, "solids"); /* 0: nobody yet */
        if (owner == NULL) return true;                                 // nobody knows
        for (int32_t g = c->color_begin[color]; g < c->color_begin[color + 1] && is_valid; g++)
            is_valid = is_group_apart(solid, c, g, owner);
        dlp_free(owner);
    }
    return is_valid;
}

bool dlp_solid_is_clock_valid(const dlp_solid_clock *c)
{
    return c->step >= 0 && c->step <= c->step_count && c->tick >= 0 && c->tick < DLP_SOLID_STEP_TICKS &&
           c->stride > 0 && c->stride <= DLP_SOLID_STEP_TICKS && (c->stride & (c->stride - 1)) == 0 &&
           c->tick % c->stride == 0;
}

#else
typedef int dlp_solid_invariants_are_for_debug_builds; /* a file of C is not empty */
#endif
