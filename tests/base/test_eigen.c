/* Eigenvalues and eigenvectors of symmetric matrices, by what defines them. */
#include "base/eigen.h"
#include "base/random.h"
#include "truth.h"

#include <string.h>

// A v = lambda v, and the vectors are orthogonal and of length 1, to the rounding of a few dozen operations.
static void check_matrix(double m[3][3])
{
    double a[3][3], v[3][3], largest = 1e-300;
    memcpy(a, m, sizeof a);
    dlp_diagonalize(m, v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) largest = fmax(largest, fabs(a[i][j]));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const double image = a[i][0] * v[0][k] + a[i][1] * v[1][k] + a[i][2] * v[2][k];
            assert_near(image, m[k][k] * v[i][k], 1e-13 * largest);
        }
        for (int l = 0; l < 3; l++)
            assert_near(v[0][k] * v[0][l] + v[1][k] * v[1][l] + v[2][k] * v[2][l], k == l, 1e-14);
    }
}

static void a_matrix_stretches_its_eigenvectors(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 200; n++) {
        const double scale = pow(10, 12 * dlp_random(n, 6, 1) - 6);
        double m[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                m[i][j] = m[j][i] = scale * (dlp_random(n, (uint64_t)(3 * i + j), 2) - 0.5);
        check_matrix(m);
    }
}

static void equal_and_vanishing_eigenvalues_are_found(void **state)
{
    (void)state;
    double nothing[3][3] = {{0}}, unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double line[3][3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, pair[3][3] = {{2, 1, 0}, {1, 2, 0}, {0, 0, 3}};
    check_matrix(nothing);
    check_matrix(unit);
    check_matrix(line);
    check_matrix(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_matrix_stretches_its_eigenvectors),
                                       cmocka_unit_test(equal_and_vanishing_eigenvalues_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
