// Rays against triangles and spheres by Embree. Each set of rays has an Embree scene of its own; a geometry
// belongs to those that its layer answers. Without Embree all of it answers DLP_UNSUPPORTED.
#include "record/render/trace.h"
#include "base/memory.h"

#ifdef DLP_HAVE_EMBREE

#include <embree3/rtcore.h>
// One geometry; we hold a reference to it until the end.
typedef struct scene_part {
    dlp_ray_body body;
    RTCGeometry geometry;
} scene_part;

// Built by one thread, then read by any number.
struct dlp_tracer {
    RTCDevice device;
    RTCScene scenes[DLP_RAY_SET_COUNT];
    int32_t counts[DLP_RAY_SET_COUNT];  // of geometries in each scene; 0 before the commit
    scene_part *parts;
    int32_t part_count, part_capacity;
    int32_t *bodies[DLP_RAY_SET_COUNT];  // of each geometry, by its id in the scene; made by the commit
};

bool dlp_tracer_is_available(void)
{
    return true;
}

// Embree keeps the first error until it is asked: `what` names the step that it belongs to.
static dlp_status check_device(const dlp_tracer *tracer, const char *what, dlp_error *error)
{
    const enum RTCError code = rtcGetDeviceError(tracer->device);
    if (code == RTC_ERROR_NONE) return DLP_OK;
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %s", what);
    return dlp_fail(error, DLP_UNSUPPORTED, "picture: Embree refuses %s (error %d)", what, (int)code);
}

dlp_status dlp_tracer_create(dlp_tracer **out_tracer, dlp_error *error)
{
    *out_tracer = NULL;
    dlp_tracer *tracer = dlp_alloc(1, sizeof *tracer, "pictures");
    if (tracer == NULL) return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room");
    // One thread builds, so that the tree, and with it ties between triangles, are always the same.
    tracer->device = rtcNewDevice("threads=1");
    if (tracer->device == NULL) {
        dlp_free(tracer);
        return dlp_fail(error, DLP_UNSUPPORTED, "picture: Embree does not run here (error %d)",
                        (int)rtcGetDeviceError(NULL));
    }
    for (int32_t set = 0; set < DLP_RAY_SET_COUNT; set++) {
        tracer->scenes[set] = rtcNewScene(tracer->device);
        rtcSetSceneFlags(tracer->scenes[set], RTC_SCENE_FLAG_ROBUST);
    }
    const dlp_status status = check_device(tracer, "a scene", error);
    if (status != DLP_OK) {
        dlp_tracer_destroy(tracer);
        return status;
    }
    *out_tracer = tracer;
    return DLP_OK;
}

void dlp_tracer_destroy(dlp_tracer *tracer)
{
    if (tracer == NULL) return;
    for (int32_t k = 0; k < tracer->part_count; k++) rtcReleaseGeometry(tracer->parts[k].geometry);
    for (int32_t set = 0; set < DLP_RAY_SET_COUNT; set++) {
        if (tracer->scenes[set] != NULL) rtcReleaseScene(tracer->scenes[set]);
        dlp_free(tracer->bodies[set]);
    }
    rtcReleaseDevice(tracer->device);
    dlp_free(tracer->parts);
    dlp_free(tracer);
}

// A geometry of its own, kept in the order of adding.
static dlp_status add_part(dlp_tracer *tracer, const dlp_ray_body *body, enum RTCGeometryType type,
                           RTCGeometry *out_geometry, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&tracer->parts, &tracer->part_capacity, tracer->part_count + 1, sizeof *tracer->parts,
                        "pictures", error));
    *out_geometry = rtcNewGeometry(tracer->device, type);
    DLP_TRY(check_device(tracer, "a body", error));
    tracer->parts[tracer->part_count++] = (scene_part){*body, *out_geometry};
    return DLP_OK;
}

dlp_status dlp_tracer_add_triangles(dlp_tracer *tracer, const dlp_ray_body *body, int32_t vertex_count,
                                    int32_t triangle_count, float **out_vertices, uint32_t **out_indices,
                                    dlp_error *error)
{
    RTCGeometry geometry;
    DLP_TRY(add_part(tracer, body, RTC_GEOMETRY_TYPE_TRIANGLE, &geometry, error));
    *out_vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), (size_t)vertex_count);
    *out_indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                           3 * sizeof(uint32_t), (size_t)triangle_count);
    return check_device(tracer, "triangles", error);
}

dlp_status dlp_tracer_add_spheres(dlp_tracer *tracer, const dlp_ray_body *body, int32_t count,
                                  float **out_spheres, dlp_error *error)
{
    RTCGeometry geometry;
    DLP_TRY(add_part(tracer, body, RTC_GEOMETRY_TYPE_SPHERE_POINT, &geometry, error));
    *out_spheres = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                           4 * sizeof(float), (size_t)count);
    return check_device(tracer, "spheres", error);
}

// Embree's normals have any length.
static dlp_vec3 unit_of(float x, float y, float z)
{
    return dlp_normalize(dlp_vec((double)x, (double)y, (double)z), dlp_vec(0, 0, 1));
}

// Which sets of rays see a layer.
static bool belongs(dlp_ray_layer layer, dlp_ray_set set)
{
    static const bool answers[DLP_RAY_SET_COUNT][DLP_RAY_LAYER_COUNT] = {
        [DLP_RAYS_OPAQUE] = {[DLP_RAY_SOLID] = true, [DLP_RAY_WALL] = true},
        [DLP_RAYS_SHADE] = {[DLP_RAY_SOLID] = true},
        [DLP_RAYS_CLEAR] = {[DLP_RAY_CLEAR] = true}};
    return answers[set][layer];
}

// Attaches a part to the scenes that it belongs to; its id there leads back to the body.
static void attach_part(dlp_tracer *tracer, const scene_part *p)
{
    rtcCommitGeometry(p->geometry);
    for (int32_t set = 0; set < DLP_RAY_SET_COUNT; set++) {
        if (!belongs(p->body.layer, (dlp_ray_set)set)) continue;
        const int32_t number = tracer->counts[set]++;
        rtcAttachGeometryByID(tracer->scenes[set], p->geometry, (unsigned int)number);
        tracer->bodies[set][number] = p->body.body;
    }
}

static dlp_status attach_parts(dlp_tracer *tracer, dlp_error *error)
{
    for (int32_t set = 0; set < DLP_RAY_SET_COUNT; set++) {
        tracer->bodies[set] = dlp_alloc((size_t)tracer->part_count, sizeof *tracer->bodies[set], "pictures");
        if (tracer->bodies[set] == NULL)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d bodies", tracer->part_count);
    }
    for (int32_t k = 0; k < tracer->part_count; k++) attach_part(tracer, &tracer->parts[k]);
    return DLP_OK;
}

// Where there are no walls, what is seen and what gives shade are the same, and one tree is enough.
static void share_scenes(dlp_tracer *tracer)
{
    if (tracer->counts[DLP_RAYS_OPAQUE] != tracer->counts[DLP_RAYS_SHADE]) return;
    rtcReleaseScene(tracer->scenes[DLP_RAYS_SHADE]);
    tracer->scenes[DLP_RAYS_SHADE] = tracer->scenes[DLP_RAYS_OPAQUE];
    rtcRetainScene(tracer->scenes[DLP_RAYS_SHADE]);
}

dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error)
{
    DLP_TRY(attach_parts(tracer, error));
    share_scenes(tracer);
    for (int32_t set = 0; set < DLP_RAY_SET_COUNT; set++) rtcCommitScene(tracer->scenes[set]);
    return check_device(tracer, "the bodies", error);
}

bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_set set)
{
    return tracer->counts[set] > 0;
}

// In single precision, which the scene's unit allows for.
static struct RTCRay embree_ray(const dlp_ray *ray, double far)
{
    return (struct RTCRay){.org_x = (float)ray->from.x,
                           .org_y = (float)ray->from.y,
                           .org_z = (float)ray->from.z,
                           .tnear = (float)ray->near,
                           .dir_x = (float)ray->direction.x,
                           .dir_y = (float)ray->direction.y,
                           .dir_z = (float)ray->direction.z,
                           .tfar = (float)far,
                           .mask = ~0u};
}

// Embree's own far end is set to the nearest hit so far, so that farther ones are not looked at.
bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray, dlp_ray_hit *hit)
{
    if (tracer->counts[set] == 0) return false;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit answer = {.ray = embree_ray(ray, fmin(ray->far, hit->distance))};
    answer.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tracer->scenes[set], &context, &answer);
    if (answer.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (dlp_ray_hit){.distance = (double)answer.ray.tfar,
                         .flat = unit_of(answer.hit.Ng_x, answer.hit.Ng_y, answer.hit.Ng_z),
                         .body = tracer->bodies[set][answer.hit.geomID],
                         .part = (int32_t)answer.hit.primID,
                         .u = (double)answer.hit.u,
                         .v = (double)answer.hit.v};
    return true;
}

// Any hit ends the search, which makes shadow rays cheap.
bool dlp_tracer_is_occluded(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray)
{
    if (tracer->counts[set] == 0) return false;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay answer = embree_ray(ray, ray->far);
    rtcOccluded1(tracer->scenes[set], &context, &answer);
    return answer.tfar < 0;  // minus infinity where something was met
}

#else

bool dlp_tracer_is_available(void)
{
    return false;
}

dlp_status dlp_tracer_create(dlp_tracer **out_tracer, dlp_error *error)
{
    *out_tracer = NULL;
    return dlp_fail(error, DLP_UNSUPPORTED,
                    "picture: this build has no Embree; install it (libembree-dev) and build again");
}

void dlp_tracer_destroy(dlp_tracer *tracer)
{
    (void)tracer;
}

dlp_status dlp_tracer_add_triangles(dlp_tracer *tracer, const dlp_ray_body *body, int32_t vertex_count,
                                    int32_t triangle_count, float **out_vertices, uint32_t **out_indices,
                                    dlp_error *error)
{
    (void)body, (void)vertex_count, (void)triangle_count, (void)out_vertices, (void)out_indices;
    return dlp_tracer_commit(tracer, error);
}

dlp_status dlp_tracer_add_spheres(dlp_tracer *tracer, const dlp_ray_body *body, int32_t count,
                                  float **out_spheres, dlp_error *error)
{
    (void)body, (void)count, (void)out_spheres;
    return dlp_tracer_commit(tracer, error);
}

dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error)
{
    return dlp_tracer_create(&tracer, error);
}

bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_set set)
{
    (void)tracer, (void)set;
    return false;
}

bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray, dlp_ray_hit *hit)
{
    (void)tracer, (void)set, (void)ray, (void)hit;
    return false;
}

bool dlp_tracer_is_occluded(const dlp_tracer *tracer, dlp_ray_set set, const dlp_ray *ray)
{
    (void)tracer, (void)set, (void)ray;
    return false;
}

#endif
