/* The cloth's meeting with the world: obstacles, itself, the air, and what it cannot bear. The step calls
 * these phases in this order:
 *
 *   dlp_cloth_contact_begin       which particles obstacles hold, and how they must move: the solve obeys the
 * holds dlp_cloth_contact_add_springs  springs between parts of cloth that touch: the solve takes them in
 *   dlp_cloth_contact_update_wind        forces of the air and their damping: the solve takes both in
 *   (the solve; particles move)
 *   dlp_cloth_contact_review      holds that pull are let go, paths into an obstacle are held: solve again
 * where any dlp_cloth_contact_resolve_obstacles   response of the obstacles, friction
 *   dlp_cloth_contact_resolve_self       response of the cloth itself
 *   dlp_cloth_contact_settle      what lies at rest in contact needs no more attention until something moves
 *   dlp_cloth_tear        (cloth_tear.h) what is stretched too far parts
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

#include "motion/cloth/cloth.h"
#include "motion/cloth/cloth_contact_spring.h"
#include "motion/cloth/cloth_closest_points.h"

/* What the phases see of the cloth: all borrowed, none of it changed but where a phase says so. */
typedef struct dlp_cloth_parts {
    dlp_cloth_particles *particles;
    dlp_cloth_triangle *triangles;
    dlp_cloth_link *links;
    int32_t triangle_count, link_count;
    const dlp_fabric *fabrics; /* one a substance of the scene */
    const dlp_scene_def *scene;
    const dlp_body *obstacles;
    dlp_team *team;
    double time, step;        /* s: when the step began, how long it is */
    const double *start;      /* m, 3 a particle: where it was when the step began */
    const double *effective;  /* m/s, 3 a particle: effective velocity when the step began */
    const uint8_t *is_pinned; /* a particle: an attachment moves it, come what may */
} dlp_cloth_parts;

/* Directions in which a contact leaves a particle no choice in this step. */
typedef struct dlp_contact_constraint {
    int32_t directions;     /* 0 none, 1 the normal, 3 all */
    dlp_vec3 normal;        /* away from the obstacle */
    dlp_vec3 velocity;      /* m/s: with which it moves in the held directions */
    dlp_vec3 friction;      /* m/s: what friction takes in this step of what slides (1 direction held) */
    dlp_vec3 wall_velocity; /* m/s: the obstacle's there; differs along the normal by what closes a gap */
} dlp_contact_constraint;

/* A facet is a triangle, or a link of a rope (corner 2 is -1). Every corner and edge belongs to exactly one
 * facet, so that no two are tested twice. */
typedef struct dlp_facet {
    int32_t corner[3];
    int32_t substance;
    uint8_t owned_corners, owned_edges; /* bits; edge k leads from corner k to k + 1 */
} dlp_facet;

typedef struct dlp_cloth_contact_node {
    dlp_box box;
    int32_t child[2]; /* nodes; a leaf has -1 - facet in the first */
    int32_t parent;
} dlp_cloth_contact_node;

/* Two facets whose boxes overlap. */
typedef struct dlp_cloth_contact_pair {
    int32_t facet[2];
    uint16_t hit; /* one bit per candidate of their owned parts: dlp_cloth_contact_candidate */
} dlp_cloth_contact_pair;

/* The owned parts of two facets that may meet: `bit` 0..2 a corner of the first and the second facet, 3..5
 * the other way round, 6..14 an edge of each. False: not owned, or they share a particle. */
enum { DLP_CLOTH_CONTACT_CANDIDATES = 15 };
typedef struct dlp_cloth_contact_candidate {
    dlp_cloth_contact_kind kind;
    int32_t particle[4];
    double gap;      /* m */
    double friction; /* Coulomb */
} dlp_cloth_contact_candidate;

/* Two parts of cloth that are near, in the passes that bring them to rest. */
typedef struct dlp_cloth_contact_point {
    dlp_cloth_contact_candidate candidate;
    dlp_cloth_closest closest; /* when the step began */
    dlp_vec3 normal;           /* unit, from the second part to the first */
    dlp_vec3 push[4];          /* m/s: what a unit of impulse along the normal does to its particles */
    double mobility;           /* 1/kg: what it does to the speed apart */
    double allowed;            /* m/s: approach that ends a gap apart */
    double normal_impulse;     /* N s so far */
    dlp_vec3 friction_impulse; /* N s: friction, likewise */
} dlp_cloth_contact_point;

/* What the particles of a block did to a body in this step. */
enum { DLP_CLOTH_LOAD_BLOCK = 256 }; /* passes that note loads have grains that are multiples of it */
typedef struct dlp_cloth_body_sum {
    dlp_vec3 impulse, angular_impulse; /* N s, N m s about the body's pivot */
} dlp_cloth_body_sum;

typedef struct dlp_cloth_contact {
    /* State: what a checkpoint must hold. */
    int32_t *obstacle_contact; /* 0 none; 1 + 2 k slides on obstacle k; 2 + 2 k sticks to it */
    double *held_pull;         /* N: pull along an obstacle that friction was seen to withstand */
    double *load;              /* N: with which the obstacle was pressed in the last step */
    int32_t *had_contact;      /* 1: cloth touched it in the last step */
    int32_t *at_rest;          /* 1: contacts balance all forces, so that its momentum stays as it is */
    double air[4];             /* m/s, kg/m3: wind and density that the forces of the air were made with */

    /* For the solve. */
    dlp_contact_constraint *constraints;
    double *air_force;   /* N, 3 a particle */
    double *air_damping; /* N s/m, 6 a particle: xx yy zz xy xz yz */

    /* Scratch. */
    int32_t capacity;              /* of particles */
    double *clearance;             /* m: no obstacle is nearer; shrinks as things move */
    double *tried_pull;            /* N: the pull that is being tried, likewise */
    uint8_t *changes, *is_changed; /* of its constraint: in this step (bits), in this review */
    uint8_t *has_contact;          /* by cloth, in this step */
    dlp_vec3 *velocity_before;     /* m/s: when the step began */
    dlp_transform *frame_before, *frame_after;
    double *travel; /* m an obstacle: the longest path of a point of it in this step */
    int32_t body_count;
    dlp_vec3 *pivot;               /* m a body: when the step ends */
    dlp_cloth_body_sum *body_sums; /* those of the first block of particles, one a body, then the next, ... */
    int32_t *supporter;            /* body that cloth at rest on cloth loads; -1: to be found */
    dlp_vec3 *facet_push, *facet_velocity_change; /* m, m/s: of obstacles on a facet's inner point */
    dlp_vec3 *facet_wall_velocity;                /* m/s: of the obstacle there */
    int32_t *facet_obstacle;
    double *facet_weight; /* 3 a facet: where that point is; all 0: nowhere */
    dlp_vec3 *wind_force; /* N: on a third of a triangle */
    double *wind_damping; /* N s/m: 6 a triangle, likewise */
    dlp_facet *facets;
    int32_t facet_count, facet_capacity;
    int32_t *facet_begin, *facet_list; /* facets of a particle, in order: CSR */
    int32_t facet_begin_capacity, facet_list_capacity;
    uint8_t *is_awake_facet;
    int32_t *awake_facets, *pair_begin;
    int32_t awake_count;
    dlp_cloth_contact_node *nodes;
    dlp_box *facet_box;
    int32_t *leaf_of, *tree_order;
    double *tree_key;
    int32_t node_count;
    dlp_cloth_contact_pair *pairs;
    dlp_cloth_contact_point *contacts;
    int32_t pair_count, pair_capacity, contact_count, contact_capacity;
    dlp_contact_spring *springs; /* of the next solve */
    int32_t spring_count, spring_capacity, spring_reviews;
    uint64_t *spring_keys; /* a table of which there are */
    int32_t spring_key_capacity;
    uint64_t spring_hash;    /* which they are, as a sum of hashes */
    uint8_t *has_spring;     /* a particle */
    double *spring_diagonal; /* kg, 6 a particle: their part of the matrix's diagonal */
    double *drift;           /* m: a particle since the pairs were found */
    int32_t *zone;           /* a particle's in the last resort, as a forest; -1: none */
    uint64_t *zone_list;
    bool has_wind, needs_pairs;
    double mean_edge;                 /* m: mean rest edge */
    double max_travel;                /* m: the longest path of an obstacle in this step */
    int64_t impact_count, zone_count; /* since the start: for tests and reports */
} dlp_cloth_contact;

dlp_status dlp_cloth_contact_init(dlp_cloth_contact *contact, const dlp_cloth_parts *parts, dlp_error *error);
void dlp_cloth_contact_release(dlp_cloth_contact *contact);
/* Follows from particles, triangles and links: again after a load or a tear. */
dlp_status dlp_cloth_contact_rebuild(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     dlp_error *error);
dlp_status dlp_cloth_contact_reserve(dlp_cloth_contact *contact, int32_t particle_capacity, dlp_error *error);
/* Adds its arrays; returns the new number of items. */
void dlp_cloth_contact_manifest(dlp_cloth_contact *contact, int32_t particle_count, dlp_manifest *manifest);

void dlp_cloth_contact_begin(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* `moved`: 1 a particle that moved in the last step or is about to; NULL: all. True: the wind changed. */
bool dlp_cloth_contact_update_wind(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                   const uint8_t *moved);
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
    const double *x = parts->particles->position + 3 * (int64_t)i, *from = parts->start + 3 * (int64_t)i;
    return x[0] != from[0] || x[1] != from[1] || x[2] != from[2];
}

/* Between the files of this part. */
bool dlp_cloth_contact_wind_changed(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
typedef struct dlp_cloth_contact_path { /* of a point in an obstacle's own frame */
    dlp_vec3 from, to;
} dlp_cloth_contact_path;
dlp_vec3 dlp_cloth_contact_wall_velocity(const dlp_cloth_contact *contact, int32_t obstacle, dlp_vec3 x,
                                         double step); /* m/s at x */
void dlp_cloth_contact_resolve_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
bool dlp_cloth_contact_review_facets(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
/* Each change of a particle's constraint happens once a step, so that reviews end. */
enum {
    DLP_CONTACT_RELEASED = 1,
    DLP_CONTACT_SLIPPED = 2,
    DLP_CONTACT_STUCK = 4,
    DLP_CONTACT_FRICTION_SET = 8,
    DLP_CONTACT_LIFTED = 16
};
static inline bool dlp_cloth_contact_allow(dlp_cloth_contact *contact, int32_t i, uint8_t change)
{
    if (contact->changes[i] & change) return false;
    contact->changes[i] |= change;
    return true;
}
bool dlp_cloth_contact_candidate_of(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                    const dlp_cloth_contact_pair *pair, int bit,
                                    dlp_cloth_contact_candidate *out_candidate);
/* Last resort: what still meets moves as one rigid body. */
void dlp_cloth_contact_join_zone(dlp_cloth_contact *contact, const dlp_cloth_contact_candidate *candidate);
void dlp_cloth_contact_move_zones(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
void dlp_cloth_contact_build_tree(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);
dlp_status dlp_cloth_contact_find_pairs(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                        dlp_error *error);
bool dlp_cloth_contact_has_self(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts);

#endif
