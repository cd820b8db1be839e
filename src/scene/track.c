/* Values of key frames over time, and the poses they make. Pure functions of the time: nothing is remembered
 * between calls, so that a world may go to any time. */
#include "scene/scene.h"

#include <assert.h>
#include <string.h>

// The key at or before `time`, which lies within the keys.
static int32_t find_key(const dlp_track *track, double time)
{
    int32_t low = 0, high = track->key_count - 1;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (track->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The numbers of one key.
static const double *value_at(const dlp_track *track, int32_t key)
{
    return track->values + (ptrdiff_t)key * track->components;
}

// NaN gives the first key.
void dlp_track_value(const dlp_track *track, double time, double out_value[3])
{
    assert(track->key_count > 0);
    const int32_t last = track->key_count - 1;
    const int32_t held = !(time > track->times[0]) ? 0 : time >= track->times[last] ? last : -1;
    if (held >= 0) {
        memcpy(out_value, value_at(track, held), (size_t)track->components * sizeof *out_value);
        return;
    }
    const int32_t k = find_key(track, time);
    const double s = (time - track->times[k]) / (track->times[k + 1] - track->times[k]);
    const double share = track->smooth ? s * s * (3 - 2 * s) : s;
    for (int32_t c = 0; c < track->components; c++)
        out_value[c] = (1 - share) * value_at(track, k)[c] + share * value_at(track, k + 1)[c];
}

// 0 outside of the keys. A smooth track has rate 0 at every key.
void dlp_track_rate(const dlp_track *track, double time, double out_rate[3])
{
    for (int32_t c = 0; c < track->components; c++) out_rate[c] = 0;
    if (!(time >= track->times[0] && time < track->times[track->key_count - 1])) return;
    const int32_t k = find_key(track, time);
    const double duration = track->times[k + 1] - track->times[k];
    const double s = (time - track->times[k]) / duration;
    const double slope = (track->smooth ? 6 * s * (1 - s) : 1) / duration;
    for (int32_t c = 0; c < track->components; c++)
        out_rate[c] = slope * (value_at(track, k + 1)[c] - value_at(track, k)[c]);
}

// The track's value, or `still` without a track.
static dlp_vec3 vector_at(const dlp_track *track, dlp_vec3 still, double time)
{
    if (track == NULL) return still;
    double value[3];
    dlp_track_value(track, time, value);
    return dlp_vec(value[0], value[1], value[2]);
}

dlp_placement dlp_placement_at(dlp_placement still, const dlp_track *position, const dlp_track *rotation,
                               double time)
{
    return (dlp_placement){vector_at(position, still.position, time),
                           vector_at(rotation, still.rotation, time)};
}

dlp_transform dlp_placement_transform(dlp_placement placement, dlp_vec3 pivot)
{
    dlp_transform out = dlp_transform_of(dlp_vec(0, 0, 0), placement.rotation);
    out.translation = dlp_add(placement.position, dlp_sub(pivot, dlp_rotate(&out, pivot)));
    return out;
}

// The mouth itself is the origin, as a shape's is.
void dlp_emitter_rotate(dlp_emitter_def *emitter)
{
    const dlp_placement placement = {emitter->place, emitter->rotation};
    emitter->position = emitter->place;
    emitter->direction = emitter->aim;
    if (dlp_length(emitter->rotation) == 0) return;
    const dlp_transform frame = dlp_placement_transform(placement, emitter->pivot);
    emitter->position = dlp_to_world(&frame, dlp_vec(0, 0, 0));
    emitter->direction = dlp_rotate(&frame, emitter->aim);
}
