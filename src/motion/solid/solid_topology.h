/* What hangs together with what: all that follows from the scene and the state. It is made at birth and after
 * a load, and brought up to date by a cut. */
#ifndef DLP_MOTION_SOLID_TOPOLOGY_H
#define DLP_MOTION_SOLID_TOPOLOGY_H

#include "base/wide.h"
#include "motion/solid/solid_arrays.h"
#include "motion/solid/solid.h"

enum { DLP_COLORS = 8, DLP_STENCIL_LIMIT = 64 };

/* Rest neighbours of every particle, as a view: slots begin[i] .. begin[i + 1] - 1. Where a link was cut, the
 * slot has another neighbour or -1. */
typedef struct dlp_rest_links {
    const int32_t *begin;
    int32_t *neighbour;   /* now: state */
    const int32_t *first; /* before any cut */
    int32_t count;
} dlp_rest_links;

/* The order of the sweeps. */

/* A rest neighbour of each of eight particles: F = sum (x_j - x_i) b_j^T. Where a lane has no more, its own
 * particle with b = 0 and an offset at which the hourglass weight is 0. */
typedef struct dlp_solid_link {
    int32_t particle[DLP_LANES];
    float b[3][DLP_LANES];      /* 1/m */
    float offset[3][DLP_LANES]; /* m: X_j - X_i */
} dlp_solid_link;

/* Constraints of eight blocks that share no particle, solved at once: each of a particle and its links, or of
 * a tetrahedron, its first corner and the links to the others. A lane without one has a node of its own that
 * is held. Symmetric matrices: xx yy zz xy xz yz. */
typedef struct dlp_solid_row {
    int32_t particle[DLP_LANES];
    int32_t own[DLP_LANES];  /* whose rotation and plastic strain it has: the particle's, the tetrahedron's */
    float volume[DLP_LANES]; /* m3 at rest */
    float missing[6][DLP_LANES];    /* projector onto the directions in which there are no neighbours */
    float spread[6][DLP_LANES];     /* M = sum w b b^T, 1/(kg m2): dlp_solid_set_row_mass */
    float reach[DLP_LANES];         /* m2: square of the support */
    float weight[DLP_LANES];        /* 1/m6: the hourglass weight is weight (reach - offset^2)^2 */
    float multiplier[9][DLP_LANES]; /* scratch of the sweeps, which stream the rows: -dt^2 V P, J, by rows;
                                       of a scalar constraint the first number alone */
    int32_t first_link, link_count;
    bool has_missing; /* in any lane */
    bool has_tied;    /* likewise: a held particle, where some are tied to bodies; dlp_solid_set_row_mass */
} dlp_solid_row;

/* Hourglass multipliers of a link, kg m: scratch of the sweeps. */
typedef float dlp_solid_spring[3][DLP_LANES];

/* Rows of eight blocks: solved one after the other, by one thread. */
typedef struct dlp_solid_group {
    int32_t first_row, row_count;
    int32_t substance;
} dlp_solid_group;

enum { DLP_COLORING_PER_ROW, DLP_COLORING_PER_LINK, DLP_COLORING_PER_GROUP, DLP_COLORING_PER_COUNT };
#define DLP_COLORING_ARRAYS(X)                                                                               \
    X(rows, dlp_solid_row, 1, DLP_COLORING_PER_ROW)                                                          \
    X(links, dlp_solid_link, 1, DLP_COLORING_PER_LINK)                                                       \
    X(springs, dlp_solid_spring, 1, DLP_COLORING_PER_LINK)                                                   \
    X(groups, dlp_solid_group, 1, DLP_COLORING_PER_GROUP)

/* Groups by colour. Those of one colour share no particle. */
typedef struct dlp_constraint_coloring {
    DLP_COLORING_ARRAYS(DLP_SOLID_MEMBER)
    int32_t row_count, link_count, group_count;
    int32_t color_begin[DLP_COLORS + 1]; /* in groups */
    int32_t capacity[DLP_COLORING_PER_COUNT];
} dlp_constraint_coloring;

/* Other constraints in the place of the particles' own in the sweeps, such as the tetrahedra that validation/
 * compares particles with. No checkpoint holds them. */
typedef struct dlp_solid_mesh {
    int32_t constraint_count;
    float *rotations; /* state: as of particles, one per constraint; after them those of empty lanes */
    float *plastic;   /* likewise */
    dlp_constraint_coloring coloring;
} dlp_solid_mesh;

/* Fragments, loads and ties. */

/* A run of particles of one fragment. */
typedef struct dlp_solid_segment {
    int32_t fragment, begin, end;
} dlp_solid_segment;

/* A particle on which a load of the scene acts. */
typedef struct dlp_loaded {
    int32_t particle, load;
    dlp_vec3 area; /* m2 at rest, outward; 0 inside */
} dlp_loaded;

#define DLP_SOLID_TOPOLOGY_ARRAYS(X)                                                                         \
    X(link_begin, int32_t, 1, DLP_PER_PARTICLE)  /* and one more: as `begin` of dlp_rest_links */            \
    X(first_neighbour, int32_t, 1, DLP_PER_LINK) /* as `first` of dlp_rest_links */                          \
    X(fragment, int32_t, 1, DLP_PER_PARTICLE)    /* what hangs together now: 0 .. fragment_count - 1 */      \
    X(segments, dlp_solid_segment, 1, DLP_PER_SEGMENT) /* of all particles, in their order */                \
    X(loaded, dlp_loaded, 1, DLP_PER_LOADED)           /* by particle, then by load */                       \
    X(load_mass, double, 1, DLP_PER_LOAD)              /* kg: of all particles of a load */                  \
    X(tied, int32_t, 1, DLP_PER_TIED)             /* particles that attachments tie to bodies, ascending */  \
    X(clamp_holder, int32_t, 1, DLP_PER_PARTICLE) /* while this one is held, part of it is; -1: none */      \
    X(clamp_share, float, 1, DLP_PER_PARTICLE)    /* of its volume that is strained then; in (0, 1] */

typedef struct dlp_solid_topology {
    DLP_SOLID_TOPOLOGY_ARRAYS(DLP_SOLID_MEMBER)
    int32_t link_count;
    int32_t body_count; /* what hangs together at rest */
    int32_t fragment_count, segment_count;
    int32_t loaded_count, tied_count;
    double clamp_reach;               /* m: by which links to what was moved may be longer than others */
    dlp_constraint_coloring coloring; /* of the particles' own constraints */
    dlp_solid_mesh *mesh;             /* borrowed; NULL: the particles' own constraints are solved */
} dlp_solid_topology;

/* The copy of its shape that each particle was made with, while solids are made. */
typedef struct dlp_solid_copies {
    int32_t *of;
    int32_t capacity, count;
} dlp_solid_copies;

/* solid_fill.c: fills the shape of a substance, copy by copy. */
dlp_status dlp_solid_fill(dlp_solid *solid, int32_t substance, dlp_solid_copies *copies, dlp_error *error);
/* Bodies that start smaller than they are at rest. */
dlp_status dlp_solid_squeeze(dlp_solid *solid, dlp_error *error);

/* solid_prune_fill.c: takes particles out of a fill that would dangle or fall off; the total volume stays. */
dlp_status dlp_solid_prune_fill(const dlp_solid *solid, int32_t substance, const dlp_shape *shape,
                                dlp_fill *fill, dlp_error *error);

/* solid_rest_links.c: who is whose neighbour at rest, among the particles of one copy. */
dlp_status dlp_solid_find_links(dlp_solid *solid, const dlp_solid_copies *copies, dlp_error *error);

/* solid_fragments.c: what hangs together before any cut: the particles' bodies. */
dlp_status dlp_solid_find_bodies(dlp_solid *solid, dlp_error *error);
/* What hangs together now: fragments and their segments. Both are numbered by their first particles. */
dlp_status dlp_solid_find_fragments(dlp_solid *solid, dlp_error *error);

/* solid_loads.c: who is loaded. */
dlp_status dlp_solid_find_loads(dlp_solid *solid, dlp_error *error);

/* solid_body_loads.c: who is tied to bodies. */
dlp_status dlp_solid_find_tied(dlp_solid *solid, dlp_error *error);

/* solid_overlap.c: tells which solids start inside one another. */
dlp_status dlp_solid_warn_of_tangles(const dlp_solid *solid, dlp_error *error);

/* solid_clamp.c: moves what attachments hold from the start onto their faces. */
dlp_status dlp_solid_find_clamps(dlp_solid *solid, dlp_error *error);

/* solid_stencil.c: the coefficients b and weights of particle i from its links that are not cut. */
typedef struct dlp_stencil {
    int32_t centre, count;
    double volume; /* m3 */
    int32_t neighbour[DLP_STENCIL_LIMIT];
    dlp_vec3 offset[DLP_STENCIL_LIMIT], b[DLP_STENCIL_LIMIT];
    double missing[6]; /* projector onto directions without neighbours */
    double reach;      /* m2 */
    double weight;     /* 1/m6 */
} dlp_stencil;
void dlp_solid_stencil(const dlp_solid *solid, int32_t i, dlp_stencil *out_stencil);

/* solid_constraint_coloring.c: rows, groups and colours of constraints from the rest shape. */
typedef struct dlp_constraint_info { /* a constraint as the order sees it */
    int32_t particle;                /* of whose body and substance it is */
    int32_t link_count;
    dlp_vec3 at; /* m: at rest */
    double edge; /* m: of blocks of which every other one shares no particle */
} dlp_constraint_info;
typedef struct dlp_constraints { /* what is ordered */
    int32_t count;
    dlp_constraint_info (*info)(const dlp_solid *solid, int32_t constraint);
    void (*stencil)(const dlp_solid *solid, int32_t constraint, dlp_stencil *out_stencil);
} dlp_constraints;
dlp_status dlp_constraint_coloring_make(dlp_solid *solid, const dlp_constraints *constraints,
                                        dlp_constraint_coloring *coloring, dlp_error *error);
void dlp_constraint_coloring_release(dlp_constraint_coloring *coloring);
/* That of the particles' own constraints. */
dlp_status dlp_solid_color_constraints(dlp_solid *solid, dlp_error *error);
/* Fills the lanes of particles that lost a link anew. */
void dlp_solid_refill_rows(dlp_solid *solid);
/* solid_constraint_mass.c: the parts of the rows that depend on masses. */
void dlp_solid_set_constraint_masses(dlp_solid *solid);
void dlp_solid_set_row_mass(const dlp_solid *solid, const dlp_constraint_coloring *coloring,
                            dlp_solid_row *row);

#endif
