/* Signals that ask for an end. */
#include "stop.h"

#include "common.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t is_asked;

static void note(int signal_number)
{
    (void)signal_number;
    if (is_asked) _exit(DLP_EXIT_INTERRUPTED);
    is_asked = 1;
}

void dlp_stop_listen(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool dlp_stop_asked(void)
{
    return is_asked != 0;
}
