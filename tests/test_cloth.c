/* Cloth as a whole: how it is built, and that its step does what it promises. */
#include "cloths.h"

static void a_sheet_has_the_mass_of_its_area(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.05);
    s.substance.shape.size.y = 0.3;
    open_cloth(&s);
    assert_int_equal(s.cloth->particles.count, 11 * 7);
    assert_int_equal(s.cloth->triangle_count, 2 * 10 * 6);
    double mass = 0, area = 0;
    for (int32_t i = 0; i < s.cloth->particles.count; i++) mass += s.cloth->particles.mass[i];
    for (int32_t k = 0; k < s.cloth->triangle_count; k++) area += s.cloth->triangles[k].area;
    assert_near(mass, 0.15 * 0.5 * 0.3, 1e-14);
    assert_near(area, 0.15, 1e-14);
    close_cloth(&s);
}

static void a_free_sheet_falls_as_a_stone(void **state)
{
    (void)state;
    cloth_setup s = make_cloth(0.5, 0.1);
    open_cloth(&s);
    for (int k = 0; k < 10; k++) advance_cloth(&s, 1.0 / 60);
    // backward Euler: x = -g h^2 n (n + 1) / 2, to what the linear solver leaves
    for (int32_t i = 0; i < s.cloth->particles.count; i++)
        assert_near(place_of(&s, i).z, -9.81 / 3600 * 55, 1e-6);
    close_cloth(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_has_the_mass_of_its_area),
        cmocka_unit_test(a_free_sheet_falls_as_a_stone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
