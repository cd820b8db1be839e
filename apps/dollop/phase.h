/* Parts of a job that may take long and report nothing themselves: after a second they are named, with the
 * seconds they have taken, and Ctrl-C ends them within a second. */
#ifndef DLP_APP_PHASE_H
#define DLP_APP_PHASE_H

#include <stdbool.h>

/* What a Ctrl-C does while a phase lasts. */
typedef enum dlp_phase_leaving {
    DLP_PHASE_WAITS,  /* the phase is completed first: it keeps what was computed */
    DLP_PHASE_LEAVES, /* ends the command (status 130) where the phase lasts longer: nothing is lost */
} dlp_phase_leaving;

/* `what` is what is being done, "filling the shapes", and lasts until the end; NULL: nothing is printed.
 * A phase ends the one before. */
void dlp_phase_begin(const char *what, dlp_phase_leaving leaving);
void dlp_phase_end(void);

#endif
