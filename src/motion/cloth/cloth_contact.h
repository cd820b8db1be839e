/* The cloth's meeting with the world: obstacles, itself, the air, and what it cannot bear. The step calls
 * these phases in this order:
 *
 *   dlp_cloth_contact_begin              which particles obstacles hold, and how they must move: the solve
 *                                        obeys these constraints
 *   dlp_cloth_contact_add_springs        springs between parts of cloth that touch: the solve takes them in
 *   dlp_cloth_contact_update_wind        forces of the air and their damping: the solve takes both in
 *   (the solve; particles move)
 *   dlp_cloth_contact_review             constraints that pull are let go, paths into an obstacle are
 *                                        constrained: solve again where any are
 *   dlp_cloth_contact_resolve_obstacles  response of the obstacles, friction
 *   dlp_cloth_contact_resolve_self       response of the cloth itself
 *   dlp_cloth_contact_settle             what lies at rest in contact needs no more attention until
 *                                        something moves
 *   dlp_cloth_tear                       (cloth_tear.h) what is stretched too far parts
 *
 * Why contacts with obstacles are held in the solve: the implicit step sees far through a stiff sheet. Were
 * the contact answered only after it, the solve would let the whole sheet fall freely, and the answer would
 * tear the held part from the rest by g h^2 in every step: the sheet would never come to rest. Held, the
 * solve knows what stands. A held direction has no mobility, so that the momentum after the solve is the one
 * the particle would have without its constraint: what is missing is the contact's impulse, from which
 * friction and release follow, as in [baraff1998, sec. 5.3]; release and new contacts are found between two
 * solves of the same step, so that neighbours take part in every impact: a stiff sheet one of whose particles
 * were stopped after the solve would store more energy than its whole fall. Friction that sticks is held in
 * the solve as well; friction that slides acts as an impulse that goes with the load it had, or is found to
 * have. */
#ifndef DLP_MOTION_CLOTH_CONTACT_H
#define DLP_MOTION_CLOTH_CONTACT_H

#include "motion/cloth/cloth_contact_store.h"

/* What the phases see of the cloth: all borrowed, none of it changed but where a phase says so. */
typedef struct dlp_cloth_parts {
    dlp_cloth_particles *particles;
    const dlp_cloth_triangles *triangles;
    const dlp_cloth_links *links;
    const dlp_cloth_corners *corners; /* of the triangles */
    const dlp_cloth_ends *ends;       /* of the links */
    const dlp_fabric *fabrics;        /* one per substance of the scene */
    const dlp_scene_def *scene;
    const dlp_body *obstacles;
    dlp_team *team;
    double time, step;        /* s: when the step began, how long it is */
    const double *start;      /* m, 3 per particle: where it was when the step began */
    const double *effective;  /* m/s, 3 per particle: effective velocity when the step began */
    const uint8_t *is_pinned; /* per particle: an attachment moves it, come what may */
} dlp_cloth_parts;

dlp_status dlp_cloth_contact_init(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, dlp_error *error);
/* Follows from particles, triangles and links: again after a load or a tear. */
dlp_status dlp_cloth_contact_rebuild(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     dlp_error *error);

/* cloth_contact_storage.c */
dlp_status dlp_cloth_contact_reserve_bodies(dlp_cloth_contact *contact, int32_t count, dlp_error *error);
dlp_status dlp_cloth_contact_reserve_particles(dlp_cloth_contact *contact, int32_t count, dlp_error *error);
dlp_status dlp_cloth_contact_reserve_facets(dlp_cloth_contact *contact, int32_t count, dlp_error *error);
void dlp_cloth_contact_release(dlp_cloth_contact *contact);

void dlp_cloth_contact_begin(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* `moved`: 1 per particle that moved in the last step or is about to; NULL: all. True: the wind changed. */
bool dlp_cloth_contact_update_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                   const int32_t *moved);
/* After a load: what the air does to what did not move since it was computed. */
void dlp_cloth_contact_restore_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* Once the solved motion stands in positions and velocities: lets go what pulls at an obstacle, lets slide
 * what friction cannot bear, and constrains what would enter one. True where a constraint changed: then solve
 * again, from where the step began. */
bool dlp_cloth_contact_review(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* Contact springs between parts of cloth: before the first solve, where they touched; between solves, where
 * they end too near. True: they are not the same as before, so solve again. */
dlp_status dlp_cloth_contact_add_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                         dlp_error *error);
dlp_status dlp_cloth_contact_review_springs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                            bool *out_changed, dlp_error *error);
/* Change positions and velocities. */
void dlp_cloth_contact_resolve_obstacles(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
dlp_status dlp_cloth_contact_resolve_self(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                          dlp_error *error);
void dlp_cloth_contact_settle(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);

/* cloth_contact_loads.c: what bodies do to particles, of which they have the reaction. */
int32_t dlp_cloth_contact_load_size(const dlp_cloth_contact *contact, int32_t particle_count);
void dlp_cloth_contact_begin_loads(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* The body that an attachment ties a particle to, that it touches, or on which it rests by way of other
 * cloth; -1: none. */
int32_t dlp_cloth_contact_supporter(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i);
/* A body (-1: none) gave a particle an impulse, N s; or changed its velocity to what it is now. */
void dlp_cloth_contact_note(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i, int32_t body,
                            dlp_vec3 impulse);
void dlp_cloth_contact_note_change(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t i,
                                   int32_t body, dlp_vec3 velocity_before);
/* What the cloth did to a body, block after block. */
dlp_cloth_body_sum dlp_cloth_contact_body_sum(const dlp_cloth_contact *contact, int32_t particle_count,
                                              int32_t body);

/* Contact distances, m: of a facet's inner point from an obstacle; of a particle, which keeps a little more
 * so that facets between particles stay clear of round obstacles; and of two facets. */
double dlp_cloth_contact_radius(const dlp_cloth_parts *parts, int32_t substance);
double dlp_cloth_contact_corner_radius(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                       int32_t substance);
double dlp_cloth_contact_gap(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts, int32_t a,
                             int32_t b);

/* Small things all phases need. */
static inline dlp_vec3 dlp_get3(const double *array, int32_t i)
{
    return dlp_vec(array[3 * (int64_t)i], array[3 * (int64_t)i + 1], array[3 * (int64_t)i + 2]);
}
static inline void dlp_put3(double *array, int32_t i, dlp_vec3 v)
{
    array[3 * (int64_t)i] = v.x;
    array[3 * (int64_t)i + 1] = v.y;
    array[3 * (int64_t)i + 2] = v.z;
}
static inline bool dlp_cloth_contact_moved(const dlp_cloth_parts *parts, int32_t i)
{
    assert(i >= 0 && i < parts->particles->count);
    const double *x = parts->particles->position + 3 * (int64_t)i, *from = parts->start + 3 * (int64_t)i;
    return x[0] != from[0] || x[1] != from[1] || x[2] != from[2];
}
static inline int dlp_facet_corner_count(const dlp_facet *facet)
{
    return facet->corner[2] < 0 ? 2 : 3;
}

/* Between the files of this part. */
bool dlp_cloth_contact_wind_changed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* cloth_pressure.c */
dlp_status dlp_cloth_contact_find_pressed(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                          dlp_error *error);
bool dlp_cloth_contact_pressure_changed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
void dlp_cloth_contact_set_pressures(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
double dlp_cloth_contact_pressure(const dlp_cloth_contact *contact, int32_t triangle); /* Pa */
dlp_vec3 dlp_cloth_contact_wall_velocity(const dlp_cloth_contact *contact, int32_t obstacle, dlp_vec3 x,
                                         double step); /* m/s at x */
void dlp_cloth_contact_resolve_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
bool dlp_cloth_contact_review_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* Each change of a particle's constraint happens once per step, so that reviews end. */
enum {
    DLP_CONTACT_RELEASED = 1,
    DLP_CONTACT_SLIPPED = 2,
    DLP_CONTACT_STUCK = 4,
    DLP_CONTACT_FRICTION_SET = 8,
    DLP_CONTACT_LIFTED = 16
};
static inline bool dlp_cloth_contact_allow(dlp_cloth_contact *contact, int32_t i, uint8_t change)
{
    uint8_t *changes = &contact->scratch.obstacles.changes[i];
    if (*changes & change) return false;
    *changes |= change;
    return true;
}
/* The tree over the facets, and from it the pairs of this step. */
void dlp_cloth_contact_build_tree(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
dlp_status dlp_cloth_contact_find_pairs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                        dlp_error *error);

#endif
