/* Names what takes long. A timer looks every quarter of a second; its handler only reads what was set before
 * and calls what a handler may call. */
#include "phase.h"

#include "common.h"
#include "stop.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { PER_SECOND = 4, TEXT = 128 };

static struct {
    volatile sig_atomic_t is_on, ticks, ticks_since_stop, is_drawn;
    dlp_phase_leaving leaving;
    bool is_shown, is_terminal;
    char text[TEXT]; /* "\rfilling the shapes ..." */
    size_t length;
} phase;

static void print(const char *text, size_t length)
{
    const ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; /* there is nowhere to say that it failed */
}

/* Seconds in digits, by hand: a handler may not format. */
static size_t add_seconds(char *to, int seconds)
{
    char digits[16];
    size_t count = 0, length = 0;
    do digits[count++] = (char)('0' + seconds % 10);
    while ((seconds /= 10) > 0);
    while (count > 0) to[length++] = digits[--count];
    memcpy(to + length, " s\033[K", 5);
    return length + 5;
}

/* On a terminal the line is drawn anew every second; elsewhere it is printed once. */
static void draw(void)
{
    if (!phase.is_shown || phase.ticks % PER_SECOND != 0 || phase.ticks == 0) return;
    if (!phase.is_terminal && phase.is_drawn) return;
    char line[TEXT + 32];
    size_t length = phase.length;
    memcpy(line, phase.text, length);
    if (phase.is_terminal)
        length += add_seconds(line + length, phase.ticks / PER_SECOND);
    else
        line[length++] = '\n';
    print(phase.is_terminal ? line : line + 1, phase.is_terminal ? length : length - 1);
    phase.is_drawn = 1;
}

static void look(int signal_number)
{
    static const char words[] = "\ninterrupted; what was complete before is kept\n";
    (void)signal_number;
    if (!phase.is_on) return;
    phase.ticks++;
    if (dlp_stop_asked()) phase.ticks_since_stop++;
    if (phase.leaving == DLP_PHASE_LEAVES && phase.ticks_since_stop >= PER_SECOND / 2) {
        print(words, sizeof words - 1);
        _exit(DLP_EXIT_INTERRUPTED);
    }
    draw();
}

static void set_timer(long microseconds)
{
    const struct timeval every = {.tv_usec = microseconds};
    const struct itimerval timer = {every, every};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void dlp_phase_begin(const char *what, dlp_phase_leaving leaving)
{
    dlp_phase_end();
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    phase.ticks = phase.ticks_since_stop = phase.is_drawn = 0;
    phase.leaving = leaving;
    phase.is_shown = what != NULL;
    phase.is_terminal = isatty(STDERR_FILENO) != 0;
    if (what != NULL) {
        const size_t length = strlen(what) < TEXT - 8 ? strlen(what) : TEXT - 8;
        phase.text[0] = '\r';
        memcpy(phase.text + 1, what, length);
        memcpy(phase.text + 1 + length, " ... ", 5);
        phase.length = length + (phase.is_terminal ? 6 : 5);
    }
    phase.is_on = 1;
    set_timer(1000000 / PER_SECOND);
}

void dlp_phase_end(void)
{
    if (!phase.is_on) return;
    set_timer(0);
    phase.is_on = 0;
    if (phase.is_drawn && phase.is_terminal) print("\r\033[K", 4);
}
