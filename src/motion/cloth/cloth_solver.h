/* The cloth solver from the inside: what its files share. */
#ifndef DLP_MOTION_CLOTH_SOLVER_H
#define DLP_MOTION_CLOTH_SOLVER_H

#include "base/memory.h"
#include "base/parallel.h"
#include "base/target.h"
#include "matter/cloth_energy.h"
#include "motion/attachments.h"
#include "motion/cloth/cloth_contact.h"

/* Vectors of the linear solver hold four numbers a particle, the last of no meaning: one wide register. */
enum { DLP_QUAD = 4 };

/* Three particles of a rope, bent at the middle one. */
typedef struct dlp_cloth_bend {
    int32_t corner[3];
    double length[2]; /* m at rest */
    double stiffness; /* N m, of the change of the unit tangent */
} dlp_cloth_bend;

/* What the rest shape says about the side of a triangle from one corner to the next. */
typedef struct dlp_cloth_side {
    double stiffness;  /* N m: of the hinge there; 0 at an edge of the sheet */
    double rest_angle; /* rad */
} dlp_cloth_side;

typedef enum dlp_element_kind {
    DLP_ELEMENT_TRIANGLE,
    DLP_ELEMENT_HINGE,
    DLP_ELEMENT_LINK,
    DLP_ELEMENT_BEND
} dlp_element_kind;

/* What an element computes once, and its particles gather: the energy's gradient, N, and the element's share
 * of the matrix, kg. Elements none of whose corners moved keep theirs. */
typedef struct dlp_triangle_state {
    dlp_membrane_force force;
    dlp_membrane_hessian matrix;
} dlp_triangle_state;
typedef struct dlp_hinge_state {
    dlp_vec3 gradient[4];
    double force, matrix;
} dlp_hinge_state;
typedef struct dlp_link_state {
    dlp_vec3 force;
    dlp_sym3 matrix;
} dlp_link_state;
typedef struct dlp_bend_state {
    dlp_vec3 force;
    double matrix;
} dlp_bend_state;

/* A particle's part in an element: which corner it is, and where in its row of the matrix the corners stand.
 */
typedef struct dlp_incidence {
    int32_t element;
    uint8_t kind, corner;
    uint16_t slot[4];
} dlp_incidence;

/* The matrix A = h Gamma - h^2 K of all particles as rows of 3 x 3 blocks, each by columns. Rows whose
 * elements did not change stay as they are. */
typedef struct dlp_cloth_matrix {
    int32_t *begin;  /* of a row; count + 1 */
    int32_t *column; /* particle of a block; the first of a row is the row's own */
    double *blocks;  /* kg, 9 a block and a few more at the end */
} dlp_cloth_matrix;

/* The linear system of a step over the particles that may move: (I + C^T A C) z = C^T b, C C^T = R / m.
 * Without restraint C = 1 / sqrt(m). Vectors are indexed by particle, zero where it is not in the list. */
typedef struct dlp_cloth_system {
    const dlp_cloth_matrix *matrix;
    const int32_t *list; /* particles, ascending */
    int32_t count;
    double *factor;  /* C, 9 a particle by columns, 1/sqrt(kg) */
    double *inverse; /* of the diagonal blocks, likewise */
    double *right;   /* C^T b */
    double *z, *r, *y, *p, *w, *q;
    double *partial;                   /* 2 a block of particles: for sums in a fixed order */
    const dlp_contact_spring *springs; /* their part of A, beside the matrix */
    int32_t spring_count;
    const uint8_t *is_free; /* a particle: in the list */
    double tolerance;
    int32_t limit; /* of iterations */
    dlp_team *team;
    dlp_target target;
    int32_t iterations; /* out: made */
    double residual;    /* out: relative */
} dlp_cloth_system;

/* The tick of the inner clock: a step is STEP_TICKS of them, less where it must be repeated smaller. */
enum { DLP_CLOTH_STEP_TICKS = 256 };

typedef struct dlp_cloth_clock {
    double start, end;  /* s: the interval */
    int32_t step_count; /* equal steps it is cut into */
    int32_t step;       /* steps done */
    int32_t tick;       /* done of the present step: 0 .. DLP_CLOTH_STEP_TICKS - 1 */
    int32_t stride;     /* ticks tried next: a power of two */
    int32_t is_cut;     /* the interval ends before the step would: the step is as long as is left */
} dlp_cloth_clock;

typedef struct dlp_cloth_counts { /* of this frame */
    int64_t substeps, force_evaluations, full_evaluations, solves, iterations, products;
    double dt_min, dt_max;
} dlp_cloth_counts;

struct dlp_cloth {
    dlp_solver_context context; /* of the world; what follows are shorter names of parts of it */
    const dlp_scene_def *scene; /* as it is at the present tick */
    const dlp_body *bodies;     /* likewise */
    dlp_team *team;
    dlp_target target;

    /* parameters */
    dlp_fabric *fabrics; /* one a substance of the scene */
    double *spacing;     /* m, likewise */

    /* state */
    dlp_cloth_particles particles;
    dlp_cloth_triangle *triangles;
    dlp_cloth_side *sides; /* 3 a triangle */
    dlp_cloth_link *links;
    int32_t triangle_count, link_count;
    int32_t triangle_capacity, side_capacity, link_capacity;
    int32_t *saved_corners; /* 3 a triangle and a link: what a checkpoint holds of them */
    double *start_place;    /* m, 3 each: where attachments found it */
    double *change;         /* m/s, 3 each: of the velocity in the last step, where the next solve starts */
    int64_t next_id;
    dlp_cloth_clock clock;
    dlp_cloth_counts counts;

    /* follows from the state: dlp_cloth_connect */
    dlp_cloth_hinge *hinges;
    dlp_cloth_bend *bends;
    int32_t hinge_count, hinge_capacity, bend_count, bend_capacity;
    int32_t *incidence_begin;
    dlp_incidence *incidences;
    dlp_cloth_matrix matrix;
    int32_t incidence_capacity, block_capacity, row_capacity;

    /* scratch */
    dlp_triangle_state *triangle_states;
    dlp_hinge_state *hinge_states;
    dlp_link_state *link_states;
    dlp_bend_state *bend_states;
    int32_t triangle_state_capacity, hinge_state_capacity, link_state_capacity, bend_state_capacity;
    int32_t scratch_capacity;
    double *force;     /* N, 3 each: elastic */
    double *effective; /* m/s, 3 each: with which it moves when the step begins */
    double *impulse;   /* kg m/s, 3 each: b, what the step does to its momentum before anything gives way */
    double *speed;     /* m/s: |p| / m; of what is held, its own */
    double *gain;      /* of its region: 0 held, 1 free */
    double *scalar_mobility; /* its mobility as a number; 0 where it is a matrix */
    double *mobility;        /* R, 6 each: xx yy zz xy xz yz; 1 free, 0 held */
    double *target_place;    /* m, 3 each: of what attachments hold */
    uint8_t *is_moved;       /* since its elements were computed */
    uint8_t *is_pinned;      /* in this step */
    uint8_t *is_free;        /* in the system of this step */
    uint8_t *is_woken;       /* it rests, and would not after this step */
    uint8_t *is_marked;      /* for searches among neighbours */
    uint8_t *is_near;        /* it or a neighbour moves: the product with A is not zero */
    uint8_t *is_found;       /* a place each: what a parallel search found, until the next search */
    int32_t *list;           /* free particles */
    int32_t *near_list;
    int32_t list_count, near_count;
    dlp_cloth_system system;
    double *solve_extra;       /* one more of its vectors */
    bool is_paper_form;        /* a fabric asks for a paper form of restraint */
    dlp_cloth_contact contact; /* contacts, wind: with some state of its own */
    double *before;            /* m, 3 each: where the step began */
    int32_t before_capacity;
    double built_step; /* s: that the elements' matrices were made with; 0: none */
    int32_t (*topology_triangles)[3], (*topology_links)[2]; /* dlp_cloth_topology_of */
    int32_t topology_triangle_capacity, topology_link_capacity;
    double solve_tolerance; /* relative, of the residual; 0: the usual one */
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

/* cloth_step.c: one step of the clock; *out_is_done false: it failed, and the next try is half as long. */
dlp_status dlp_cloth_step(dlp_cloth *cloth, bool *out_is_done, dlp_error *error);

/* cloth_growth.c: whether a stiff thread would lengthen more in this step than the straight lines of a
 * linearised step can mean. */
bool dlp_cloth_is_overstretched(const dlp_cloth *cloth, double step);

/* cloth_region.c: the gain of every particle. */
void dlp_cloth_find_regions(dlp_cloth *cloth, double step);
/* Rings of neighbours that the waves of a step reach. */
int32_t dlp_cloth_reach(const dlp_cloth *cloth, double step);
/* Marks what is within `reach` rings of a marked particle. Returns how many are, which `list` then holds. */
int32_t dlp_cloth_widen(dlp_cloth *cloth, int32_t reach);

/* cloth_fabric.c */
double dlp_cloth_spacing(const dlp_substance_def *def);
void dlp_cloth_set_fabrics(dlp_cloth *cloth);

/* cloth_sheet.c, cloth_mesh.c: add a substance's particles and elements, `offset` from where its shape says.
 */
dlp_status dlp_cloth_add_particle(dlp_cloth *cloth, int32_t substance, dlp_vec3 x, dlp_error *error);
dlp_status dlp_cloth_add_triangle(dlp_cloth *cloth, const dlp_cloth_triangle *triangle, dlp_error *error);
dlp_status dlp_cloth_make_sheet(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error);
dlp_status dlp_cloth_make_rope(dlp_cloth *cloth, int32_t substance, dlp_vec3 from, dlp_vec3 to, double width,
                               dlp_error *error);
dlp_status dlp_cloth_make_mesh(dlp_cloth *cloth, int32_t substance, dlp_vec3 offset, dlp_error *error);

/* cloth_query.c: its particles as attachments see them. */
dlp_attachment_view dlp_cloth_attachment_view(const dlp_cloth *cloth);

/* cloth_connect.c: hinges, bends, incidences and the matrix's pattern from triangles and links. Again after a
 * tear.
 */
dlp_status dlp_cloth_connect(dlp_cloth *cloth, dlp_error *error);
dlp_status dlp_cloth_reserve(dlp_cloth *cloth, int32_t count, dlp_error *error);
void dlp_cloth_release_scratch(dlp_cloth *cloth);

/* cloth_elements.c: forces and matrices of the elements of moved particles; then the rows and forces of those
 * particles that have one. */
void dlp_cloth_update_elements(dlp_cloth *cloth, double step);
double dlp_cloth_elastic_energy(const dlp_cloth *cloth);

/* cloth_solve.c: block-Jacobi conjugate gradients from the z that is there; false where it fails. */
bool dlp_cloth_solve(dlp_cloth_system *system);
/* out = A x of the particles in the list, four numbers a particle. */
void dlp_cloth_apply(const dlp_cloth *cloth, const int32_t *list, int32_t count, const double *x,
                     double *out);
/* cloth_solve_paper_form.c: (I + A R / m) dp = b, which the paper forms of restraint make unsymmetric; the
 * change of velocity R dp / m is then in the system's w. */
bool dlp_cloth_solve_paper_form(dlp_cloth *cloth);

#endif
