/* Page B: flow down a terrain. Where are the finest particles? */
#include "fixture_world.h"

#include "base/memory.h"
#include "space/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 25, ROWS = 9, FRAMES = 30 };
#define SPACING 0.025
#define LENGTH  1.8
#define WIDTH   0.8

// A slope with bumps that ends in a hollow.
static double terrain(double x, double y)
{
    const double aside = (y - WIDTH / 2) / (WIDTH / 2);
    const double along = (x - 0.6 * LENGTH) / (0.6 * LENGTH);
    return 0.6 * along * along + 0.5 * aside * aside + 0.03 * sin(9 * x) * cos(9 * y);
}

static void write_scene(char *text, size_t size)
{
    int at = snprintf(text, size,
                      "{title: Down a terrain, frames: {rate: 25, count: 30}, time: {courant: 0.4},"
                      " substances: {water: {material: water, stiffness: 2000,"
                      " artificial_viscosity: {alpha: 0.5}, particle: {spacing: 0.025},"
                      " adapt: {space: true, time: true},"
                      " shape: {box: {min: [0.1, 0.15, 0.72], max: [0.55, 0.65, 1.17]}}}},"
                      " obstacles: [{name: terrain, height: {min: [0, 0], max: [%g, %g], columns: %d,"
                      " values: [",
                      LENGTH, WIDTH, COLUMNS);
    for (int k = 0; k < COLUMNS * ROWS; k++) {
        const double x = LENGTH * (k % COLUMNS) / (COLUMNS - 1), y = WIDTH * (k / COLUMNS) / (ROWS - 1);
        at += snprintf(text + at, size - (size_t)at, "%s%.4f", k > 0 ? ", " : "", terrain(x, y));
    }
    snprintf(text + at, size - (size_t)at, "]}}]}");
}

typedef struct area_share {
    double finest, all;  // kg
} area_share;

static double share_of(const area_share *s)
{
    return s->all > 0 ? s->finest / s->all : 0;
}

typedef struct shares {
    area_share front, surface, contact, inside;
    double splits, merges;
} shares;

// Is there air at this distance from a particle?
static bool is_below_air(const dlp_fixture *fixture, const dlp_shape *ground, dlp_vec3 x, double reach)
{
    for (int k = 0; k < 27; k++) {
        const dlp_vec3 toward = dlp_vec(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        if (k == 13) continue;
        const dlp_vec3 there = dlp_along(x, toward, reach / dlp_length(toward));
        if (dlp_shape_distance(ground, there) < SPACING) continue;
        if (dlp_world_sample_at(fixture->world, there).fraction < 0.3) return true;
    }
    return false;
}

static void add_to(area_share *s, double mass, bool is_finest)
{
    s->all += mass;
    s->finest += is_finest ? mass : 0;
}

// Where the foremost eighth of the mass begins.
static double front_of(const dlp_fixture *fixture)
{
    enum { BINS = 1000 };
    double bins[BINS] = {0}, all = 0, before = 0;
    for (int32_t i = 0; i < fixture->count; i++) {
        const double along = fixture->x[3 * (int64_t)i] / (2 * LENGTH) * BINS;
        bins[along < 0 ? 0 : along >= BINS ? BINS - 1 : (int)along] += (double)fixture->mass[i];
        all += (double)fixture->mass[i];
    }
    int bin = BINS;
    while (bin > 0 && before < all / 8) before += bins[--bin];
    return bin * 2 * LENGTH / BINS;
}

static dlp_status count_shares(const dlp_fixture *fixture, shares *out, dlp_error *error)
{
    dlp_view levels = {.size = sizeof levels};
    DLP_TRY(dlp_world_field(fixture->world, DLP_FIELD_LEVEL, &levels, error));
    const dlp_shape *ground = dlp_world_bodies(fixture->world)->items[0].shape;
    const double front = front_of(fixture);
    for (int32_t i = 0; i < fixture->count; i++) {
        const double *at = fixture->x + 3 * (int64_t)i, mass = (double)fixture->mass[i],
                     radius = (double)fixture->radius[i];
        const dlp_vec3 x = dlp_vec(at[0], at[1], at[2]);
        const bool is_finest = ((const int32_t *)levels.data)[i] == 0;
        const bool is_front = x.x >= front, is_surface = is_below_air(fixture, ground, x, radius + SPACING),
                   is_contact = dlp_shape_distance(ground, x) < radius + SPACING;
        if (is_front) add_to(&out->front, mass, is_finest);
        if (is_surface) add_to(&out->surface, mass, is_finest);
        if (is_contact) add_to(&out->contact, mass, is_finest);
        if (!is_front && !is_contact && !is_below_air(fixture, ground, x, 4 * SPACING))
            add_to(&out->inside, mass, is_finest);
    }
    return DLP_OK;
}

// Shares over all frames from the first contact on.
static dlp_status flow_down(dlp_reproduce *reproduce, dlp_fixture *fixture, shares *out, dlp_error *error)
{
    for (int frame = 1; frame <= FRAMES; frame++) {
        dlp_stats stats = {.size = sizeof stats};
        DLP_TRY(dlp_fixture_run(fixture, frame / 25.0, error));
        DLP_TRY(dlp_world_stats(fixture->world, &stats, error));
        out->splits += (double)stats.splits;
        out->merges += (double)stats.merges;
        if (frame >= 5 && frame % 5 == 0) DLP_TRY(count_shares(fixture, out, error));
        if (frame == 15)
            DLP_TRY(dlp_fixture_picture(fixture, reproduce, "flow", "Down the terrain, 0.6 s", error));
    }
    return DLP_OK;
}

static dlp_status run_terrain(dlp_reproduce *reproduce, dlp_error *error)
{
    static char scene[8192];
    write_scene(scene, sizeof scene);
    shares found = {0};
    dlp_fixture fixture;
    DLP_TRY(dlp_fixture_open(&fixture, scene, NULL, reproduce->thread_count, error));
    const int32_t start = fixture.count;
    const dlp_status status = flow_down(reproduce, &fixture, &found, error);
    const int32_t end = fixture.count;
    dlp_fixture_close(&fixture);
    if (status != DLP_OK) return status;
    const dlp_finding findings[] = {
        dlp_finding_number("start", "particles at the start", start, ""),
        dlp_finding_number("end", "particles at the end", end, ""),
        dlp_finding_number("splits", "splits", found.splits, ""),
        dlp_finding_number("merges", "merges", found.merges, ""),
        dlp_finding_number("front", "share of the finest in the mass of the front (the foremost eighth)",
                           share_of(&found.front), ""),
        dlp_finding_number("surface", "share of the finest in the mass at the surface",
                           share_of(&found.surface), ""),
        dlp_finding_number("contact", "share of the finest in the mass at the ground",
                           share_of(&found.contact), ""),
        dlp_finding_number("inside", "share of the finest in the mass four spacings and more inside",
                           share_of(&found.inside), ""),
        dlp_finding_limited("merged",
                            "inside over front (source: splits at contacts and fronts, merges inside)",
                            share_of(&found.inside) / share_of(&found.front), "", 0.9)};
    for (int k = 0; k < 9; k++) dlp_reproduce_add(reproduce, &findings[k]);
    return DLP_OK;
}

const dlp_experiment dlp_experiment_b_terrain = {"B-terrain", "Flow down a terrain", "desbrun1999, fig. 8",
                                                 run_terrain};
