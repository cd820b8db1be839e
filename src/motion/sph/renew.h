/* Lists anew only around what has moved; see renew.c. */
#ifndef DLP_MOTION_SPH_RENEW_H
#define DLP_MOTION_SPH_RENEW_H

#include "motion/sph/sph.h"

/* Whether a scene is of the kind whose lists can be renewed. */
bool dlp_sph_can_renew(const dlp_sph *sph);
/* Renews the lists around the due particles that are not asleep, where the cells still serve and these are
 * few; else the lists stay stale. */
dlp_status dlp_sph_renew_lists(dlp_sph *sph, dlp_error *error);
/* Notes where the particles are that were sorted just now. */
void dlp_sph_note_sorted(dlp_sph *sph);
/* After a restart: puts the particles back to where they were sorted, and once lists have been built from
 * there, renews them as they were. */
dlp_status dlp_sph_unsort(dlp_sph *sph, int32_t *out_count, dlp_error *error);
dlp_status dlp_sph_renew_again(dlp_sph *sph, int32_t count, dlp_error *error);
/* How lists are built, of a cloud that is set here. */
dlp_list_def dlp_sph_list_def(const dlp_sph *sph, dlp_point_cloud *cloud);

#endif
