/* The cloth solver from the inside: what its files share. */
#ifndef DLP_MOTION_CLOTH_SOLVER_H
#define DLP_MOTION_CLOTH_SOLVER_H

#include "matter/cloth_energy.h"
#include "motion/attachments.h"
#include "motion/cloth/cloth_contact.h"
#include "motion/cloth/cloth_system.h"

/* Parameters. */

#define DLP_CLOTH_SUBSTANCE_FIELDS(X)                                                                        \
    X(fabrics, dlp_fabric, 1) /* dlp_cloth_set_fabrics */                                                    \
    X(spacing, double, 1)     /* m */

/* What is constant during a step. Fabrics follow the conditions before each; elements at rest are those that
 * the solver was made with. */
typedef struct dlp_cloth_params {
    dlp_solver_context context; /* of the world; the next four are shorter names of parts of it */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise */
    dlp_team *team;
    dlp_target target;
    DLP_CLOTH_ARRAYS(DLP_CLOTH_SUBSTANCE_FIELDS) /* one per substance of the scene */
    bool is_first_order;                         /* every step is backward Euler's: to compare */
    bool is_paper_form;                          /* a fabric asks for a paper form of restraint */
    double solve_tolerance;                      /* relative, of the residual; 0: the usual one */
    dlp_cloth_triangles triangles;
    dlp_cloth_lines lines;
    dlp_cloth_links links;
} dlp_cloth_params;

/* State. */

/* The tick of the inner clock: a step is STEP_TICKS of them, less where it must be repeated smaller. */
enum { DLP_CLOTH_STEP_TICKS = 256 };

typedef struct dlp_cloth_clock {
    double start, end;  /* s: the interval */
    int32_t step_count; /* equal steps it is cut into */
    int32_t step;       /* steps done */
    int32_t tick;       /* done of the present step: 0 .. DLP_CLOTH_STEP_TICKS - 1; a multiple of stride */
    int32_t stride;     /* ticks tried next: a power of two, at most DLP_CLOTH_STEP_TICKS */
    int32_t is_cut;     /* the interval ends before the step would: the step is as long as is left */
} dlp_cloth_clock;

typedef struct dlp_cloth_counts { /* since the span began */
    int64_t substeps, force_evaluations, full_evaluations, solves, iterations, products;
    double dt_min, dt_max; /* s */
} dlp_cloth_counts;

/* Exactly what a checkpoint holds (cloth_checkpoint.c), beside the contacts' own. */
typedef struct dlp_cloth_state {
    dlp_cloth_particles particles;
    dlp_cloth_corners corners; /* of the triangles */
    dlp_cloth_ends ends;       /* of the links */
    int64_t next_id;
    double last_step;              /* s: that last_change and last_path are of; 0: the motion begins; or: */
#define DLP_CLOTH_DISTURBED (-1.0) /* nothing follows from them */
    dlp_cloth_clock clock;
    dlp_cloth_counts counts;
} dlp_cloth_state;

/* What follows from the state: dlp_cloth_connect. */

/* A hinge: two triangles that share an edge (0, 1); 2 and 3 are opposite. Which sides of theirs that is. */
typedef struct dlp_cloth_hinge {
    int32_t corner[4];
    int32_t triangle[2], side[2];
    double rest_angle; /* rad */
} dlp_cloth_hinge;

/* The curvature of a triangle of a mesh, from the angles of the hinges around it: of its own sides 0 to 2,
 * and 3 + 2 k and 4 + 2 k those of the triangle beyond side k. */
enum { DLP_CURVATURE_HINGES = 9, DLP_CURVATURE_CORNERS = 12 };
typedef struct dlp_cloth_curvature {
    int32_t triangle;
    int32_t hinge[DLP_CURVATURE_HINGES]; /* -1: none */
    int32_t corner_count;
    int32_t corner[DLP_CURVATURE_CORNERS];                       /* particles of its hinges, each once */
    uint8_t place[DLP_CURVATURE_HINGES][4];                      /* of a hinge's corners among them */
    uint16_t slot[DLP_CURVATURE_CORNERS][DLP_CURVATURE_CORNERS]; /* of one corner in the row of another */
    double share[3][5];                                          /* of a side's bend: dlp_side_bend */
    double tensor[3][3]; /* 1/m: of the curvature per bend of a side; dlp_free_edges */
    double stiffness;    /* J m2: of the curvature's square */
} dlp_cloth_curvature;

/* A cell of a grid: its corners 0 and 1 against 2 and 3. */
typedef struct dlp_cloth_twist {
    int32_t corner[4];
    double stiffness; /* N/m, of the difference of their sums */
} dlp_cloth_twist;

/* Three particles of a rope or of a line of a grid, bent at the middle one. */
typedef struct dlp_cloth_bend {
    int32_t corner[3];
    double length[2]; /* m at rest */
    double stiffness; /* N m, of the change of the unit tangent */
} dlp_cloth_bend;

typedef enum dlp_element_kind {
    DLP_ELEMENT_TRIANGLE,
    DLP_ELEMENT_CURVATURE,
    DLP_ELEMENT_TWIST,
    DLP_ELEMENT_LINK,
    DLP_ELEMENT_BEND,
    DLP_ELEMENT_KINDS
} dlp_element_kind;

/* A particle's part in an element: which corner it is, and where in its row of the matrix the corners stand;
 * of curvatures, they know. */
typedef struct dlp_incidence {
    int32_t element;
    uint8_t kind, corner;
    uint16_t slot[4];
} dlp_incidence;

#define DLP_CLOTH_CONNECTIVITY_POOLS(X)                                                                      \
    X(hinges, dlp_cloth_hinge)                                                                               \
    X(side_hinges, int32_t) /* 3 per triangle: hinge of a side; -1: none */                                  \
    X(curvatures, dlp_cloth_curvature)                                                                       \
    X(twists, dlp_cloth_twist)                                                                               \
    X(bends, dlp_cloth_bend)                                                                                 \
    X(incidence_begin, int32_t) /* of a particle; particle count + 1 */                                      \
    X(incidences, dlp_incidence)
typedef struct dlp_cloth_connectivity {
    int32_t hinge_count, curvature_count, twist_count, bend_count;
    DLP_CLOTH_CONNECTIVITY_POOLS(DLP_CLOTH_DECLARE_POOL)
    dlp_cloth_matrix matrix;
} dlp_cloth_connectivity;

/* Scratch. */

/* What an element computes once, and its particles gather: the energy's gradient, N, and the element's share
 * of the matrix, kg. Elements none of whose corners moved keep theirs. */
typedef struct dlp_triangle_terms {
    dlp_membrane_force force;
    dlp_membrane_hessian matrix;
} dlp_triangle_terms;
typedef struct dlp_hinge_terms { /* no element of its own */
    dlp_vec3 gradient[4];
    double angle, rate; /* rad, beyond that at rest; rad/s */
} dlp_hinge_terms;
typedef struct dlp_curvature_terms {
    dlp_vec3 gradient[DLP_CURVATURE_CORNERS][3]; /* 1/m2: of xx, yy and sqrt(2) xy to a corner's place */
    double force[3], matrix;
} dlp_curvature_terms;
typedef struct dlp_link_terms {
    dlp_vec3 force;
    dlp_sym3 matrix;
} dlp_link_terms;
typedef struct dlp_bend_terms { /* of a twist, too */
    dlp_vec3 force;
    double matrix;
} dlp_bend_terms;

#define DLP_CLOTH_TERM_POOLS(X)                                                                              \
    X(triangles, dlp_triangle_terms)                                                                         \
    X(hinges, dlp_hinge_terms)                                                                               \
    X(curvatures, dlp_curvature_terms)                                                                       \
    X(twists, dlp_bend_terms)                                                                                \
    X(links, dlp_link_terms)                                                                                 \
    X(bends, dlp_bend_terms)
typedef struct dlp_cloth_terms {
    DLP_CLOTH_TERM_POOLS(DLP_CLOTH_DECLARE_POOL)
    double built_step; /* s: that they and the matrix were made with; 0: none */
} dlp_cloth_terms;

/* How a step goes on from the last one; the backward Euler step: carry 0, share 1. */
typedef struct dlp_cloth_order {
    double carry;  /* of what the last step did, again in this one */
    double share;  /* of what this step's forces do */
    bool is_first; /* nothing to go on from: what weight does to places is exact */
} dlp_cloth_order;

/* Per particle: how it moves in a step. */
#define DLP_CLOTH_MOTION_FIELDS(X)                                                                           \
    X(start, double, 3)                 /* m: where it was when the step began */                            \
    X(force, double, 3)                 /* N: elastic; of the places at which its elements were computed */  \
    X(effective, double, 3)             /* m/s: with which it moves when the step begins */                  \
    X(host_force, double, 3)            /* N: what a host adds, while has_host_force */                      \
    X(impulse, double, 3)               /* kg m/s: b, what the step does to it before anything gives way */  \
    X(predicted, double, 3)             /* m: where it would be without this step's forces, where carried */ \
    X(momentum_change, double, 3)       /* kg m/s: dp, what the step does to it; move_all */                 \
    X(target_place, double, 3)          /* m: of what attachments hold */                                    \
    X(effective_quad, double, DLP_QUAD) /* m/s: the effective velocity once more, as products need it */     \
    X(effective_drag, double, DLP_QUAD) /* kg m/s: A effective; of what is near what moves */                \
    X(change_quad, double, DLP_QUAD)    /* m/s: change of velocity by the solve; 0 of what is not free */    \
    X(change_drag, double, DLP_QUAD)    /* kg m/s: A change; of what is near what is free */                 \
    X(is_moving, uint8_t, 1)            /* its effective velocity is not zero */                             \
    X(is_pinned, uint8_t, 1)            /* an attachment moves it in this step */                            \
    X(is_near, uint8_t, 1)   /* it or a neighbour was marked when dlp_cloth_find_near was last called */     \
    X(near_list, int32_t, 1) /* particles that are near; ascending */
typedef struct dlp_cloth_motion {
    dlp_cloth_order order;
    int32_t near_count;
    bool has_host_force; /* a host acts on the cloth in this step: dlp_cloth_find_host_forces */
    DLP_CLOTH_ARRAYS(DLP_CLOTH_MOTION_FIELDS)
} dlp_cloth_motion;

/* Per particle: how freely it moves in a step. */
#define DLP_CLOTH_FREEDOM_FIELDS(X)                                                                          \
    X(speed, double, 1)           /* m/s: |p| / m; of what is held, its own */                               \
    X(gain, double, 1)            /* of its region: 0 held, 1 free */                                        \
    X(scalar_mobility, double, 1) /* its mobility as a number; 0 where it is a matrix */                     \
    X(mobility, double, 6)        /* R: xx yy zz xy xz yz; 1 free, 0 held; of what is free */                \
    X(is_free, uint8_t, 1)        /* in the system of this step */                                           \
    X(is_woken, uint8_t, 1)       /* it rests, and would not after this step */                              \
    X(list, int32_t, 1)           /* what is free, ascending */
typedef struct dlp_cloth_freedom {
    int32_t count; /* of the list */
    DLP_CLOTH_ARRAYS(DLP_CLOTH_FREEDOM_FIELDS)
} dlp_cloth_freedom;

/* A search among neighbours: what it started from and what it has come to. */
#define DLP_CLOTH_SEARCH_FIELDS(X)                                                                           \
    X(is_reached, uint8_t, 1) /* per particle: 1, and 2 once a region has it */                              \
    X(reached, int32_t, 1)    /* in the order in which they were reached */                                  \
    X(region, int32_t, 1)     /* those of one region, likewise */
typedef struct dlp_cloth_search {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_SEARCH_FIELDS)
} dlp_cloth_search;

/* cloth_solve_paper_form.c: its vectors, four numbers per particle; where no fabric asks for a paper form
 * there are none. */
#define DLP_CLOTH_PAPER_FORM_FIELDS(X)                                                                       \
    X(inverse, double, 9)       /* of I + A_ii R / m, by columns */                                          \
    X(x, double, DLP_QUAD)      /* dp */                                                                     \
    X(r, double, DLP_QUAD)      /* residual */                                                               \
    X(shadow, double, DLP_QUAD) /* the first residual */                                                     \
    X(p, double, DLP_QUAD)      /* direction */                                                              \
    X(v, double, DLP_QUAD)      /* (I + A R / m) of it, preconditioned */                                    \
    X(image, double, DLP_QUAD)  /* preconditioned p or r */                                                  \
    X(t, double, DLP_QUAD)      /* (I + A R / m) of r, preconditioned */
typedef struct dlp_cloth_paper_form {
    DLP_CLOTH_ARRAYS(DLP_CLOTH_PAPER_FORM_FIELDS)
} dlp_cloth_paper_form;

/* dlp_cloth_topology_of. */
typedef int32_t dlp_cloth_three[3];
typedef int32_t dlp_cloth_two[2];
#define DLP_CLOTH_EXPORT_POOLS(X)                                                                            \
    X(triangles, dlp_cloth_three)                                                                            \
    X(links, dlp_cloth_two)
typedef struct dlp_cloth_export {
    DLP_CLOTH_EXPORT_POOLS(DLP_CLOTH_DECLARE_POOL)
} dlp_cloth_export;

/* Made anew from the state: in a step, or where it does not hold any more. */
typedef struct dlp_cloth_scratch {
    dlp_cloth_terms terms;
    dlp_cloth_motion motion;
    dlp_cloth_freedom freedom;
    dlp_cloth_search search;
    dlp_cloth_system system;
    dlp_cloth_paper_form paper_form;
    dlp_cloth_export exported;
} dlp_cloth_scratch;

struct dlp_cloth {
    dlp_cloth_params params;
    dlp_cloth_state state;
    dlp_cloth_connectivity connectivity;
    dlp_cloth_scratch scratch;
    dlp_cloth_contact contact; /* with parameters, state and scratch of its own */
};

static inline dlp_vec3 dlp_cloth_get(const double *array, int32_t i)
{
    const double *a = array + 3 * (size_t)i;
    return dlp_vec(a[0], a[1], a[2]);
}
static inline void dlp_cloth_set(double *array, int32_t i, dlp_vec3 v)
{
    double *a = array + 3 * (size_t)i;
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}
static inline const dlp_fabric *dlp_cloth_fabric_of(const dlp_cloth *cloth, int32_t i)
{
    return &cloth->params.fabrics[cloth->state.particles.substance[i]];
}

/* cloth_storage.c: room, and its release. */
dlp_status dlp_cloth_reserve_substances(dlp_cloth *cloth, int32_t count, dlp_error *error);
dlp_status dlp_cloth_reserve_particles(dlp_cloth *cloth, int32_t count, dlp_error *error);
dlp_status dlp_cloth_reserve_triangles(dlp_cloth *cloth, int32_t count, dlp_error *error);
dlp_status dlp_cloth_reserve_lines(dlp_cloth *cloth, int32_t count, dlp_error *error);
dlp_status dlp_cloth_reserve_links(dlp_cloth *cloth, int32_t count, dlp_error *error);
dlp_status dlp_cloth_reserve_blocks(dlp_cloth *cloth, int32_t count, dlp_error *error);
/* ... for the scratch of the particles and elements that there are. */
dlp_status dlp_cloth_reserve_scratch(dlp_cloth *cloth, dlp_error *error);
/* ... and where a fabric asks for a paper form of restraint, for its solver: before each step. */
dlp_status dlp_cloth_reserve_paper_form(dlp_cloth *cloth, dlp_error *error);
void dlp_cloth_release(dlp_cloth *cloth);

/* cloth_fabric.c */
double dlp_cloth_spacing(const dlp_substance_def *def);
void dlp_cloth_set_fabrics(dlp_cloth *cloth);

/* cloth_sheet.c, cloth_mesh.c: add a substance's particles and elements, `offset` from where its shape says.
 */
dlp_status dlp_cloth_add_particle(dlp_cloth *cloth, int32_t substance, dlp_vec3 x, dlp_error *error);
dlp_status dlp_cloth_add_triangle(dlp_cloth *cloth, const dlp_cloth_triangle *triangle,
                                  const int32_t corner[3], dlp_error *error);
dlp_status dlp_cloth_make_sheet(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error);
dlp_status dlp_cloth_make_rope(dlp_cloth *cloth, int32_t substance, dlp_vec3 from, dlp_vec3 to, double width,
                               dlp_error *error);
dlp_status dlp_cloth_make_mesh(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error);

/* cloth_connect.c: hinges, bends, incidences and the matrix's pattern from triangles and links. Again after a
 * tear. */
dlp_status dlp_cloth_connect(dlp_cloth *cloth, dlp_error *error);

/* cloth_curvature.c: of the triangles that have hinges; part of the above. */
dlp_status dlp_cloth_find_curvatures(dlp_cloth *cloth, dlp_error *error);

/* cloth_query.c: its particles as attachments see them. */
dlp_attachment_view dlp_cloth_attachment_view(const dlp_cloth *cloth);

/* cloth_step.c: one step of the clock; *out_is_done false: it failed, and the next try is half as long. */
dlp_status dlp_cloth_step(dlp_cloth *cloth, bool *out_is_done, dlp_error *error);

/* s: the longest step; longer ones that a scene asks for stay stable, but damp what should be seen swinging.
 */
#define DLP_CLOTH_LONGEST_STEP (1.0 / 60)

/* cloth_order.c: of second order in time, where nothing but forces acts. Called with contact springs and
 * gains, before velocities are found. */
void dlp_cloth_choose_order(dlp_cloth *cloth, double step);
/* The rest of the step is backward Euler's. */
void dlp_cloth_drop_order(dlp_cloth *cloth);
/* m/s: how a particle of velocity v that nothing holds would go on without this step's forces. */
dlp_vec3 dlp_cloth_carried_velocity(const dlp_cloth *cloth, int32_t i, dlp_vec3 v, double step);
/* Whether elements are those of the places where the last step's motion leads; else of where all is. */
static inline bool dlp_cloth_is_carried(const dlp_cloth *cloth)
{
    return cloth->scratch.motion.order.carry > 0;
}
/* Once all is done: whether the next step can go on from this one. */
void dlp_cloth_note_order(dlp_cloth *cloth, double step);

/* cloth_region.c: the gain of every particle. */
void dlp_cloth_find_regions(dlp_cloth *cloth, double step);
/* Rings of neighbours that the waves of a step reach. */
int32_t dlp_cloth_reach(const dlp_cloth *cloth, double step);
/* Goes on from what is reached by so many rings of neighbours. Returns how many are reached then. */
int32_t dlp_cloth_widen(dlp_cloth *cloth, int32_t rings);

/* cloth_elements.c: forces and matrices of the elements of moved particles; then the rows and forces of those
 * particles that have one. */
void dlp_cloth_update_elements(dlp_cloth *cloth, double step);
double dlp_cloth_elastic_energy(const dlp_cloth *cloth);

/* cloth_impulse.c: effective velocities and b, given the gains. */
void dlp_cloth_find_velocities(dlp_cloth *cloth, double step);
void dlp_cloth_find_impulses(dlp_cloth *cloth, double step);
/* Who is marked, or has a neighbour that is, or has a contact spring: is_near and near_list. */
void dlp_cloth_find_near(dlp_cloth *cloth, const uint8_t *is_marked);
/* Lists the particles with a flag, ascending; returns how many there are. */
int32_t dlp_cloth_list_flagged(const dlp_cloth *cloth, const uint8_t *flags, int32_t *out_list);

/* cloth_freedom.c: who is free in this step, how mobile, and who is near that. */
void dlp_cloth_find_free(dlp_cloth *cloth, double step);
static inline dlp_sym3 dlp_cloth_mobility_of(const dlp_cloth *cloth, int32_t i)
{
    const double *r = cloth->scratch.freedom.mobility + 6 * (size_t)i;
    return (dlp_sym3){r[0], r[1], r[2], r[3], r[4], r[5]};
}
/* Sets free what the solve has shown to be held too fast, and what is around it: further with each attempt.
 * False: there is none. */
enum { DLP_CLOTH_RELEASE_LIMIT = 3 };
bool dlp_cloth_release_fast(dlp_cloth *cloth, int32_t attempt);

/* cloth_motion.c: the solve for what is free, of which there must be some; false where it fails, and
 * *out_failed then names a particle. */
bool dlp_cloth_solve_free(dlp_cloth *cloth, int32_t *out_failed);
/* dp of a particle that the last solve reached. */
dlp_vec3 dlp_cloth_momentum_change(const dlp_cloth *cloth, int32_t i);
/* p += dp, q += h (s + R dp) / m */
void dlp_cloth_move(dlp_cloth *cloth, double step);

/* cloth_growth.c: whether a stiff thread would lengthen more in this step than the straight lines of a
 * linearised step can mean. */
bool dlp_cloth_is_overstretched(const dlp_cloth *cloth, double step);
/* ... or would, where the last step's motion leads: too far for elements to be made there. */
bool dlp_cloth_is_prediction_far(const dlp_cloth *cloth, double step);

/* cloth_solve_paper_form.c: (I + A R / m) dp = b, which the paper forms of restraint make unsymmetric; the
 * change of velocity R dp / m is then in the motion's change_quad. */
bool dlp_cloth_solve_paper_form(dlp_cloth *cloth);

#endif
