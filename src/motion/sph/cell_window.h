/* The window of cells in which neighbours are looked for; see cell_window.c. */
#ifndef DLP_MOTION_SPH_CELL_WINDOW_H
#define DLP_MOTION_SPH_CELL_WINDOW_H

#include "motion/sph/sph.h"

/* The middle of the window, in cells of layer 0, where not all of the particles' cells (each of its own
 * level) are near the origin. Says once where some are outside of it: they have no neighbours. */
dlp_cell dlp_sph_find_middle(dlp_sph *sph, const dlp_cell *cells);

#endif
