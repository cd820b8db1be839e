/* The keys that scenes of SPlisHSPlasH have, and what becomes of those that are not carried over. One that is
 * in no list is named as unknown. */
#include "splishsplash.h"

#include <string.h>

typedef enum fate {
    FATE_READ, /* by the code of its section, which says what it could not use */
    FATE_SOLVER,
    FATE_DISPLAY,
    FATE_EXPORT,
    FATE_SAMPLING,
    FATE_MODEL, /* of an effect that is chosen by `method`: only where that is not 0 */
    FATE_COUNT
} fate;

static const char *const reasons[FATE_COUNT] = {
    [FATE_SOLVER] = "of its own solvers and steps",
    [FATE_DISPLAY] = "of its own display",
    [FATE_EXPORT] = "of its own files",
    [FATE_SAMPLING] = "of how it samples surfaces and volumes",
};

typedef struct known_key {
    const char *key;
    fate fate;
    const char *method; /* of FATE_MODEL: the key that chooses */
    const char *what;   /* likewise: what it is */
} known_key;

static const known_key root_keys[] = {
    {.key = "Configuration"}, {.key = "FluidBlocks"}, {.key = "FluidModels"}, {.key = "RigidBodies"},
    {.key = "Emitters"},      {.key = "Materials"},   {.key = "comment"},     {0},
};

static const known_key configuration_keys[] = {
    {.key = "particleRadius"},
    {.key = "sim2D"},
    {.key = "gravitation"},
    {.key = "stopAt"},
    {.key = "dataExportFPS"},
    {.key = "cameraPosition"},
    {.key = "cameraLookat"},
    {"timeStepSize", FATE_SOLVER, NULL, NULL},
    {"simulationMethod", FATE_SOLVER, NULL, NULL},
    {"cflMethod", FATE_SOLVER, NULL, NULL},
    {"cflFactor", FATE_SOLVER, NULL, NULL},
    {"cflMinTimeStepSize", FATE_SOLVER, NULL, NULL},
    {"cflMaxTimeStepSize", FATE_SOLVER, NULL, NULL},
    {"minIterations", FATE_SOLVER, NULL, NULL},
    {"maxIterations", FATE_SOLVER, NULL, NULL},
    {"maxError", FATE_SOLVER, NULL, NULL},
    {"maxIterationsV", FATE_SOLVER, NULL, NULL},
    {"maxErrorV", FATE_SOLVER, NULL, NULL},
    {"stiffness", FATE_SOLVER, NULL, NULL},
    {"exponent", FATE_SOLVER, NULL, NULL},
    {"velocityUpdateMethod", FATE_SOLVER, NULL, NULL},
    {"enableDivergenceSolver", FATE_SOLVER, NULL, NULL},
    {"enableZSort", FATE_SOLVER, NULL, NULL},
    {"stepsPerZSort", FATE_SOLVER, NULL, NULL},
    {"kernel", FATE_SOLVER, NULL, NULL},
    {"gradKernel", FATE_SOLVER, NULL, NULL},
    {"boundaryHandlingMethod", FATE_SOLVER, NULL, NULL},
    {"pause", FATE_DISPLAY, NULL, NULL},
    {"pauseAt", FATE_DISPLAY, NULL, NULL},
    {"numberOfStepsPerRenderUpdate", FATE_DISPLAY, NULL, NULL},
    {"renderWalls", FATE_DISPLAY, NULL, NULL},
    {"sceneScale", FATE_DISPLAY, NULL, NULL},
    {"enablePartioExport", FATE_EXPORT, NULL, NULL},
    {"enableVTKExport", FATE_EXPORT, NULL, NULL},
    {"enableRigidBodyExport", FATE_EXPORT, NULL, NULL},
    {"enableRigidBodyVTKExport", FATE_EXPORT, NULL, NULL},
    {"enableStateExport", FATE_EXPORT, NULL, NULL},
    {"enableObjectSplitting", FATE_EXPORT, NULL, NULL},
    {"stateExportFPS", FATE_EXPORT, NULL, NULL},
    {"particleAttributes", FATE_EXPORT, NULL, NULL},
    {0},
};

#define SURFACE_TENSION FATE_MODEL, "surfaceTensionMethod", "surface tension"
#define DRAG            FATE_MODEL, "dragMethod", "drag of the air"
#define VORTICITY       FATE_MODEL, "vorticityMethod", "added vorticity"
/* Old scenes have these in the configuration, too. */
static const known_key material_keys[] = {
    {.key = "id"},
    {.key = "density0"},
    {.key = "viscosity"},
    {.key = "viscosityMethod"},
    {.key = "elasticityMethod"},
    {.key = "youngsModulus"},
    {.key = "poissonsRatio"},
    {.key = "maxEmitterParticles"},
    {.key = "emitterReuseParticles"},
    {.key = "comment"},
    {"surfaceTensionMethod", SURFACE_TENSION},
    {"surfaceTension", SURFACE_TENSION},
    {"surfaceTensionBoundary", SURFACE_TENSION},
    {"surfaceTensionViscosity", SURFACE_TENSION},
    {"surfaceTensionViscosityBoundary", SURFACE_TENSION},
    {"surfaceTensionMaxIter", SURFACE_TENSION},
    {"surfaceTensionMaxError", SURFACE_TENSION},
    {"surfaceTensionMode", SURFACE_TENSION},
    {"surfTZRr-ratio", SURFACE_TENSION},
    {"surfTZRnormal-mode", SURFACE_TENSION},
    {"dragMethod", DRAG},
    {"drag", DRAG},
    {"vorticityMethod", VORTICITY},
    {"vorticity", VORTICITY},
    {"viscosityOmega", VORTICITY},
    {"inertiaInverse", VORTICITY},
    {"xsph", FATE_MODEL, "xsph", "smoothing of velocities"},
    {"viscosityBoundary", FATE_MODEL, "viscosityBoundary", "viscosity at walls"},
    {"alpha", FATE_MODEL, "elasticityMethod", "damping of elastic modes"},
    {"elasticityMaxIter", FATE_MODEL, "elasticityMethod", "a setting of its own solver"},
    {"elasticityMaxError", FATE_MODEL, "elasticityMethod", "a setting of its own solver"},
    {"emitterBoxMin", FATE_MODEL, "emitterReuseParticles", "particles that leave a box are emitted again"},
    {"emitterBoxMax", FATE_MODEL, "emitterReuseParticles", "particles that leave a box are emitted again"},
    {"viscoMaxIter", FATE_SOLVER, NULL, NULL},
    {"viscoMaxError", FATE_SOLVER, NULL, NULL},
    {"viscoMaxIterOmega", FATE_SOLVER, NULL, NULL},
    {"viscoMaxErrorOmega", FATE_SOLVER, NULL, NULL},
    {"colorField", FATE_DISPLAY, NULL, NULL},
    {"colorMapType", FATE_DISPLAY, NULL, NULL},
    {"renderMinValue", FATE_DISPLAY, NULL, NULL},
    {"renderMaxValue", FATE_DISPLAY, NULL, NULL},
    {"visible", FATE_DISPLAY, NULL, NULL},
    {0},
};

static const known_key block_keys[] = {
    {.key = "id"},
    {.key = "start"},
    {.key = "end"},
    {.key = "translation"},
    {.key = "scale"},
    {.key = "initialVelocity"},
    {.key = "initialAngularVelocity"},
    {.key = "comment"},
    {.key = "tag"},
    {"denseMode", FATE_SAMPLING, NULL, NULL},
    {"visMesh", FATE_DISPLAY, NULL, NULL},
    {0},
};

static const known_key model_keys[] = {
    {.key = "id"},
    {.key = "particleFile"},
    {.key = "translation"},
    {.key = "scale"},
    {.key = "rotationAxis"},
    {.key = "rotationAngle"},
    {.key = "initialVelocity"},
    {.key = "initialAngularVelocity"},
    {.key = "invert"},
    {.key = "comment"},
    {.key = "tag"},
    {"denseMode", FATE_SAMPLING, NULL, NULL},
    {"resolutionSDF", FATE_SAMPLING, NULL, NULL},
    {"visMesh", FATE_DISPLAY, NULL, NULL},
    {0},
};

static const known_key emitter_keys[] = {
    {.key = "id"},
    {.key = "width"},
    {.key = "height"},
    {.key = "translation"},
    {.key = "rotationAxis"},
    {.key = "rotationAngle"},
    {.key = "velocity"},
    {.key = "emitStartTime"},
    {.key = "emitEndTime"},
    {.key = "type"},
    {.key = "comment"},
    {.key = "tag"},
    {"boundingBoxMin", FATE_DISPLAY, NULL, NULL},
    {"boundingBoxMax", FATE_DISPLAY, NULL, NULL},
    {0},
};

/* What moving bodies need says nothing about one that stands still. */
#define DYNAMIC FATE_MODEL, "isDynamic", "of a body that moves"
static const known_key body_keys[] = {
    {.key = "geometryFile"},
    {.key = "translation"},
    {.key = "scale"},
    {.key = "rotationAxis"},
    {.key = "rotationAngle"},
    {.key = "isDynamic"},
    {.key = "isWall"},
    {.key = "isAnimated"},
    {.key = "mapInvert"},
    {.key = "comment"},
    {.key = "tag"},
    {"id", DYNAMIC},
    {"density", DYNAMIC},
    {"velocity", DYNAMIC},
    {"angularVelocity", DYNAMIC},
    {"restitution", DYNAMIC},
    {"friction", DYNAMIC},
    {"collisionObjectType", DYNAMIC},
    {"collisionObjectScale", DYNAMIC},
    {"collisionObjectFileName", DYNAMIC},
    {"testMesh", DYNAMIC},
    {"invertSDF", DYNAMIC},
    {"resolutionSDF", DYNAMIC},
    {"thicknessSDF", DYNAMIC},
    {"color", FATE_DISPLAY, NULL, NULL},
    {"particleFile", FATE_SAMPLING, NULL, NULL},
    {"mapThickness", FATE_SAMPLING, NULL, NULL},
    {"mapResolution", FATE_SAMPLING, NULL, NULL},
    {"mapFile", FATE_SAMPLING, NULL, NULL},
    {"samplingMode", FATE_SAMPLING, NULL, NULL},
    {0},
};

static const known_key *const sections[] = {
    [DLP_SPLASH_ROOT] = root_keys,         [DLP_SPLASH_CONFIGURATION] = configuration_keys,
    [DLP_SPLASH_MATERIAL] = material_keys, [DLP_SPLASH_BLOCK] = block_keys,
    [DLP_SPLASH_MODEL] = model_keys,       [DLP_SPLASH_EMITTER] = emitter_keys,
    [DLP_SPLASH_BODY] = body_keys,
};

static const known_key *find_key(dlp_splash_section section, const char *key)
{
    for (const known_key *known = sections[section]; known->key != NULL; known++) {
        if (strcmp(known->key, key) == 0) return known;
    }
    return section == DLP_SPLASH_CONFIGURATION ? find_key(DLP_SPLASH_MATERIAL, key) : NULL;
}

/* Whether the map chooses an effect: its method is there, and neither 0 nor false. */
static bool is_chosen(const dlp_source *map, const char *method)
{
    const dlp_source value = dlp_source_of(map, method);
    if (value.node == NULL || value.node->kind != DLP_NODE_SCALAR) return false;
    double number;
    if (dlp_number_read(value.node->text, &number)) return number != 0;
    return strcmp(value.node->text, "false") != 0 && strcmp(value.node->text, "None") != 0;
}

static void lose_unknown(const dlp_source *map, dlp_splash_section section, const char *key)
{
    const bool is_of_bodies =
        strcmp(key, "Simulation") == 0 || strstr(key, "Joint") != NULL || strstr(key, "Spring") != NULL;
    if (section == DLP_SPLASH_ROOT && is_of_bodies)
        dlp_convert_lose(map, key, "bodies that move each other have no counterpart yet");
    else if (section == DLP_SPLASH_ROOT && strcmp(key, "AnimationFields") == 0)
        dlp_convert_lose(map, key, "fields that move particles have no counterpart; see `forces`");
    else
        dlp_convert_lose(map, key, "is not known");
}

/* Keys of one kind share a line: "RigidBodies[0]: color, visible: of its own display". */
static void lose_together(const dlp_source *map, dlp_splash_section section, fate wanted)
{
    dlp_string keys = {0};
    for (const dlp_node *node = map->node->first; node != NULL; node = node->next) {
        const known_key *known = find_key(section, node->key);
        if (known == NULL || known->fate != wanted || dlp_node_is_empty(node)) continue;
        dlp_string_add(&keys, "%s%s", keys.length > 0 ? ", " : "", known->key);
    }
    if (keys.length > 0) dlp_convert_lose(map, NULL, "%s: %s", keys.data, reasons[wanted]);
    dlp_string_release(&keys);
}

/* In old scenes a material is a map of the file that is called as its fluid. */
static bool is_old_material(const dlp_splash *splash, const char *key)
{
    const dlp_source material = dlp_splash_material(splash, key);
    bool is_used = false;
    for (int32_t k = 0; k < splash->fluid_count; k++)
        is_used = is_used || strcmp(splash->fluids[k].id, key) == 0;
    return is_used && material.node != NULL && material.node == dlp_source_of(&splash->root, key).node;
}

static void lose_models(const dlp_splash *splash, const dlp_source *map, dlp_splash_section section)
{
    for (const dlp_node *node = map->node->first; node != NULL; node = node->next) {
        const known_key *known = find_key(section, node->key);
        if (known == NULL && section == DLP_SPLASH_ROOT && is_old_material(splash, node->key)) continue;
        if (known == NULL)
            lose_unknown(map, section, node->key);
        else if (known->fate == FATE_MODEL && is_chosen(map, known->method))
            dlp_convert_lose(map, known->key, "%s", known->what);
    }
}

void dlp_splash_check_keys(const dlp_splash *splash, const dlp_source *map, dlp_splash_section section)
{
    if (map->node == NULL || map->node->kind != DLP_NODE_MAP) return;
    for (int k = FATE_SOLVER; k < FATE_MODEL; k++) lose_together(map, section, (fate)k);
    lose_models(splash, map, section);
    for (const dlp_node *node = map->node->repeated; node != NULL; node = node->next)
        dlp_convert_change(map, node->key, "is given twice; the first one counts");
}
