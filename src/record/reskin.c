// Makes the surfaces of recorded frames. The frames hold what a skin reads, bit for bit, so that a run whose
// every frame was recorded gives the surfaces that it wrote itself.
#include "record/reskin.h"
#include "base/memory.h"
#include "motion/solid/solid.h"
#include "record/frame.h"
#include "record/surfaces.h"

#include <assert.h>

enum { NONE = -2 };  // no frame: 0 does not follow it

// The surfaces of one frame after another.
struct dlp_reskin {
    dlp_reskin_def def;
    dlp_skin *skin;              // NULL before the first frame, and in 2-D
    dlp_solid *solid;            // at rest, in the pieces of the last frame; NULL where there is none
    dlp_contour contour;         // in 2-D
    dlp_frame_list contours;     // in 2-D: those that were written
    dlp_surface_lists surfaces;  // in 3-D: likewise, for ParaView
    dlp_pvd_frame last_frame;    // the one that was made last
};

static bool is_flat(const dlp_run *run)
{
    return run->def->dimension == 2;
}

// Only active surfaces follow from the frame before; cloth is its own surface.
static bool has_history(const dlp_run *run)
{
    return !is_flat(run) && run->def->surface.kind == DLP_SURFACE_ACTIVE && !dlp_scene_def_is_cloth(run->def);
}

// From the last frame to the first: a frame is needed where it is chosen, or where the next one is needed and
// follows it.
int32_t dlp_reskin_plan(const dlp_run *run, const bool *chosen, bool *out_needed)
{
    int32_t gap_count = 0;
    for (int32_t k = run->frame_count - 1; k >= 0; k--) {
        const int32_t number = run->frames[k].number;
        const bool is_followed =
            has_history(run) && k + 1 < run->frame_count && run->frames[k + 1].number == number + 1;
        out_needed[k] = chosen[k] || (is_followed && out_needed[k + 1]);
        const bool has_before = number == 0 || (k > 0 && run->frames[k - 1].number == number - 1);
        if (has_history(run) && out_needed[k] && !has_before) gap_count++;
    }
    return gap_count;
}

// The solids at rest, filled as the run filled them; not where all substances share one surface.
static dlp_status open_solids(dlp_reskin *reskin, dlp_error *error)
{
    const dlp_run *run = reskin->def.run;
    if (is_flat(run) || run->def->surface.blend) return DLP_OK;
    const dlp_solver_context context =
        dlp_setting_context(&run->setting, 0, reskin->def.team, reskin->def.target);
    return dlp_solid_create(&context, &reskin->solid, error);
}

dlp_status dlp_reskin_create(const dlp_reskin_def *def, dlp_reskin **out_reskin, dlp_error *error)
{
    *out_reskin = NULL;
    DLP_TRY(dlp_surfaces_check(&def->run->def->surface, error));
    dlp_reskin *reskin = dlp_alloc(1, sizeof *reskin, "reskin");
    if (reskin == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "surface: no room");
    reskin->def = *def;
    reskin->last_frame.number = NONE;
    dlp_status status = open_solids(reskin, error);
    if (status == DLP_OK && is_flat(def->run))
        status = dlp_frame_list_init(&reskin->contours, def->folder, "contour", error);
    if (status != DLP_OK) {
        dlp_reskin_destroy(reskin);
        return status;
    }
    *out_reskin = reskin;
    return DLP_OK;
}

void dlp_reskin_destroy(dlp_reskin *reskin)
{
    if (reskin == NULL) return;
    dlp_skin_destroy(reskin->skin);
    dlp_solid_destroy(reskin->solid);
    dlp_contour_release(&reskin->contour);
    dlp_frame_list_release(&reskin->contours);
    dlp_surface_lists_release(&reskin->surfaces);
    dlp_free(reskin);
}

// Contours have no history.
static dlp_status make_contour(dlp_reskin *reskin, const dlp_particle_frame *frame, dlp_error *error)
{
    const dlp_contour_def def = {.positions = frame->positions,
                                 .radii = frame->radii,
                                 .count = frame->count,
                                 .iso = reskin->def.run->def->record.iso};
    dlp_contour_release(&reskin->contour);
    return dlp_contour_create(&def, &reskin->contour, error);
}

// The index of the first of the solids' particles, which stand together, in the order in which they were
// made; -1 where the frame has others than the scene gives.
static int32_t find_solids(const dlp_reskin *reskin, const dlp_particle_frame *frame)
{
    if (reskin->solid == NULL) return -1;
    const dlp_solid_particles *p = dlp_solid_particles_of(reskin->solid);
    const dlp_substance_def *substances = reskin->def.run->def->substances;
    int32_t first = 0, same = 0;
    while (first < frame->count && substances[frame->substances[first]].model != DLP_MODEL_SOLID) first++;
    while (same < p->count && first + same < frame->count &&
           frame->substances[first + same] == p->substance[same])
        same++;
    return same == p->count ? first : -1;
}

// Gives the solids the fragments of the frame; `out_first` is the first of their particles, -1 where nothing
// tells what was cut. Cuts that part nothing are not recorded.
static dlp_status part_solids(dlp_reskin *reskin, const dlp_particle_frame *frame, int32_t *out_first,
                              dlp_error *error)
{
    *out_first = find_solids(reskin, frame);
    if (*out_first < 0 || !dlp_solid_may_break(reskin->solid)) return DLP_OK;
    if (frame->pieces != NULL)
        return dlp_solid_set_fragments(reskin->solid, frame->pieces + *out_first, error);
    *out_first = -1;
    return DLP_OK;
}

// A history that does not belong to the frame before is dropped with its skin.
static dlp_status make_surfaces(dlp_reskin *reskin, const dlp_particle_frame *frame, dlp_error *error)
{
    const dlp_run *run = reskin->def.run;
    if (has_history(run) && frame->number != reskin->last_frame.number + 1) {
        dlp_skin_destroy(reskin->skin);
        reskin->skin = NULL;
    }
    if (reskin->skin == NULL)
        DLP_TRY(dlp_skin_create_for(run->def, reskin->def.target, reskin->def.team, &reskin->skin, error));
    int32_t first_solid;
    DLP_TRY(part_solids(reskin, frame, &first_solid, error));
    const dlp_particle_view particles = {.count = frame->count,
                                         .positions = frame->positions,
                                         .radii = frame->radii,
                                         .velocities = frame->velocities,
                                         .displacements = frame->displacements,
                                         .temperatures = frame->temperatures,
                                         .substances = frame->substances,
                                         .topology = frame->topology,
                                         .solid = first_solid >= 0 ? reskin->solid : NULL,
                                         .scene = run->def,
                                         .first_solid = first_solid,
                                         .substance = -1};
    return dlp_skin_update_from(reskin->skin, &particles, error);
}

// After a failure no frame counts as made: the next one starts without history.
dlp_status dlp_reskin_make(dlp_reskin *reskin, int32_t index, dlp_error *error)
{
    dlp_particle_frame frame;
    DLP_TRY(dlp_run_read_frame(reskin->def.run, index, &frame, error));
    const dlp_status status =
        is_flat(reskin->def.run) ? make_contour(reskin, &frame, error) : make_surfaces(reskin, &frame, error);
    reskin->last_frame = (dlp_pvd_frame){status == DLP_OK ? frame.number : NONE, frame.time};
    dlp_particle_frame_release(&frame);
    return status;
}

// The number and time are those of the recorded frame.
dlp_status dlp_reskin_write(dlp_reskin *reskin, dlp_error *error)
{
    assert(reskin->last_frame.number != NONE);
    if (is_flat(reskin->def.run))
        return dlp_frame_write_contour(&reskin->contours, &reskin->contour, reskin->last_frame, error);
    return dlp_surfaces_write(reskin->def.folder, reskin->skin, &reskin->def.run->def->surface,
                              reskin->last_frame, &reskin->surfaces, error);
}

const dlp_skin *dlp_reskin_skin(const dlp_reskin *reskin)
{
    return reskin->skin;
}

const dlp_contour *dlp_reskin_contour(const dlp_reskin *reskin)
{
    return &reskin->contour;
}
