/* The curvature of a triangle of an irregular mesh. With the slope across the middle of each of its sides
 * known, it is the mean of the second derivative over the triangle [morley1971]:
 *     H = sum over sides (length / area) bend n n^T,
 * bend = the slope along the side's outward normal n, less the triangle's own. The slope is that of the
 * quadratic which fits the corners of the two triangles and of the four around them best, so that H is exact
 * for every quadratic; and as both triangles have the same slope, a constant moment has no net force inside a
 * sheet. Hinges alone have a Poisson's ratio of 1/3, and mean slopes of two triangles are too stiff.
 * Everything is a sum of the angles of hinges: those of the side and of the four sides around it. */
#ifndef DLP_MATTER_CLOTH_CURVATURE_H
#define DLP_MATTER_CLOTH_CURVATURE_H

#include <math.h>
#include <stdbool.h>

/* The hinges that a side's bend depends on: the side's own, the two of the triangle's next sides in order,
 * and the two of the other triangle's, in its order. */
enum { DLP_BEND_HINGES = 5, DLP_FIT_TERMS = 6 };

/* What lies around a side from (-1/2, 0) to (1/2, 0), in lengths of the side, unfolded into its plane: the
 * triangle above, the other below. */
typedef struct dlp_side_patch {
    double apex[2][2];  /* the third corner: of the triangle, of the other */
    double outer[4][2]; /* corners beyond the four sides around: hinge k + 1 has outer[k] */
    double height[4];   /* of these above their sides */
    bool has_outer[4];  /* false: the side is the sheet's edge */
} dlp_side_patch;

/* Normal equations of the fit: six coefficients of 1, x, y, x^2, x y, y^2, and a right-hand side. */
typedef struct dlp_side_fit {
    double matrix[DLP_FIT_TERMS][DLP_FIT_TERMS];
    double slope[DLP_FIT_TERMS]; /* the coefficients' part in the slope across the middle */
} dlp_side_fit;

static inline void dlp_fit_terms(const double at[2], double out_terms[DLP_FIT_TERMS])
{
    const double x = at[0], y = at[1];
    const double terms[DLP_FIT_TERMS] = {1, x, y, x * x, x * y, y * y};
    for (int k = 0; k < DLP_FIT_TERMS; k++) out_terms[k] = terms[k];
}

/* Near corners count most. */
static inline double dlp_fit_weight(const double at[2])
{
    const double rr = at[0] * at[0] + at[1] * at[1];
    return 1 / (rr * rr + 1e-6);
}

static inline void dlp_fit_add(dlp_side_fit *fit, const double at[2])
{
    double terms[DLP_FIT_TERMS];
    dlp_fit_terms(at, terms);
    for (int r = 0; r < DLP_FIT_TERMS; r++)
        for (int c = 0; c < DLP_FIT_TERMS; c++) fit->matrix[r][c] += dlp_fit_weight(at) * terms[r] * terms[c];
}

/* Solves matrix slope = e_y by Cholesky's method. What corners do not determine is as little curved as can
 * be: a part in 1e5 on the quadratic terms. */
static inline void dlp_fit_solve(dlp_side_fit *fit)
{
    double trace = 0;
    for (int k = 0; k < DLP_FIT_TERMS; k++) trace += fit->matrix[k][k];
    for (int k = 3; k < DLP_FIT_TERMS; k++) fit->matrix[k][k] += 2e-5 * trace;
    for (int r = 0; r < DLP_FIT_TERMS; r++)
        for (int c = 0; c <= r; c++) {
            double sum = fit->matrix[r][c];
            for (int k = 0; k < c; k++) sum -= fit->matrix[r][k] * fit->matrix[c][k];
            fit->matrix[r][c] =
                r == c ? sqrt(sum > 1e-12 * trace ? sum : 1e-12 * trace) : sum / fit->matrix[c][c];
        }
    for (int r = 0; r < DLP_FIT_TERMS; r++) {
        double sum = r == 2 ? 1 : 0;
        for (int k = 0; k < r; k++) sum -= fit->matrix[r][k] * fit->slope[k];
        fit->slope[r] = sum / fit->matrix[r][r];
    }
    for (int r = DLP_FIT_TERMS - 1; r >= 0; r--) {
        double sum = fit->slope[r];
        for (int k = r + 1; k < DLP_FIT_TERMS; k++) sum -= fit->matrix[k][r] * fit->slope[k];
        fit->slope[r] = sum / fit->matrix[r][r];
    }
}

/* The slope downwards that a corner adds to the fit where it stands up by 1. */
static inline double dlp_fit_slope(const dlp_side_fit *fit, const double at[2])
{
    double terms[DLP_FIT_TERMS], sum = 0;
    dlp_fit_terms(at, terms);
    for (int k = 0; k < DLP_FIT_TERMS; k++) sum += fit->slope[k] * terms[k];
    return -dlp_fit_weight(at) * sum;
}

/* The bend of the triangle above per angle of each hinge. Its own plane is the ground: a corner beyond a
 * hinge stands up by its distance from the hinge times the angle. */
static inline void dlp_side_bend(const dlp_side_patch *patch, double out_share[DLP_BEND_HINGES])
{
    const double ends[2][2] = {{-0.5, 0}, {0.5, 0}};
    dlp_side_fit fit = {0};
    for (int k = 0; k < 2; k++) {
        dlp_fit_add(&fit, ends[k]);
        dlp_fit_add(&fit, patch->apex[k]);
    }
    for (int k = 0; k < 4; k++)
        if (patch->has_outer[k]) dlp_fit_add(&fit, patch->outer[k]);
    dlp_fit_solve(&fit);
    out_share[0] = -patch->apex[1][1] * dlp_fit_slope(&fit, patch->apex[1]);
    for (int k = 0; k < 4; k++) {
        out_share[k + 1] = 0;
        if (!patch->has_outer[k]) continue;
        const double slope = dlp_fit_slope(&fit, patch->outer[k]);
        out_share[k + 1] = patch->height[k] * slope;
        if (k >= 2) out_share[0] -= patch->outer[k][1] * slope;
    }
}

/* Symmetric tensors of the plane as vectors (xx, yy, sqrt(2) xy), whose squared length is all entries'. */

/* Takes what lies along the free sides' tensors out of the others': nothing bends a free edge, and the slope
 * across it is such that the energy is least. `is_free`: per side; their own become zero. */
static inline void dlp_free_edges(double tensor[3][3], const bool is_free[3])
{
    double axis[3][3];
    int count = 0;
    for (int k = 0; k < 6; k++) {
        const int side = k % 3;
        double *t = tensor[side], square = 0, left = 0;
        if (is_free[side] != (k < 3)) continue;
        for (int r = 0; r < 3; r++) square += t[r] * t[r];
        for (int a = 0; a < count; a++) {
            const double along = t[0] * axis[a][0] + t[1] * axis[a][1] + t[2] * axis[a][2];
            for (int r = 0; r < 3; r++) t[r] -= along * axis[a][r];
        }
        for (int r = 0; r < 3; r++) left += t[r] * t[r];
        if (!is_free[side]) continue;
        for (int r = 0; r < 3; r++) axis[count][r] = left > 1e-20 * square ? t[r] / sqrt(left) : 0;
        count++;
        for (int r = 0; r < 3; r++) t[r] = 0;
    }
}

#endif
