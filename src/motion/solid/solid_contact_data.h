/* What contacts of solids are made of: who takes part, who is near whom, who touches, and what that asks of
 * them. One struct per part, each with the list of its arrays. */
#ifndef DLP_MOTION_SOLID_CONTACT_DATA_H
#define DLP_MOTION_SOLID_CONTACT_DATA_H

#include "base/vec.h"
#include "base/wide.h"
#include "motion/solid/solid_arrays.h"
#include "space/sort.h"

/* Two particles that may come near one another, as places in the contact layer; `first` is the smaller. */
typedef struct dlp_solid_pair {
    int32_t first, second;
    float distance; /* m: that their centres keep */
    float sideways; /* m: so far apart their surfaces face one another; 0: they meet as spheres */
} dlp_solid_pair;

/* Which way the matter ends at a particle. The flatter the surface, the more its direction counts. */
typedef struct dlp_solid_facing {
    dlp_vec3 normal; /* unit, outward; at rest, or as the particle has turned */
    double weight;   /* 0: no such direction */
} dlp_solid_facing;

/* Two particles that touch in this sub-step. */
typedef struct dlp_solid_contact_hit {
    int32_t pair;
    float normal[3]; /* toward the first */
} dlp_solid_contact_hit;

/* What eight contacts have done so far, of places or of velocities: m, or m/s. */
typedef struct dlp_solid_contact_answer {
    float violation[DLP_LANES];   /* how much too near the two are, before the first iteration */
    float slip[3][DLP_LANES];     /* how far the first slips past the second, likewise */
    float normal[DLP_LANES];      /* moved apart along the normal */
    float friction[3][DLP_LANES]; /* the first moved by friction */
} dlp_solid_contact_answer;

/* Eight contacts. Lanes without one write to the slot behind the last. All rows are of DLP_LANES numbers. */
typedef struct dlp_solid_contact_block {
    int32_t particle[2][DLP_LANES];    /* places in the contact layer */
    int32_t slot[2][DLP_LANES];        /* where their particles find what they ask for */
    float normal[3][DLP_LANES];        /* toward the first */
    float friction[DLP_LANES];         /* Coulomb */
    float share[2][DLP_LANES];         /* of a change apart that each takes: w_i / (w_i + w_j) */
    float factor[DLP_LANES];           /* of what is missing that an iteration mends: so many others wait */
    dlp_solid_contact_answer position; /* m */
    dlp_solid_contact_answer velocity; /* m/s; starts with the velocities that belong to `position` */
} dlp_solid_contact_block;

/* A particle of the contact layer in its cell, and what tells whom it may meet. */
typedef struct dlp_solid_grid_candidate {
    float rest[3], reach; /* m */
    int32_t contact_layer, substance;
    int32_t kind;
} dlp_solid_grid_candidate;
/* Bits of a candidate's kind: it is below the surface and meets only what has come through; it has lost a
 * link. */
enum { DLP_CONTACT_INNER = 1, DLP_CONTACT_CUT = 2 };

/* Holds all places of a particle in a sub-step. */
typedef struct dlp_solid_swept_sphere {
    float x, y, z, radius; /* m: from where the first of the contact layer was */
} dlp_solid_swept_sphere;

/* How a particle goes and what it shows. */
typedef struct dlp_solid_contact_motion {
    float half[3];      /* m: from the middle of its path to the end */
    float inverse_mass; /* 1/kg */
    float facing[3];    /* its facing now, times the weight */
    float weight;
} dlp_solid_contact_motion;

/* A candidate that looks for others. */
typedef struct dlp_solid_grid_query {
    float x, y, z, rest_x, rest_y, rest_z; /* m */
    float reach;                           /* m: at which it may touch others, less their bounds */
    float apart;                           /* m: at rest from what it may touch of its own body */
    int32_t body, kind;
} dlp_solid_grid_query;

typedef float dlp_solid_float4[4];

/* What an array of contacts has one item for. Those per place have eight more, for loads beyond the end. */
typedef enum dlp_contact_per {
    DLP_CONTACT_PER_PLACE,    /* in the contact layer */
    DLP_CONTACT_PER_CHUNK,    /* of the candidates */
    DLP_CONTACT_PER_CELL,     /* of the grid */
    DLP_CONTACT_PER_SORTED,   /* place, for the sorter */
    DLP_CONTACT_PER_PAIR,     /* chunk_capacity of each chunk */
    DLP_CONTACT_PER_BLOCK,    /* of eight contacts */
    DLP_CONTACT_PER_SLOT,     /* two per contact, and one for empty lanes */
    DLP_CONTACT_PER_PARTICLE, /* of all solids */
    DLP_CONTACT_PER_BODY,     /* obstacle */
    DLP_CONTACT_PER_COUNT
} dlp_contact_per;

/* Who takes part in contacts: follows from layers, links and fragments (dlp_solid_contact_rebuild). */
#define DLP_CONTACT_LAYER_ARRAYS(X)                                                                          \
    X(particle, int32_t, 1, DLP_CONTACT_PER_PLACE) /* of the layers that touch others, ascending */          \
    X(rest_facing, dlp_solid_facing, 1, DLP_CONTACT_PER_PLACE)                                               \
    X(kind, int32_t, 1, DLP_CONTACT_PER_PLACE) /* DLP_CONTACT_INNER, DLP_CONTACT_CUT */
typedef struct dlp_solid_contact_layer {
    DLP_CONTACT_LAYER_ARRAYS(DLP_SOLID_MEMBER)
    int32_t count;
    double widest; /* m: the largest spacing */
} dlp_solid_contact_layer;

/* How they move in this sub-step. */
#define DLP_CONTACT_PATH_ARRAYS(X)                                                                           \
    X(from, dlp_vec3, 1, DLP_CONTACT_PER_PLACE)                    /* m: where the sub-step began */         \
    X(to, dlp_vec3, 1, DLP_CONTACT_PER_PLACE)                      /* m: where the sweeps left it */         \
    X(spheres, dlp_solid_swept_sphere, 1, DLP_CONTACT_PER_PLACE)   /* of those that are in a pair */         \
    X(motions, dlp_solid_contact_motion, 1, DLP_CONTACT_PER_PLACE) /* likewise */
typedef struct dlp_solid_contact_paths {
    DLP_CONTACT_PATH_ARRAYS(DLP_SOLID_MEMBER)
} dlp_solid_contact_paths;

/* How far everybody may go before the pairs are found anew. */
#define DLP_CONTACT_BOUND_ARRAYS(X)                                                                          \
    X(centre, dlp_vec3, 1, DLP_CONTACT_PER_PLACE) /* m */                                                    \
    X(radius, float, 1, DLP_CONTACT_PER_PLACE)    /* m */
typedef struct dlp_solid_contact_bounds {
    DLP_CONTACT_BOUND_ARRAYS(DLP_SOLID_MEMBER)
    dlp_vec3 shift;      /* m: by which all bounds have moved */
    dlp_vec3 drift;      /* m/s: with which they do */
    int32_t age;         /* sub-steps since they were made */
    int32_t brief_count; /* so many more times they are made for one sub-step alone */
} dlp_solid_contact_bounds;

/* The candidates as a search sees them: cell by cell, or some of them; eight more than there are can be read.
 */
#define DLP_CONTACT_GRID_PLACE_ARRAYS(X)                                                                     \
    X(x, float, 1, DLP_CONTACT_PER_PLACE) /* m: from `origin`, as y and z */                                 \
    X(y, float, 1, DLP_CONTACT_PER_PLACE)                                                                    \
    X(z, float, 1, DLP_CONTACT_PER_PLACE)                                                                    \
    X(bound_radius, float, 1, DLP_CONTACT_PER_PLACE) /* m: that they may move */                             \
    X(rest_x, float, 1, DLP_CONTACT_PER_PLACE)       /* m: as rest_y and rest_z */                           \
    X(rest_y, float, 1, DLP_CONTACT_PER_PLACE)                                                               \
    X(rest_z, float, 1, DLP_CONTACT_PER_PLACE)                                                               \
    X(body, int32_t, 1, DLP_CONTACT_PER_PLACE)                                                               \
    X(kind, int32_t, 1, DLP_CONTACT_PER_PLACE)
typedef struct dlp_solid_grid_places {
    DLP_CONTACT_GRID_PLACE_ARRAYS(DLP_SOLID_MEMBER)
} dlp_solid_grid_places;

/* A grid of cells that repeats in space, in which pairs are looked for. */
#define DLP_CONTACT_GRID_ARRAYS(X)                                                                           \
    X(cell_of, int32_t, 1, DLP_CONTACT_PER_PLACE)                                                            \
    X(candidate_of, int32_t, 1, DLP_CONTACT_PER_PLACE) /* its number in the order of the cells */            \
    X(candidates, dlp_solid_grid_candidate, 1, DLP_CONTACT_PER_PLACE) /* in that order */                    \
    X(cell_begin, int32_t, 1, DLP_CONTACT_PER_CELL) /* first candidate of a cell; one more than cells */     \
    X(sort_memory, uint8_t, DLP_SORT_BYTES, DLP_CONTACT_PER_SORTED) /* of the sorter's arrays */
typedef struct dlp_solid_contact_grid {
    DLP_CONTACT_GRID_ARRAYS(DLP_SOLID_MEMBER)
    dlp_solid_grid_places places;
    dlp_sorter sorter; /* of the candidates into cells */
    dlp_vec3 origin;   /* m */
    double cell;       /* m: edge */
    int32_t cell_bits; /* 2^bits cells along each axis, over and over again */
} dlp_solid_contact_grid;

/* Who may come near whom as long as nobody leaves his bound, and which of them touch in this sub-step. */
#define DLP_CONTACT_PAIR_ARRAYS(X)                                                                           \
    X(items, dlp_solid_pair, 1, DLP_CONTACT_PER_PAIR)                                                        \
    X(hits, dlp_solid_contact_hit, 1, DLP_CONTACT_PER_PAIR)                                                  \
    X(count, int32_t, 1, DLP_CONTACT_PER_CHUNK) /* pairs of a chunk */                                       \
    X(hit_count, int32_t, 1, DLP_CONTACT_PER_CHUNK)                                                          \
    X(hit_begin, int32_t, 1, DLP_CONTACT_PER_CHUNK) /* first contact of a chunk; one more than chunks */     \
    X(is_near, dlp_solid_atomic_flag, 1, DLP_CONTACT_PER_PLACE) /* it is in a pair */
typedef _Atomic uint8_t dlp_solid_atomic_flag;
typedef struct dlp_solid_contact_pairs {
    DLP_CONTACT_PAIR_ARRAYS(DLP_SOLID_MEMBER)
    int32_t chunk_capacity; /* pairs that a chunk has room for */
    bool is_built;          /* the bounds and pairs are those of the present contact layer */
} dlp_solid_contact_pairs;

/* Where a particle finds what its contacts ask of it, in the order of the other particles. */
#define DLP_CONTACT_SLOT_ARRAYS(X)                                                                           \
    X(begin, int32_t, 1, DLP_CONTACT_PER_PLACE)   /* first slot of a particle; one more than places */       \
    X(waiting, int32_t, 1, DLP_CONTACT_PER_PLACE) /* contacts of a particle that have no slot yet */         \
    X(active, int32_t, 1, DLP_CONTACT_PER_PLACE)  /* the places with contacts, ascending */                  \
    X(key, int64_t, 1, DLP_CONTACT_PER_SLOT) /* the other particle, the contact, the side, as one number */
typedef struct dlp_solid_contact_slots {
    DLP_CONTACT_SLOT_ARRAYS(DLP_SOLID_MEMBER)
    int32_t active_count;
} dlp_solid_contact_slots;

/* What contacts read and write. */
#define DLP_CONTACT_BLOCK_ARRAYS(X)                                                                          \
    X(blocks, dlp_solid_contact_block, 1, DLP_CONTACT_PER_BLOCK)                                             \
    /* of an active place */                                                                                 \
    X(moved, dlp_solid_float4, 1, DLP_CONTACT_PER_PLACE)            /* m: by its contacts so far */          \
    X(velocities, dlp_solid_float4, 1, DLP_CONTACT_PER_PLACE)       /* m/s: after the sweeps */              \
    X(last_velocities, dlp_solid_float4, 1, DLP_CONTACT_PER_PLACE)  /* m/s: as the sub-step began */         \
    X(velocity_changes, dlp_solid_float4, 1, DLP_CONTACT_PER_PLACE) /* m/s: by its contacts so far */        \
    /* of a slot; the first two are of the present iteration */                                              \
    X(position_corrections, dlp_solid_float4, 1, DLP_CONTACT_PER_SLOT)     /* m */                           \
    X(velocity_corrections, dlp_solid_float4, 1, DLP_CONTACT_PER_SLOT)     /* m/s */                         \
    X(impact_corrections, dlp_solid_float4, 1, DLP_CONTACT_PER_SLOT)       /* m/s: of the velocity before */ \
    X(displacement_corrections, dlp_solid_float4, 1, DLP_CONTACT_PER_SLOT) /* m: of the path gone */
typedef struct dlp_solid_contact_blocks {
    DLP_CONTACT_BLOCK_ARRAYS(DLP_SOLID_MEMBER)
    int32_t count;   /* contacts */
    float step, tau; /* s */
} dlp_solid_contact_blocks;

/* How far obstacles are, and where. */
#define DLP_CONTACT_OBSTACLE_ARRAYS(X)                                                                       \
    X(clearance, float, 1, DLP_CONTACT_PER_PARTICLE)  /* m: no obstacle is nearer; 0 where nobody knows */   \
    X(held, double, 3, DLP_CONTACT_PER_PARTICLE)      /* m: by contacts between sweeps; else 0 */            \
    X(before, dlp_transform, 1, DLP_CONTACT_PER_BODY) /* as this sub-step begins */                          \
    X(after, dlp_transform, 1, DLP_CONTACT_PER_BODY)  /* as it ends */
typedef struct dlp_solid_obstacle_contacts {
    DLP_CONTACT_OBSTACLE_ARRAYS(DLP_SOLID_MEMBER)
} dlp_solid_obstacle_contacts;

#endif
