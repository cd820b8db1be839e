/* Any bytes given as a frame: refused with a message, or read with every array in full length. */
#include "record/frame_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/dollop-fuzz-%ld.vtp", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size) abort();
    fclose(file);
    dlp_error error = {0};
    dlp_vtp_data columns;
    if (dlp_vtp_read(path, &columns, &error) == DLP_OK) {
        for (int32_t k = 0; k < columns.column_count; k++)
            if (columns.columns[k].view.count != columns.point_count) abort();
    } else if (error.message[0] == '\0') {
        abort();
    }
    dlp_vtp_data_release(&columns);
    dlp_particle_frame frame;
    if (dlp_frame_read(path, 0, &frame, &error) == DLP_OK && frame.count > 0 && frame.positions == NULL)
        abort();
    dlp_particle_frame_release(&frame);
    unlink(path);
    return 0;
}
