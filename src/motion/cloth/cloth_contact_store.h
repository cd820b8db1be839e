/* The memory of the contacts: parameters, state, scratch. */
#ifndef DLP_MOTION_CLOTH_CONTACT_STORE_H
#define DLP_MOTION_CLOTH_CONTACT_STORE_H

#include "motion/cloth/cloth_closest_points.h"
#include "motion/cloth/cloth_contact_spring.h"
#include "motion/cloth/cloth_elements.h"

/* Which triangles feel which load: it follows from where they start. */
enum { DLP_CLOTH_PRESSURE_LIMIT = 32 };
typedef struct dlp_cloth_pressed {
    int32_t count;                                       /* of the scene's loads that are on cloth */
    const dlp_load_def *loads[DLP_CLOTH_PRESSURE_LIMIT]; /* borrowed: as conditions have them now */
    uint32_t *bits;                                      /* per triangle; NULL without such loads */
} dlp_cloth_pressed;

/* What is constant during a step. */
typedef struct dlp_cloth_contact_params {
    dlp_cloth_pressed pressed;
    int32_t body_count; /* obstacles of the scene */
    double mean_edge;   /* m: mean edge of a facet at rest */
} dlp_cloth_contact_params;

/* State: what a checkpoint must hold. */
#define DLP_CLOTH_CONTACT_FIELDS(X)                                                                          \
    /* 0 none; 1 + 2 k slides on obstacle k; 2 + 2 k sticks to it */                                         \
    X(obstacle_contact, int32_t, 1, "cloth/contact")                                                         \
    /* N: pull along an obstacle that friction was seen to withstand */                                      \
    X(held_pull, double, 1, "cloth/held_pull")                                                               \
    X(load, double, 1, "cloth/load") /* N: with which the obstacle was pressed in the last step */           \
    X(had_contact, int32_t, 1, "cloth/had_contact") /* 1: cloth touched it in the last step */               \
    X(at_rest, int32_t, 1, "cloth/at_rest")         /* 1: contacts balance all forces: its momentum stays */
/* Forces of the air are computed where something moves, and stay as they are elsewhere: they follow from the
 * places, which did not change, and from this. */
#define DLP_CLOTH_WIND_FIELDS(X)                                                                             \
    X(velocity, double, 3, "cloth/air_velocity") /* m/s, per triangle: of the air against it, at that time   \
                                                  */
typedef struct dlp_cloth_wind {
    DLP_CLOTH_SAVED_ARRAYS(DLP_CLOTH_WIND_FIELDS)
    double air[4];                             /* m/s, kg/m3: wind and density that they were made with */
    int32_t is_known;                          /* 0: all must be computed */
    double pressure[DLP_CLOTH_PRESSURE_LIMIT]; /* Pa: of loads on cloth, likewise */
} dlp_cloth_wind;
typedef struct dlp_cloth_contact_state {
    DLP_CLOTH_SAVED_ARRAYS(DLP_CLOTH_CONTACT_FIELDS)
    dlp_cloth_wind wind;
} dlp_cloth_contact_state;

/* Obstacles. */

/* Directions in which a contact leaves a particle no choice in this step. */
enum { DLP_CONSTRAINT_UNKNOWN = -1 };
typedef struct dlp_contact_constraint {
    int32_t directions; /* 0 none, 1 the normal, 3 all; between steps also DLP_CONSTRAINT_UNKNOWN: the next
                           step finds it */
    dlp_vec3 normal;    /* away from the obstacle */
    dlp_vec3 velocity;  /* m/s: with which it moves in the held directions */
    dlp_vec3 friction;  /* m/s: what friction takes in this step of what slides (1 direction held) */
    dlp_vec3 wall_velocity; /* m/s: the obstacle's there; differs along the normal by what closes a gap */
} dlp_contact_constraint;

/* Per particle: its contact with an obstacle in a step. */
#define DLP_CLOTH_OBSTACLE_FIELDS(X)                                                                         \
    X(constraints, dlp_contact_constraint, 1) /* dlp_cloth_contact_begin, and reviews */                     \
    X(clearance, double, 1)  /* m: no obstacle is nearer; shrinks as things move; < 0: to be probed */       \
    X(tried_pull, double, 1) /* N: the pull along an obstacle that is being tried */                         \
    X(changes, uint8_t, 1)   /* of its constraint in this step: DLP_CONTACT_ bits */                         \
    X(velocity_before, dlp_vec3, 1) /* m/s: when the step began */
typedef struct dlp_cloth_obstacle_contacts {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_OBSTACLE_FIELDS)
} dlp_cloth_obstacle_contacts;

/* Per body: where it is in a step. */
#define DLP_CLOTH_BODY_FIELDS(X)                                                                             \
    X(before, dlp_transform, 1) /* when the step begins */                                                   \
    X(after, dlp_transform, 1)  /* when it ends */                                                           \
    X(pivot, dlp_vec3, 1)       /* m: when it ends */                                                        \
    X(travel, double, 1)        /* m: the longest path of a point of it in this step */
typedef struct dlp_cloth_contact_bodies {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_BODY_FIELDS)
    double max_travel; /* m: the longest of all */
} dlp_cloth_contact_bodies;

/* What the particles of a block did to a body in this step. */
enum { DLP_CLOTH_LOAD_BLOCK = 256 }; /* passes that note loads have grains that are multiples of it */
typedef struct dlp_cloth_body_sum {
    dlp_vec3 impulse, angular_impulse; /* N s, N m s about the body's pivot */
} dlp_cloth_body_sum;

#define DLP_CLOTH_LOAD_POOLS(X)                                                                              \
    X(sums, dlp_cloth_body_sum) /* block after block of particles: one per body */                           \
    X(supporter, int32_t)       /* per particle: body that cloth at rest on cloth loads; -1: to be found */
typedef struct dlp_cloth_contact_loads {
    DLP_CLOTH_LOAD_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_contact_loads;

/* Per facet: what an obstacle does to a point inside it. Where all weights are 0 there is none, and the
 * others have no meaning. */
#define DLP_CLOTH_INNER_FIELDS(X)                                                                            \
    X(weight, double, 3)            /* of the corners: where the point is */                                 \
    X(obstacle, int32_t, 1)         /* that does it */                                                       \
    X(push, dlp_vec3, 1)            /* m: of the point */                                                    \
    X(velocity_change, dlp_vec3, 1) /* m/s: of the point */                                                  \
    X(wall_velocity, dlp_vec3, 1)   /* m/s: of the obstacle there */
typedef struct dlp_cloth_inner_contacts {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_INNER_FIELDS)
} dlp_cloth_inner_contacts;

/* Facets: follow from the state, dlp_cloth_contact_rebuild. */

/* A facet is a triangle, or a link of a rope (corner 2 is -1; of a torn one corners 0 and 1 are the same).
 * Every corner and edge belongs to exactly one facet, so that no two are tested twice. */
typedef struct dlp_facet {
    int32_t corner[3];
    int32_t substance;
    uint8_t owned_corners, owned_edges; /* bits; edge k leads from corner k to k + 1 */
} dlp_facet;

#define DLP_CLOTH_FACET_POOLS(X)                                                                             \
    X(items, dlp_facet) /* triangles, then links */                                                          \
    X(begin, int32_t)   /* of a particle's facets in `list`; particle count + 1, and one more */             \
    X(list, int32_t)    /* facets of a particle, ascending */                                                \
    X(piece, int32_t)   /* per particle: the smallest of those that it hangs together with */
typedef struct dlp_cloth_facets {
    int32_t count;
    DLP_CLOTH_FACET_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_facets;

typedef struct dlp_cloth_tree_node {
    dlp_box box;
    int32_t child[2]; /* nodes, which stand after it; a leaf has -1 - facet in the first */
} dlp_cloth_tree_node;

/* A tree of boxes over the facets. */
#define DLP_CLOTH_TREE_FIELDS(X)                                                                             \
    X(box, dlp_box, 1)                                                                                       \
    X(leaf, int32_t, 1)  /* its node */                                                                      \
    X(order, int32_t, 1) /* facets, as the building sorts them */                                            \
    X(key, double, 1)    /* m: by which it sorts */                                                          \
    X(nodes, dlp_cloth_tree_node, 2)                                                                         \
    X(depth, uint8_t, 2)            /* of a node: the root's is 0 */                                         \
    X(by_depth, int32_t, 2)         /* nodes */                                                              \
    X(is_awake, uint8_t, 1)         /* a corner of it moves or, in a contact, is not at rest */              \
    X(awake_list, int32_t, 1)       /* ascending */
enum { DLP_CLOTH_TREE_DEPTH = 33 }; /* halving 2^31 facets ends there */
typedef struct dlp_cloth_tree {
    int32_t node_count, awake_count;
    int32_t depth_begin[DLP_CLOTH_TREE_DEPTH + 1]; /* in by_depth */
    DLP_CLOTH_ARRAYS(DLP_CLOTH_TREE_FIELDS)
} dlp_cloth_tree;

/* Cloth and cloth. */

/* Two facets whose boxes overlap. */
typedef struct dlp_cloth_contact_pair {
    int32_t facet[2];
    uint16_t hit; /* one bit per candidate of their owned parts: dlp_cloth_contact_candidate */
} dlp_cloth_contact_pair;

#define DLP_CLOTH_PAIR_POOLS(X)                                                                              \
    X(pairs, dlp_cloth_contact_pair) /* by their first facets, then by their second ones */                  \
    X(begin, int32_t)                /* of an awake facet's pairs; awake_count + 1 */                        \
    X(hits, int32_t)                 /* pairs that the last pass found to meet, ascending */                 \
    X(drift, double)                 /* m, per particle: path since the pairs were found */
typedef struct dlp_cloth_pairs {
    int32_t count;
    bool is_stale; /* something left its box: they must be found anew */
    DLP_CLOTH_PAIR_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_pairs;

/* Owned parts of two facets that may meet. */
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

#define DLP_CLOTH_SELF_POOLS(X)                                                                              \
    X(points, dlp_cloth_contact_point) /* of this step */                                                    \
    X(has_contact, uint8_t)            /* per particle: with cloth, in this step */
typedef struct dlp_cloth_self_contacts {
    int32_t count;        /* of points */
    int64_t impact_count; /* since the start: for tests and reports */
    DLP_CLOTH_SELF_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_self_contacts;

/* Contact springs of the next solve. */
#define DLP_CLOTH_SPRING_FIELDS(X)                                                                           \
    X(has_spring, uint8_t, 1)   /* per particle */                                                           \
    X(diagonal, double, 6)      /* kg: their part of the matrix's diagonal; valid where has_spring */        \
    X(is_supported, uint8_t, 1) /* it lies on a triangle: drop_redundant */
#define DLP_CLOTH_SPRING_POOLS(X)                                                                            \
    X(items, dlp_contact_spring)                                                                             \
    X(keys, uint64_t) /* a hash table of which there are; 0: empty */
typedef struct dlp_cloth_springs {
    int32_t count, review_count;
    uint64_t hash; /* which they are, as a sum of hashes */
    DLP_CLOTH_ARRAYS(DLP_CLOTH_SPRING_FIELDS)
    DLP_CLOTH_SPRING_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_springs;

/* Rigid zones, the last resort. */
#define DLP_CLOTH_ZONE_FIELDS(X)                                                                             \
    X(zone, int32_t, 1)    /* per particle: as a forest; -1: none */                                         \
    X(members, int32_t, 1) /* particles that are in a zone, ascending */                                     \
    X(keys, uint64_t, 1)   /* of the members: root, then particle; zone after zone */
typedef struct dlp_cloth_zones {
    int64_t count; /* moved since the start: for tests and reports */
    DLP_CLOTH_ARRAYS(DLP_CLOTH_ZONE_FIELDS)
} dlp_cloth_zones;

/* Per particle: who comes to rest in contact. */
#define DLP_CLOTH_SETTLE_FIELDS(X)                                                                           \
    X(comes_to_rest, uint8_t, 1)     /* after this step */                                                   \
    X(group, int32_t, 1)             /* what hangs or lies together with it, as a forest */                  \
    X(restless, int32_t, 1)          /* particles that touch cloth and do not rest, ascending */             \
    X(is_group_restless, uint8_t, 1) /* of a root: its group has one of these */
typedef struct dlp_cloth_settling {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_SETTLE_FIELDS)
} dlp_cloth_settling;

/* What the air does: with its wind, follows from the state. */
#define DLP_CLOTH_AIR_FIELDS(X)                                                                              \
    X(force, double, 3)   /* N, on a particle */                                                             \
    X(damping, double, 6) /* N s/m, of a particle: xx yy zz xy xz yz */
typedef struct dlp_cloth_air {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_AIR_FIELDS)
} dlp_cloth_air;
#define DLP_CLOTH_DRAG_FIELDS(X)                                                                             \
    X(force, dlp_vec3, 1) /* N, on a third of a triangle */                                                  \
    X(damping, double, 6) /* N s/m, likewise */
typedef struct dlp_cloth_drag {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_DRAG_FIELDS)
} dlp_cloth_drag;

/* Made anew: in a step, or where it does not hold any more. */
typedef struct dlp_cloth_contact_scratch {
    dlp_cloth_obstacle_contacts obstacles;
    dlp_cloth_contact_bodies bodies;
    dlp_cloth_contact_loads loads;
    dlp_cloth_inner_contacts inner;
    dlp_cloth_facets facets;
    dlp_cloth_tree tree;
    dlp_cloth_pairs pairs;
    dlp_cloth_self_contacts self;
    dlp_cloth_springs springs;
    dlp_cloth_zones zones;
    dlp_cloth_settling settling;
    dlp_cloth_drag drag;
    dlp_cloth_air air;
} dlp_cloth_contact_scratch;

typedef struct dlp_cloth_contact {
    dlp_cloth_contact_params params;
    dlp_cloth_contact_state state;
    dlp_cloth_contact_scratch scratch;
} dlp_cloth_contact;

#endif
