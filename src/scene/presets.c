/* Materials: values of substance keys, at room temperature unless they follow it. Fluids first: densities,
 * viscosities, conductivities and heat capacities are what handbooks give for common kinds; honey and mud
 * vary tenfold with water content. Cold lava and cold butter are far thicker than the curves' ends, which are
 * as thick as explicit steps can carry in reasonable time. All fluids take the Wendland kernel and Tait's
 * equation. Water and oil bear no tension: what splashes comes apart. The thick ones bear a little, so that a
 * falling thread thins without opening into slices. Fabrics and solid bodies follow, each with its sources.
 */
#include "scene/table.h"

#include <string.h>

// What all fluids share, what all that conduct heat share, and the end of a list.
#define FLUID(cohesion)                                                                                      \
    {"kernel", "wendland"}, {"state", "tait"}, {"gamma", "7"}, {"cohesion", cohesion},                       \
    {                                                                                                        \
        "density_from", "summation"                                                                          \
    }
#define THERMAL(k, c)                                                                                        \
    {"conductivity", k},                                                                                     \
    {                                                                                                        \
        "heat_capacity", c                                                                                   \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, NULL                                                                                           \
    }

// Water and oil need numerical damping: their own viscosity is too small to damp the particles' disorder.
static const dlp_preset_value water[] = {{"density", "1000"},
                                         {"viscosity", "0.001"},
                                         {"artificial_viscosity.alpha", "0.05"},
                                         {"look", "glass"},
                                         {"color", "[0.2, 0.5, 0.85]"},
                                         THERMAL("0.6", "4180"),
                                         FLUID("0"),
                                         END};
static const dlp_preset_value oil[] = {{"density", "920"},
                                       {"viscosity", "0.08"},
                                       {"artificial_viscosity.alpha", "0.05"},
                                       {"look", "glass"},
                                       {"color", "[0.85, 0.75, 0.25]"},
                                       THERMAL("0.17", "1900"),
                                       FLUID("0"),
                                       END};
static const dlp_preset_value glycerin[] = {{"density", "1260"},
                                            {"viscosity", "1.4"},
                                            {"look", "glass"},
                                            {"color", "[0.8, 0.88, 0.9]"},
                                            THERMAL("0.285", "2400"),
                                            FLUID("0.05"),
                                            END};
static const dlp_preset_value syrup[] = {{"density", "1370"},
                                         {"viscosity", "2.5"},
                                         {"look", "wax"},
                                         {"color", "[0.5, 0.2, 0.06]"},
                                         THERMAL("0.35", "2800"),
                                         FLUID("0.05"),
                                         END};
static const dlp_preset_value honey[] = {{"density", "1420"},
                                         {"viscosity", "10"},
                                         {"look", "glass"},
                                         {"color", "[0.9, 0.55, 0.08]"},
                                         THERMAL("0.5", "2400"),
                                         FLUID("0.05"),
                                         END};
static const dlp_preset_value mud[] = {{"density", "1700"},
                                       {"viscosity", "25"},
                                       {"look", "glossy"},
                                       {"color", "[0.36, 0.26, 0.17]"},
                                       THERMAL("1", "2000"),
                                       FLUID("0.05"),
                                       END};
static const dlp_preset_value butter[] = {
    {"density", "910"},
    {"temperature", "5"},
    {"viscosity", "{by_temperature: [[15, 1000], [28, 200], [36, 0.5], [60, 0.05]]}"},
    {"melting.from", "28"},
    {"melting.to", "36"},
    {"melting.heat", "60000"},
    {"look", "wax"},
    {"color", "[0.95, 0.85, 0.45]"},
    THERMAL("0.2", "2500"),
    FLUID("0.05"),
    END};
static const dlp_preset_value lava[] = {
    {"density", "2600"},
    {"temperature", "1150"},
    {"viscosity", "{by_temperature: [[850, 20000], [1000, 2000], [1150, 100], [1250, 20]]}"},
    {"cooling", "200"},
    {"look", "matte"},
    {"color", "[0.2, 0.17, 0.16]"},
    THERMAL("1.5", "1200"),
    FLUID("0.05"),
    END};

// Fabrics. Weight, thickness, shear and bending are of the size that fabric testing gives for common kinds
// (Kawabata's system: bending of silk 0.03, cotton 0.1, denim 1.5 gf cm; shear 0.3 to 3 gf/cm per degree);
// the first few percent of stretch are softer than the whole. The rubber is a millimetre thick, of 2 MPa.
#define FABRIC(weight, thickness, stretch, shear, bend)                                                      \
    {"model", "cloth"}, {"cloth.weight", weight}, {"cloth.thickness", thickness},                            \
        {"cloth.stretch.both", stretch}, {"cloth.shear", shear},                                             \
    {                                                                                                        \
        "cloth.bend", bend                                                                                   \
    }
static const dlp_preset_value cotton[] = {
    FABRIC("0.15", "0.0005", "2000", "60", "1e-05"), {"color", "[0.86, 0.84, 0.78]"}, {"look", "matte"}, END};
static const dlp_preset_value silk[] = {FABRIC("0.06", "0.0002", "2500", "20", "3e-06"),
                                        {"cloth.friction", "0.15"},
                                        {"color", "[0.72, 0.12, 0.2]"},
                                        {"look", "matte"},
                                        END};
static const dlp_preset_value wool[] = {FABRIC("0.3", "0.0015", "1000", "45", "4e-05"),
                                        {"cloth.friction", "0.45"},
                                        {"color", "[0.36, 0.42, 0.34]"},
                                        {"look", "matte"},
                                        END};
static const dlp_preset_value denim[] = {FABRIC("0.4", "0.0009", "5000", "170", "0.00015"),
                                         {"cloth.friction", "0.4"},
                                         {"color", "[0.16, 0.24, 0.42]"},
                                         {"look", "matte"},
                                         END};
static const dlp_preset_value canvas[] = {FABRIC("0.5", "0.0008", "8000", "300", "0.0004"),
                                          {"cloth.friction", "0.4"},
                                          {"color", "[0.78, 0.7, 0.54]"},
                                          {"look", "matte"},
                                          END};
static const dlp_preset_value rubber_sheet[] = {FABRIC("1.1", "0.001", "2000", "700", "0.0002"),
                                                {"cloth.friction", "0.9"},
                                                {"cloth.inner_damping", "0.01"},
                                                {"color", "[0.12, 0.12, 0.13]"},
                                                {"look", "glossy"},
                                                END};

// Bodies. Rubber is a soft vulcanised one of the handbooks (1 to 5 MPa; its Poisson ratio is nearer to 0.5
// than small steps can carry). Gelatin gels have 1 to 20 kPa, cooked sausages 30 to 200 kPa, both full of
// water. Potter's clay yields at 10 to 50 kPa: here at 2 % of strain, and flows within some 20 ms. The towel
// is a terry cloth of 0.5 kg/m2, 4 mm thick: its loose threads along x and y have 400 N/m, a fifth of what
// cotton has in a plain weave, and what is between them hardly resists. Steel has 200 GPa and yields at a
// strain of 0.002; its waves, at 6 km/s, would need tens of thousands of steps per frame for a sheet of 5 mm
// particles, so that the sheet metal has the density of steel, but is twenty thousand times softer and yields
// at 1 %: it bends and stays bent as thin metal does, under loads as much smaller.
#define BODY(density, youngs_modulus, poisson_ratio)                                                         \
    {"model", "solid"}, {"density", density}, {"solid.youngs_modulus", youngs_modulus},                      \
    {                                                                                                        \
        "solid.poisson_ratio", poisson_ratio                                                                 \
    }
static const dlp_preset_value rubber[] = {BODY("1100", "1000000", "0.49"),
                                          {"solid.friction", "0.9"},
                                          {"color", "[0.12, 0.12, 0.13]"},
                                          {"look", "glossy"},
                                          END};
static const dlp_preset_value jelly[] = {BODY("1050", "5000", "0.45"),
                                         {"solid.friction", "0.1"},
                                         {"color", "[0.75, 0.1, 0.15]"},
                                         {"look", "wax"},
                                         END};
static const dlp_preset_value sausage[] = {BODY("1050", "50000", "0.45"),
                                           {"solid.friction", "0.3"},
                                           {"color", "[0.62, 0.3, 0.22]"},
                                           {"look", "glossy"},
                                           END};
static const dlp_preset_value towel[] = {
    BODY("125", "20000", "0.1"),
    {"solid.fibers", "[{direction: [1, 0, 0], modulus: 100000}, {direction: [0, 1, 0], modulus: 100000}]"},
    {"solid.friction", "0.6"},
    {"color", "[0.86, 0.84, 0.78]"},
    {"look", "matte"},
    END};
static const dlp_preset_value sheet_metal[] = {BODY("7850", "10000000", "0.3"),
                                               {"solid.plasticity.yield", "0.01"},
                                               {"solid.plasticity.rate", "200"},
                                               {"solid.friction", "0.4"},
                                               {"color", "[0.6, 0.62, 0.65]"},
                                               {"look", "glossy"},
                                               END};
static const dlp_preset_value clay[] = {BODY("1800", "1000000", "0.45"),
                                        {"solid.plasticity.yield", "0.02"},
                                        {"solid.plasticity.rate", "50"},
                                        {"solid.friction", "0.5"},
                                        {"color", "[0.6, 0.4, 0.3]"},
                                        {"look", "matte"},
                                        END};

// In the order of the reference page.
static const dlp_preset presets[] = {{"water", "water at 20 °C", water},
                                     {"oil", "vegetable oil at 20 °C", oil},
                                     {"glycerin", "glycerin at 20 °C", glycerin},
                                     {"syrup", "corn syrup at 20 °C", syrup},
                                     {"honey", "honey at 20 °C", honey},
                                     {"mud", "wet mud, thick but without a yield stress", mud},
                                     {"butter", "butter, which melts about 32 °C", butter},
                                     {"lava", "basaltic lava, which thickens as it cools", lava},
                                     {"cotton", "medium cotton cloth", cotton},
                                     {"silk", "light silk", silk},
                                     {"wool", "woollen cloth or felt", wool},
                                     {"denim", "denim", denim},
                                     {"canvas", "stiff canvas", canvas},
                                     {"rubber_sheet", "a sheet of rubber, 1 mm", rubber_sheet},
                                     {"rubber", "a body of soft rubber", rubber},
                                     {"jelly", "gelatin dessert", jelly},
                                     {"sausage", "cooked sausage", sausage},
                                     {"towel", "terry towel, its threads along x and y", towel},
                                     {"sheet_metal", "heavy as steel and far softer", sheet_metal},
                                     {"clay", "potter's clay, which keeps its shape", clay}};

const dlp_preset *dlp_presets(int32_t *out_count)
{
    *out_count = (int32_t)(sizeof presets / sizeof *presets);
    return presets;
}

// Linear: there are few materials, and a scene names few.
const dlp_preset *dlp_preset_find(const char *name)
{
    for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
        if (strcmp(presets[k].name, name) == 0) return &presets[k];
    return NULL;
}

const char *dlp_preset_value_of(const dlp_preset *preset, const char *key)
{
    for (const dlp_preset_value *value = preset->values; value->key != NULL; value++)
        if (strcmp(value->key, key) == 0) return value->value;
    return NULL;
}
