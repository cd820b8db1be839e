/* Page S: volume and area, of a pool after pouring and of shapes whose measures are known. */
#include "fixture_shape.h"
#include "fixture_world.h"

#include "skin/skin.h"

#include <stdio.h>

// S-volume: honey into a bowl.

enum { POUR_FRAMES = 100, CALM_FRAMES = 25 };

typedef struct pour_run {
    double time[POUR_FRAMES + 1], share[POUR_FRAMES + 1];  // volume over that of the mass
    double worst, low, high;                               // of the quiet frames at the end
} pour_run;

static dlp_status pour(dlp_world *world, dlp_skin *skin, double density, pour_run *out, dlp_error *error)
{
    out->low = HUGE_VAL;
    for (int frame = 0; frame <= POUR_FRAMES; frame++) {
        dlp_stats stats = {.size = sizeof stats};
        if (frame > 0) DLP_TRY(dlp_world_step_frame(world, error));
        DLP_TRY(dlp_skin_update(skin, error));
        DLP_TRY(dlp_world_stats(world, &stats, error));
        out->time[frame] = stats.time;
        out->share[frame] = stats.volume / (stats.mass / density);
        if (frame <= POUR_FRAMES - CALM_FRAMES) continue;
        out->worst = fmax(out->worst, fabs(out->share[frame] - 1));
        out->low = fmin(out->low, out->share[frame]);
        out->high = fmax(out->high, out->share[frame]);
    }
    return DLP_OK;
}

static dlp_status pour_scene(dlp_reproduce *reproduce, dlp_scene *scene, pour_run *out, dlp_error *error)
{
    const dlp_scene_def *def;
    DLP_TRY(dlp_scene_resolve(scene, &def, error));
    const double density = def->substances[0].density;
    const dlp_world_options options = {.size = sizeof options, .thread_count = reproduce->thread_count};
    dlp_world *world = NULL;
    dlp_skin *skin = NULL;
    DLP_TRY(dlp_world_create(scene, &options, &world, error));
    dlp_status status = dlp_skin_create(world, &skin, error);
    if (status == DLP_OK) status = pour(world, skin, density, out, error);
    dlp_skin_destroy(skin);
    dlp_world_destroy(world);
    return status;
}

static dlp_status run_volume(dlp_reproduce *reproduce, dlp_error *error)
{
    static pour_run found;
    found = (pour_run){0};
    dlp_scene *scene;
    DLP_TRY(dlp_scene_read_bundled("pour", &scene, error));
    const dlp_status status = pour_scene(reproduce, scene, &found, error);
    dlp_scene_destroy(scene);
    if (status != DLP_OK) return status;
    const dlp_finding findings[] = {
        dlp_finding_limited("settled", "largest error of the enclosed volume, last second of the pour",
                            100 * found.worst, "%", 1),
        dlp_finding_limited("drift", "its largest less its smallest value there",
                            100 * (found.high - found.low), "%", 1)};
    dlp_reproduce_add_all(reproduce, findings, 2);
    const dlp_series series = {"pour", found.time, found.share, POUR_FRAMES + 1, DLP_MARK_LINE};
    dlp_reproduce_plot(reproduce, "Enclosed volume over that of the mass", "time (s)", "", &series, 1);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_s_volume = {
    "S-volume", "Volume enclosed by the active surface, honey poured into a bowl", "desbrun1999, sec. 5",
    run_volume};

// S-mesh (gate M1): a ball and a torus.

typedef struct measures {
    double volume, area;
    bool is_sound;
} measures;

static dlp_status measure(const dlp_shape_fixture *fixture, dlp_surface_kind kind, double cell, measures *out,
                          dlp_error *error)
{
    dlp_surface *surface;
    dlp_surface_mesh_report report = {0};
    DLP_TRY(dlp_shape_fixture_surface(kind, 1, cell, NULL, &surface, error));
    dlp_status status = dlp_surface_update(surface, &fixture->particles, error);
    if (status == DLP_OK) status = dlp_surface_mesh_check(dlp_surface_mesh_of(surface), &report, error);
    *out = (measures){report.mesh.volume, report.mesh.area, report.is_sound};
    dlp_surface_destroy(surface);
    return status;
}

static dlp_status measure_shape(dlp_reproduce *reproduce, const char *name, const dlp_shape_def *shape,
                                measures truth, dlp_error *error)
{
    static const struct {
        dlp_surface_kind kind;
        const char *name;
    } kinds[] = {
        {DLP_SURFACE_ISO, "iso"}, {DLP_SURFACE_ACTIVE, "active"}, {DLP_SURFACE_ANISOTROPIC, "anisotropic"}};
    dlp_shape_fixture fixture;
    DLP_TRY(dlp_shape_fixture_open(&fixture, shape, 1, error));
    dlp_status status = DLP_OK;
    for (int k = 0; k < 3 && status == DLP_OK; k++) {
        measures found = {0};
        char id[2][64], what[2][128];
        status = measure(&fixture, kinds[k].kind, 0.5, &found, error);
        snprintf(id[0], sizeof id[0], "%s-%s-volume", name, kinds[k].name);
        snprintf(id[1], sizeof id[1], "%s-%s-area", name, kinds[k].name);
        snprintf(what[0], sizeof what[0], "%s, %s: error of the volume%s", name, kinds[k].name,
                 found.is_sound ? ", sound mesh" : ", UNSOUND MESH");
        snprintf(what[1], sizeof what[1], "%s, %s: error of the area", name, kinds[k].name);
        const dlp_finding findings[] = {
            dlp_finding_limited(id[0], what[0], 100 * fabs(found.volume / truth.volume - 1), "%", 1),
            dlp_finding_limited(id[1], what[1], 100 * fabs(found.area / truth.area - 1), "%", 2)};
        if (status == DLP_OK) dlp_reproduce_add_all(reproduce, findings, 2);
    }
    dlp_shape_fixture_close(&fixture);
    return status;
}

// The volume's error against cells of an eighth of a spacing, for cells of one, a half and a quarter.
static dlp_status measure_order(dlp_reproduce *reproduce, dlp_error *error)
{
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .radius = 8};
    dlp_shape_fixture fixture;
    measures found[4] = {{0}};
    DLP_TRY(dlp_shape_fixture_open(&fixture, &ball, 1, error));
    dlp_status status = DLP_OK;
    for (int k = 0; k < 4 && status == DLP_OK; k++)
        status = measure(&fixture, DLP_SURFACE_ISO, 1.0 / (1 << k), &found[k], error);
    dlp_shape_fixture_close(&fixture);
    if (status != DLP_OK) return status;
    const double order =
        log2(fabs(found[0].volume - found[3].volume) / fabs(found[2].volume - found[3].volume)) / 2;
    const dlp_finding finding = dlp_finding_reached(
        "order", "order of the volume's error in the cell size (ball, iso)", order, "", 1.8);
    dlp_reproduce_add(reproduce, &finding);
    return DLP_OK;
}

static dlp_status run_mesh(dlp_reproduce *reproduce, dlp_error *error)
{
    const double r = 12, ring = 14, tube = 6;
    const dlp_shape_def ball = {.kind = DLP_SHAPE_SPHERE, .radius = r};
    const dlp_shape_def torus = {.kind = DLP_SHAPE_TORUS, .axis = {0, 0, 1}, .radius = ring, .tube = tube};
    DLP_TRY(measure_shape(reproduce, "ball", &ball,
                          (measures){4 * DLP_PI / 3 * r * r * r, 4 * DLP_PI * r * r, true}, error));
    DLP_TRY(measure_shape(
        reproduce, "torus", &torus,
        (measures){2 * DLP_PI * DLP_PI * ring * tube * tube, 4 * DLP_PI * DLP_PI * ring * tube, true},
        error));
    return measure_order(reproduce, error);
}

const dlp_experiment dlp_experiment_s_mesh = {
    "S-mesh", "Gate M1: volume and area of a ball and a torus of particles", "desbrun1999, sec. 5", run_mesh};
