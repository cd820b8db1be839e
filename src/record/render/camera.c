// A camera that shows a box: a three-quarter view, near enough that the box fills the picture. Used where a
// scene does not place its own camera.
#include "record/render/render.h"

// Corner k of a box: bits choose the maximum along x, y and z.
static dlp_vec3 corner(const dlp_box *box, int32_t k)
{
    return dlp_vec(k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y,
                   k & 4 ? box->max.z : box->min.z);
}

// Axes of a three-quarter view that looks a little down. The eye stands off the diagonal, so that the edges
// of a box do not fall on one line. `up` may point anywhere; zero is z.
static void set_axes(dlp_camera *camera, dlp_vec3 up)
{
    const dlp_vec3 top = dlp_normalize(up, dlp_vec(0, 0, 1));
    const dlp_vec3 aside = fabs(top.z) > 0.5 ? dlp_vec(1, 0, 0) : dlp_vec(0, 0, 1);
    const dlp_vec3 a = dlp_normalize(dlp_sub(aside, dlp_mul(top, dlp_dot(aside, top))), dlp_vec(1, 0, 0));
    const dlp_vec3 b = dlp_cross(top, a);
    const dlp_vec3 back = dlp_add(dlp_add(dlp_mul(a, 0.50), dlp_mul(b, -1.0)), dlp_mul(top, 0.48));
    camera->forward = dlp_normalize(dlp_mul(back, -1), dlp_vec(0, 1, 0));
    camera->right = dlp_normalize(dlp_cross(camera->forward, top), dlp_vec(1, 0, 0));
    camera->up = dlp_cross(camera->right, camera->forward);
}

// Distance from `middle`, backwards, at which every corner lies within the share `fill` of the picture. A
// corner at q from the middle needs scale |q . right| / depth <= fill center_x, depth = distance + q .
// forward; the largest distance over all corners serves all of them.
static double distance_to_fit(const dlp_camera *camera, const dlp_box *box, dlp_vec3 middle, double fill)
{
    double distance = 0;
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 q = dlp_sub(corner(box, k), middle);
        const double across = fabs(dlp_dot(q, camera->right)) * camera->scale / (fill * camera->center_x);
        const double along = fabs(dlp_dot(q, camera->up)) * camera->scale / (fill * camera->center_y);
        distance = fmax(distance, fmax(across, along) - dlp_dot(q, camera->forward));
    }
    return distance;
}

// How far the middle of the picture lies from the middle of the corners seen in it, as slopes. Near corners
// look farther apart, so the box's own middle is not in the picture's.
static void off_center(const dlp_camera *camera, const dlp_box *box, double *out_x, double *out_y)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int32_t k = 0; k < 8; k++) {
        const dlp_vec3 q = dlp_sub(corner(box, k), camera->eye);
        const double depth = dlp_dot(q, camera->forward);
        const double slopes[2] = {dlp_dot(q, camera->right) / depth, dlp_dot(q, camera->up) / depth};
        for (int32_t axis = 0; axis < 2; axis++) {
            low[axis] = fmin(low[axis], slopes[axis]);
            high[axis] = fmax(high[axis], slopes[axis]);
        }
    }
    *out_x = (low[0] + high[0]) / 2;
    *out_y = (low[1] + high[1]) / 2;
}

// The distance and the point looked at depend on each other; a few rounds settle both.
dlp_camera dlp_camera_fit(const dlp_box *box, dlp_vec3 up, int32_t width, int32_t height)
{
    const double half_angle = 14 * DLP_PI / 180;  // a long lens: little perspective
    const double fill = 0.90;                     // of the picture, so that nothing touches its rim
    dlp_camera camera = {.center_x = width / 2.0, .center_y = height / 2.0};
    camera.scale = fmin(camera.center_x, camera.center_y) / tan(half_angle);
    set_axes(&camera, up);
    dlp_vec3 middle = dlp_mul(dlp_add(box->min, box->max), 0.5);
    for (int32_t round = 0; round < 4; round++) {
        const double distance = distance_to_fit(&camera, box, middle, fill);
        double x, y;
        camera.eye = dlp_along(middle, camera.forward, -distance);
        off_center(&camera, box, &x, &y);
        middle = dlp_along(dlp_along(middle, camera.right, x * distance), camera.up, y * distance);
    }
    camera.eye = dlp_along(middle, camera.forward, -distance_to_fit(&camera, box, middle, fill));
    return camera;
}

dlp_vec3 dlp_camera_ray(const dlp_camera *camera, double x, double y)
{
    const dlp_vec3 direction =
        dlp_along(dlp_along(camera->forward, camera->right, (x - camera->center_x) / camera->scale),
                  camera->up, (camera->center_y - y) / camera->scale);
    return dlp_normalize(direction, camera->forward);
}
