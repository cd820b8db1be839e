#include "record/render/trace.h"
#include "base/memory.h"

#ifdef DLP_HAVE_EMBREE

#include <embree3/rtcore.h>
#include <stddef.h>
#include <string.h>

// What a geometry knows of itself.
typedef struct part {
    dlp_ray_body body;
    RTCGeometry geometry;
} part;

struct dlp_tracer {
    RTCDevice device;
    RTCScene scenes[DLP_RAY_LAYER_COUNT];
    int32_t counts[DLP_RAY_LAYER_COUNT];  // of geometries
    part *parts;
    int32_t part_count, part_capacity;
    int32_t *bodies[DLP_RAY_LAYER_COUNT];  // of each geometry; made by the commit
};

typedef struct query {
    struct RTCIntersectContext context;  // first: Embree hands it to the filters
    bool is_for_sun;
} query;

bool dlp_tracer_is_available(void)
{
    return true;
}

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
    for (int32_t layer = 0; layer < DLP_RAY_LAYER_COUNT; layer++) {
        tracer->scenes[layer] = rtcNewScene(tracer->device);
        rtcSetSceneFlags(tracer->scenes[layer], RTC_SCENE_FLAG_ROBUST);
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
    for (int32_t layer = 0; layer < DLP_RAY_LAYER_COUNT; layer++) {
        if (tracer->scenes[layer] != NULL) rtcReleaseScene(tracer->scenes[layer]);
        dlp_free(tracer->bodies[layer]);
    }
    rtcReleaseDevice(tracer->device);
    dlp_free(tracer->parts);
    dlp_free(tracer);
}

static dlp_status add_part(dlp_tracer *tracer, const dlp_ray_body *body, enum RTCGeometryType type,
                           RTCGeometry *out_geometry, dlp_error *error)
{
    DLP_TRY(dlp_reserve(&tracer->parts, &tracer->part_capacity, tracer->part_count + 1, sizeof *tracer->parts,
                        "pictures", error));
    *out_geometry = rtcNewGeometry(tracer->device, type);
    DLP_TRY(check_device(tracer, "a body", error));
    tracer->parts[tracer->part_count++] = (part){*body, *out_geometry};
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

static dlp_vec3 unit_of(float x, float y, float z)
{
    return dlp_normalize(dlp_vec((double)x, (double)y, (double)z), dlp_vec(0, 0, 1));
}

// Rays come one by one, so ray and hit are laid out as Embree's single ones are; the hit may be less aligned.
static void accept_or_refuse(const struct RTCFilterFunctionNArguments *arguments)
{
    const part *p = arguments->geometryUserPtr;
    const query *q = (const query *)arguments->context;
    struct RTCRay r;
    struct RTCHit h;
    memcpy(&r, arguments->ray, offsetof(struct RTCRay, mask));
    memcpy(&h, arguments->hit, offsetof(struct RTCHit, geomID));
    const dlp_ray ray = {.from = dlp_vec((double)r.org_x, (double)r.org_y, (double)r.org_z),
                         .way = dlp_vec((double)r.dir_x, (double)r.dir_y, (double)r.dir_z),
                         .near = (double)r.tnear};
    const dlp_ray_hit hit = {.distance = (double)r.tfar,
                             .flat = unit_of(h.Ng_x, h.Ng_y, h.Ng_z),
                             .body = p->body.body,
                             .part = (int32_t)h.primID,
                             .u = (double)h.u,
                             .v = (double)h.v};
    if (!p->body.filter(p->body.context, &ray, &hit, q->is_for_sun)) arguments->valid[0] = 0;
}

// Attaches every part to the scene of its layer; its number there leads back to the body.
static dlp_status attach_parts(dlp_tracer *tracer, dlp_error *error)
{
    for (int32_t layer = 0; layer < DLP_RAY_LAYER_COUNT; layer++) {
        tracer->bodies[layer] =
            dlp_alloc((size_t)tracer->part_count, sizeof *tracer->bodies[layer], "pictures");
        if (tracer->bodies[layer] == NULL && tracer->part_count > 0)
            return dlp_fail(error, DLP_OUT_OF_MEMORY, "picture: no room for %d bodies", tracer->part_count);
    }
    for (int32_t k = 0; k < tracer->part_count; k++) {
        part *p = &tracer->parts[k];
        if (p->body.filter != NULL) {
            rtcSetGeometryUserData(p->geometry, p);
            rtcSetGeometryIntersectFilterFunction(p->geometry, accept_or_refuse);
            rtcSetGeometryOccludedFilterFunction(p->geometry, accept_or_refuse);
        }
        rtcCommitGeometry(p->geometry);
        const dlp_ray_layer layer = p->body.layer;
        const int32_t number = tracer->counts[layer]++;
        rtcAttachGeometryByID(tracer->scenes[layer], p->geometry, (unsigned int)number);
        tracer->bodies[layer][number] = p->body.body;
    }
    return DLP_OK;
}

dlp_status dlp_tracer_commit(dlp_tracer *tracer, dlp_error *error)
{
    DLP_TRY(attach_parts(tracer, error));
    for (int32_t layer = 0; layer < DLP_RAY_LAYER_COUNT; layer++) rtcCommitScene(tracer->scenes[layer]);
    return check_device(tracer, "the bodies", error);
}

bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_layer layer)
{
    return tracer->counts[layer] > 0;
}

static struct RTCRay embree_ray(const dlp_ray *ray, double far)
{
    return (struct RTCRay){.org_x = (float)ray->from.x,
                           .org_y = (float)ray->from.y,
                           .org_z = (float)ray->from.z,
                           .tnear = (float)ray->near,
                           .dir_x = (float)ray->way.x,
                           .dir_y = (float)ray->way.y,
                           .dir_z = (float)ray->way.z,
                           .tfar = (float)far,
                           .mask = ~0u};
}

bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray, dlp_ray_hit *hit)
{
    if (tracer->counts[layer] == 0) return false;
    query q = {.is_for_sun = false};
    rtcInitIntersectContext(&q.context);
    struct RTCRayHit answer = {.ray = embree_ray(ray, fmin(ray->far, hit->distance))};
    answer.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tracer->scenes[layer], &q.context, &answer);
    if (answer.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (dlp_ray_hit){.distance = (double)answer.ray.tfar,
                         .flat = unit_of(answer.hit.Ng_x, answer.hit.Ng_y, answer.hit.Ng_z),
                         .body = tracer->bodies[layer][answer.hit.geomID],
                         .part = (int32_t)answer.hit.primID,
                         .u = (double)answer.hit.u,
                         .v = (double)answer.hit.v};
    return true;
}

bool dlp_tracer_is_shaded(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray)
{
    if (tracer->counts[layer] == 0) return false;
    query q = {.is_for_sun = true};
    rtcInitIntersectContext(&q.context);
    struct RTCRay answer = embree_ray(ray, ray->far);
    rtcOccluded1(tracer->scenes[layer], &q.context, &answer);
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

bool dlp_tracer_has(const dlp_tracer *tracer, dlp_ray_layer layer)
{
    (void)tracer, (void)layer;
    return false;
}

bool dlp_tracer_find(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray, dlp_ray_hit *hit)
{
    (void)tracer, (void)layer, (void)ray, (void)hit;
    return false;
}

bool dlp_tracer_is_shaded(const dlp_tracer *tracer, dlp_ray_layer layer, const dlp_ray *ray)
{
    (void)tracer, (void)layer, (void)ray;
    return false;
}

#endif
