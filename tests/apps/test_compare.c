/* What `dollop compare` makes of --vary, and of the tables of its runs. */
#include "apps/dollop/compare.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static dlp_error error;

static dlp_status read_vary(dlp_vary *vary, const char *first, const char *second)
{
    const char *items[] = {first, second};
    const dlp_words words = {items, second != NULL ? 2 : 1};
    error = (dlp_error){0};
    return dlp_vary_read(&words, vary, &error);
}

static void assert_refused(const char *first, const char *second, const char *message)
{
    dlp_vary vary;
    assert_int_equal(read_vary(&vary, first, second), DLP_INVALID);
    assert_string_equal(error.message, message);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void commas_in_brackets_and_quotes_belong_to_a_value(void **state)
{
    (void)state;
    static const char *const values[] = {"[0,0,-9.81]", "{keys: [[0, [1, 2]], [1, 3]]}", "'a, b'", "8",
                                         "\"]\""};
    dlp_vary vary;
    assert_int_equal(
        read_vary(&vary, "gravity=[0,0,-9.81], {keys: [[0, [1, 2]], [1, 3]]},'a, b' ,8,\"]\"", NULL), DLP_OK);
    assert_int_equal(vary.variant_count, 5);
    for (int32_t k = 0; k < 5; k++) assert_string_equal(dlp_vary_value(&vary, k, 0), values[k]);
    dlp_vary_release(&vary);
    assert_int_equal(dlp_memory_in_use(), 0);
}

static void the_last_list_changes_fastest(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"1", "a"}, {"1", "b"}, {"1", "c"},
                                           {"2", "a"}, {"2", "b"}, {"2", "c"}};
    dlp_vary vary;
    assert_int_equal(read_vary(&vary, "x=1,2", "y.z=a,b,c"), DLP_OK);
    assert_int_equal(vary.variant_count, 6);
    for (int32_t k = 0; k < 6; k++) {
        assert_string_equal(dlp_vary_value(&vary, k, 0), pairs[k][0]);
        assert_string_equal(dlp_vary_value(&vary, k, 1), pairs[k][1]);
    }
    char label[DLP_VARIANT_LABEL];
    dlp_vary_label(&vary, 5, label);
    assert_string_equal(label, "x=2, z=c");
    dlp_vary_release(&vary);
}

static void keys_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    dlp_vary vary;
    assert_int_equal(read_vary(&vary, "substances.oil.viscosity=1", "substances.mud.viscosity=2"), DLP_OK);
    assert_string_equal(vary.lists[0].key, "oil.viscosity");
    assert_string_equal(vary.lists[1].key, "mud.viscosity");
    dlp_vary_release(&vary);
    assert_int_equal(read_vary(&vary, "viscosity=1", "substances.mud.viscosity=2"), DLP_OK);
    assert_string_equal(vary.lists[0].key, "viscosity");
    assert_string_equal(vary.lists[1].key, "mud.viscosity");
    dlp_vary_release(&vary);
}

/* No separators of folders, no leading dot, and never one name twice. */
static void names_are_safe_and_differ(void **state)
{
    (void)state;
    dlp_vary vary;
    char name[DLP_VARIANT_NAME], other[DLP_VARIANT_NAME];
    assert_int_equal(read_vary(&vary, "camera.to=[0,0,-9.81],[0 0 -9.81],../../etc,/,*", NULL), DLP_OK);
    dlp_vary_name(&vary, 0, name);
    assert_string_equal(name, "to=0_0_-9.81-1");
    dlp_vary_name(&vary, 1, name);
    assert_string_equal(name, "to=0_0_-9.81-2");
    dlp_vary_name(&vary, 2, name);
    assert_string_equal(name, "to=.._.._etc");
    dlp_vary_name(&vary, 3, name);
    dlp_vary_name(&vary, 4, other);
    assert_string_not_equal(name, other);
    dlp_vary_release(&vary);

    char option[2000] = "title=";
    memset(option + 6, 'a', 600);
    option[606] = ',';
    memset(option + 607, 'a', 700);
    assert_int_equal(read_vary(&vary, option, NULL), DLP_OK);
    dlp_vary_name(&vary, 0, name);
    dlp_vary_name(&vary, 1, other);
    assert_string_not_equal(name, other);
    char label[DLP_VARIANT_LABEL];
    dlp_vary_label(&vary, 1, label);
    assert_int_equal(strlen(label), DLP_VARIANT_LABEL - 1);
    dlp_vary_release(&vary);
}

static void mistakes_of_vary_are_named(void **state)
{
    (void)state;
    assert_refused("gravity", NULL,
                   "--vary gravity: must be PATH=A,B,..., as in substances.honey.viscosity=1,10");
    assert_refused("=1,2", NULL, "--vary =1,2: must be PATH=A,B,..., as in substances.honey.viscosity=1,10");
    assert_refused("x=", NULL, "--vary x: value 1 is missing");
    assert_refused("x=1, ,2", NULL, "--vary x: value 2 is missing");
    assert_refused("x=1,2,", NULL, "--vary x: value 3 is missing");
    assert_refused("x=1,2,1", NULL, "--vary x: 1 is given twice");
    assert_refused("x=1", "x=2", "--vary x: is given twice; put all values into one");
    assert_refused("x=[1,2", NULL, "--vary x: a bracket or quote of value 1 has no counterpart: [1,2");
    assert_refused("x=1,2]", NULL, "--vary x: a bracket or quote of value 2 has no counterpart: 2]");
    assert_refused("x=[1}", NULL, "--vary x: a bracket or quote of value 1 has no counterpart: [1}");
    assert_refused("x='a,b", NULL, "--vary x: a bracket or quote of value 1 has no counterpart: 'a,b");
    assert_refused("x=1,2,3,4,5,6,7,8,9", "y=1,2,3,4,5,6,7,8",
                   "--vary: 72 combinations; at most 64 are allowed");
}

/* A run of two frames after the start, with a column that this version has no words for. */
static void fill_variant(dlp_variant *variant, dlp_variant_frame frames[3], double *values, double factor)
{
    static char *names[] = {
        "frame",          "time", "substeps", "density_error_max", "kinetic_energy", "potential_energy",
        "pressure_passes"};
    const double rows[3][7] = {
        {0, 0, 0, 0.5, 0, 10, 0}, {1, 0.1, 4, 0.25, 3, 6, 7}, {2, 0.2, 8, 0.125, 5, 3, 9}};
    for (int k = 0; k < 21; k++) values[k] = rows[k / 7][k % 7] * (k % 7 > 1 ? factor : 1);
    for (int k = 0; k < 3; k++)
        frames[k] =
            (dlp_variant_frame){.wall = k * factor,
                                .cpu = 2 * k * factor,
                                .extent = {dlp_vec(-1 - 0.1 * k, 0, 0), dlp_vec(1 + k * factor, 2 - k, 0)}};
    variant->stats = (dlp_csv_data){7, 3, names, values, NULL};
    variant->frames = frames;
    variant->frame_count = 3;
}

static double value_of(const dlp_quantities *list, const char *id, int32_t variant)
{
    for (int32_t q = 0; q < list->count; q++) {
        if (strcmp(list->items[q].id, id) == 0) return list->values[q][variant];
    }
    fail_msg("no quantity %s", id);
    return 0;
}

static void check_values(const dlp_quantities *list)
{
    static const struct {
        const char *id;
        double first, second;
    } expected[] = {{"frames", 2, 2},
                    {"steps_per_frame", 6, 12},
                    {"wall_seconds", 2, 4},
                    {"cpu_seconds", 4, 8},
                    {"wall_per_second", 10, 20},
                    {"density_error_max", 0.5, 1},
                    {"kinetic_energy", 5, 10},
                    {"energy_change", -2, -4},
                    {"energy_ratio", 0.8, 0.8},
                    {"front", 3, 5},
                    {"extent_x", 4.2, 6.2},
                    {"extent_y", 0, 0},
                    {"pressure_passes_mean", 8, 16},
                    {"pressure_passes_max", 9, 18}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        assert_true(fabs(value_of(list, expected[k].id, 0) - expected[k].first) < 1e-12);
        assert_true(fabs(value_of(list, expected[k].id, 1) - expected[k].second) < 1e-12);
    }
    assert_true(isnan(value_of(list, "particles", 0))); /* the table has no such column */
}

static void quantities_follow_from_the_rows(void **state)
{
    (void)state;
    static dlp_variant variants[3];
    static dlp_quantities list;
    dlp_variant_frame frames[2][3];
    double values[2][21];
    fill_variant(&variants[0], frames[0], values[0], 1);
    fill_variant(&variants[1], frames[1], values[1], 2);
    variants[2].status = DLP_DIVERGED; /* before the first frame: without numbers */
    snprintf(variants[0].name, sizeof variants[0].name, "x=1");
    dlp_comparison comparison = {.variants = variants, .shown_count = 3, .dimension = 2};
    dlp_compare_measure(&comparison, &list);
    assert_int_equal(comparison.front_axis, 0);
    assert_true(comparison.is_front_high);
    check_values(&list);

    dlp_string json = {0};
    assert_int_equal(dlp_compare_json(&comparison, &list, &json, &error), DLP_OK);
    assert_non_null(strstr(json.data, "{\"id\": \"x=1.status\", \"what\": \"how it ended\", \"value\": "
                                      "\"done\", \"unit\": \"\", \"reference\": null, \"holds\": null}"));
    assert_non_null(strstr(json.data, "\"value\": 12, \"unit\": \"\", \"reference\": 6, \"holds\": null}"));
    assert_non_null(strstr(json.data, "\"value\": \"diverged\""));
    assert_null(strstr(json.data, "nan"));
    dlp_string_release(&json);

    dlp_text_table table;
    assert_int_equal(dlp_compare_table(&comparison, &list, DLP_QUANTITY_COST, &table, &error), DLP_OK);
    assert_int_equal(table.row_count, 4);
    assert_string_equal(table.cells[table.column_count - 1], "pressure_passes_mean");
    assert_string_equal(table.cells[3 * table.column_count + 1], "diverged");
    assert_string_equal(table.cells[4 * table.column_count - 1], "-");
    dlp_text_table_release(&table);
    assert_int_equal(dlp_memory_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_in_brackets_and_quotes_belong_to_a_value),
        cmocka_unit_test(the_last_list_changes_fastest),
        cmocka_unit_test(keys_are_as_short_as_they_can_be),
        cmocka_unit_test(names_are_safe_and_differ),
        cmocka_unit_test(mistakes_of_vary_are_named),
        cmocka_unit_test(quantities_follow_from_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
