/* Point readers on bytes as they come. */
#include "base/vec.h"
#include "space/points_formats.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const dlp_bytes bytes = {(const char *)data + 1, size - 1};
    dlp_points points;
    dlp_error error;
    const dlp_status status = data[0] % 2 == 0 ? dlp_points_parse_ply(bytes, 1000, &points, &error)
                                               : dlp_points_parse_vtp(bytes, 1000, &points, &error);
    if (status == DLP_OK) {
        if (points.count < 1 || points.count > 1000) abort();
        for (int32_t k = 0; k < points.count; k++)
            if (!dlp_is_finite3(points.positions[k])) abort();
    }
    dlp_points_release(&points);
    return 0;
}
