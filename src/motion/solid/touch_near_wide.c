/* Who stands near, eight at a time; compiled once a target (base/target.h). */
#include "base/target.h"
#include "motion/solid/touch.h"

DLP_INLINE dlp_wide square_of(dlp_wide x, dlp_wide y, dlp_wide z)
{
    return x * x + y * y + z * z;
}

int32_t DLP_ON_TARGET(dlp_touch_run)(const dlp_touch_places *p, const dlp_touch_seeker *seeker, int32_t begin,
                                     int32_t end, int32_t *out_marks)
{
    const int32_t at = seeker->mark;
    const dlp_wide x = dlp_wide_of(p->x[at]), y = dlp_wide_of(p->y[at]), z = dlp_wide_of(p->z[at]);
    const dlp_wide rest_x = dlp_wide_of(p->rest_x[at]), rest_y = dlp_wide_of(p->rest_y[at]),
                   rest_z = dlp_wide_of(p->rest_z[at]);
    const dlp_wide reach = dlp_wide_of(seeker->reach), apart = dlp_wide_of(seeker->apart * seeker->apart);
    const dlp_wide_int body = dlp_wide_int_of(p->body[at]), inner = dlp_wide_int_of(p->is_inner[at]);
    int32_t count = 0;
    for (int32_t m = begin; m < end; m += DLP_LANES) {
        const dlp_wide square =
            square_of(dlp_wide_load(p->x + m) - x, dlp_wide_load(p->y + m) - y, dlp_wide_load(p->z + m) - z);
        const dlp_wide rest =
            square_of(dlp_wide_load(p->rest_x + m) - rest_x, dlp_wide_load(p->rest_y + m) - rest_y,
                      dlp_wide_load(p->rest_z + m) - rest_z);
        const dlp_wide most = dlp_wide_load(p->room + m) + reach;
        const dlp_wide_int is_other = (dlp_wide_int_load(p->body + m) != body) | (rest > apart);
        const dlp_wide_int is_outer = dlp_wide_int_load(p->is_inner + m) + inner < 2;  // one of them is
        uint32_t bits = dlp_wide_bits((square < most * most) & is_other & is_outer);
        if (end - m < DLP_LANES) bits &= (1u << (end - m)) - 1;
        for (; bits != 0; bits &= bits - 1) out_marks[count++] = m + __builtin_ctz(bits);
    }
    return count;
}
