/* Any bytes given as a frame: refused with a message, or read with every array in full length and every
 * number finite. The file lies in memory. */
#define _GNU_SOURCE  // memfd_create
#include "record/frame_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) abort();
}

// One file for all inputs.
static const char *put_file(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("frame", 0);
        require(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

static void check_frame(const dlp_particle_frame *frame)
{
    for (int32_t k = 0; k < frame->data.column_count; k++)
        require(frame->data.columns[k].view.count == frame->count);
    for (int64_t n = 0; n < 3 * (int64_t)frame->count; n++)
        require(isfinite(frame->positions[n]) && isfinite(frame->velocities[n]));
    for (int32_t k = 0; k < frame->topology.triangle_count; k++)
        for (int c = 0; c < 3; c++)
            require(frame->topology.triangles[k][c] >= 0 && frame->topology.triangles[k][c] < frame->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dlp_error error;
    error.message[0] = '\0';
    dlp_particle_frame frame;
    if (dlp_frame_read(put_file(data, size), 0, &frame, &error) == DLP_OK)
        check_frame(&frame);
    else
        require(error.message[0] != '\0');
    dlp_particle_frame_release(&frame);
    return 0;
}
