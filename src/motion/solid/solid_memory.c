/* What solids own: one table of all arrays, from the lists of their structs. */
#include "motion/solid/solid_sweep.h"

#define ROW(module, name, type, components, per)                                                             \
    {offsetof(dlp_solid, module.name), (components) * sizeof(type), per},
#define IN_PARAMS(name, type, components, per) ROW(params, name, type, components, per)
#define IN_PARTICLES(name, type, dlp, components)                                                            \
    ROW(state.particles, name, type, components, DLP_PER_PARTICLE)
#define IN_STATE(name, type, components, per)    ROW(state, name, type, components, per)
#define IN_TOPOLOGY(name, type, components, per) ROW(topology, name, type, components, per)
#define IN_SCRATCH(name, type, components, per)  ROW(scratch, name, type, components, per)
#define IN_SPARE(name, type, components, per)    ROW(scratch.spare, name, type, components, per)

static const dlp_solid_array arrays[] = {
    DLP_SOLID_PARAMS_ARRAYS(IN_PARAMS) DLP_SOLID_FIELDS(IN_PARTICLES) DLP_SOLID_STATE_ARRAYS(IN_STATE)
        DLP_SOLID_TOPOLOGY_ARRAYS(IN_TOPOLOGY) DLP_SOLID_SCRATCH_ARRAYS(IN_SCRATCH)
            DLP_SOLID_MOVED_FIELDS(IN_SPARE)};

dlp_status dlp_solid_reserve(dlp_solid *solid, dlp_solid_per per, int32_t count, dlp_error *error)
{
    return dlp_solid_arrays_reserve(solid, DLP_SOLID_LIST_OF(arrays), solid->capacity, (int32_t)per, count,
                                    error);
}

void dlp_solid_release(dlp_solid *solid)
{
    dlp_solid_arrays_release(solid, DLP_SOLID_LIST_OF(arrays));
}
