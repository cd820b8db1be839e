/* Who stands near, eight at a time; compiled once per target (base/target.h). */
#include "base/target.h"
#include "motion/solid/solid_contact_wide.h"

DLP_INLINE dlp_wide square_of(dlp_wide x, dlp_wide y, dlp_wide z)
{
    return x * x + y * y + z * z;
}

int32_t DLP_ON_TARGET(dlp_solid_grid_scan)(const dlp_solid_grid_places *p, const dlp_solid_grid_query *query,
                                           int32_t begin, int32_t end, int32_t *out_places)
{
    const dlp_solid_grid_query s = *query;
    const dlp_wide reach = dlp_wide_of(s.reach), apart = dlp_wide_of(s.apart * s.apart);
    int32_t count = 0;
    for (int32_t m = begin; m < end; m += DLP_LANES) {
        const dlp_wide square = square_of(dlp_wide_load(p->x + m) - s.x, dlp_wide_load(p->y + m) - s.y,
                                          dlp_wide_load(p->z + m) - s.z);
        const dlp_wide most = dlp_wide_load(p->bound_radius + m) + reach;
        uint32_t bits = dlp_wide_bits(square < most * most);
        if (end - m < DLP_LANES) bits &= (1u << (end - m)) - 1;
        if (bits == 0) continue;
        const dlp_wide rest =
            square_of(dlp_wide_load(p->rest_x + m) - s.rest_x, dlp_wide_load(p->rest_y + m) - s.rest_y,
                      dlp_wide_load(p->rest_z + m) - s.rest_z);
        const dlp_wide_int kind = dlp_wide_int_load(p->kind + m);
        const dlp_wide_int is_other = (dlp_wide_int_load(p->body + m) != s.body) | (rest > apart) |
                                      (((kind | s.kind) & DLP_CONTACT_CUT) != 0);  // then others tell
        const dlp_wide_int is_outer = (kind & s.kind & DLP_CONTACT_INNER) == 0;    // one of them is
        bits &= dlp_wide_bits(is_other & is_outer);
        for (; bits != 0; bits &= bits - 1) out_places[count++] = m + __builtin_ctz(bits);
    }
    return count;
}
