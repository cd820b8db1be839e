/* Ctrl-C (SIGINT, SIGTERM): the first asks for an end after the current step, the second ends at once. */
#ifndef DLP_APP_STOP_H
#define DLP_APP_STOP_H

#include <stdbool.h>

void dlp_stop_listen(void);
bool dlp_stop_asked(void);

#endif
