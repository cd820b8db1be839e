/* A world's frames as files: FOLDER/particles/0012.vtp and the FOLDER/particles.pvd that lists them. */
#ifndef DLP_RECORD_FRAME_H
#define DLP_RECORD_FRAME_H

#include "motion/world.h"
#include "record/vtp.h"
#include "skin/contour.h"

/* The frames of one kind that are there, ascending by number. All-zero is empty. */
typedef struct dlp_frame_list {
    char *folder;          /* of the run; owned */
    const char *inside;    /* "particles"; borrowed */
    dlp_pvd_frame *frames; /* owned; ascending by number */
    int32_t count, capacity;
} dlp_frame_list;
/* Takes over the frames of an earlier run that are there and writes their .pvd anew, since a killed run
 * may have left an older one. The folder inside is made with the first frame. Release the list, also after
 * a failure. */
dlp_status dlp_frame_list_init(dlp_frame_list *list, const char *folder, const char *inside,
                               dlp_error *error);
void dlp_frame_list_release(dlp_frame_list *list);

/* Adds a frame that was written, and writes the list. Frames of the same or a higher number leave it. */
dlp_status dlp_frame_list_add(dlp_frame_list *list, dlp_pvd_frame frame, dlp_error *error);

/* Each writes a frame, then the list, so that the .pvd never names a file that is not there. Frames of the
 * same or a higher number leave the list. The particles are those of the world now. */
dlp_status dlp_frame_write_particles(dlp_frame_list *list, const dlp_world *world, dlp_error *error);
dlp_status dlp_frame_write_contour(dlp_frame_list *list, const dlp_contour *contour, dlp_pvd_frame frame,
                                   dlp_error *error);

/* The 2-D contour of all substances at the scene's record.iso; release it. */
dlp_status dlp_frame_contour(const dlp_world *world, dlp_contour *out_contour, dlp_error *error);

/* One .vtp file of closed lines. */
dlp_status dlp_contour_write(const char *path, const dlp_contour *contour, double time, dlp_error *error);

#endif
