/* Inside `info`: what it reports about meshes. */
#ifndef DLP_APP_INFO_H
#define DLP_APP_INFO_H

#include "findings.h"

#include "base/status.h"

/* A mesh with everything that is wrong with it as the surface of a solid, or as cloth; or a PLY of points
 * alone. */
dlp_status dlp_info_mesh(const char *path, dlp_findings *findings, dlp_error *error);
/* Whether the surfaces in `inside` ("surface", "surface-flag", or the film of that name) of a run's folder
 * are those of cloth, which is open; the scene beside them says so. */
bool dlp_info_is_cloth(const char *folder, const char *inside);
/* All meshes in the surface folders of a run's folder (or in the folder itself): the worst of each. */
dlp_status dlp_info_folder(const char *folder, dlp_findings *findings, dlp_error *error);

#endif
