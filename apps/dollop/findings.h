/* Findings of `check`, `info`, `bench` and `reproduce`: a table for people or a JSON list for scripts. */
#ifndef DLP_APP_FINDINGS_H
#define DLP_APP_FINDINGS_H

#include "dollop/dollop.h"

#include <math.h>

typedef enum dlp_holds { DLP_HOLDS_UNSAID, DLP_HOLDS_YES, DLP_HOLDS_NO } dlp_holds;

/* One finding; texts are borrowed. `id` and the keys of the JSON are a contract with scripts. */
typedef struct dlp_finding {
    const char *id, *what;
    const char *text; /* the value where it is no number, else NULL */
    const char *json; /* the value as JSON has it, where it is neither number nor text; NULL: it is one */
    double value;
    const char *unit;   /* "" or NULL for none */
    const char *origin; /* where a parameter came from; NULL: not printed */
    bool has_reference;
    double reference;           /* what the value is compared with, in the same unit */
    const char *reference_text; /* how it is compared, for people: "at most"; NULL: "should be" */
    dlp_holds holds;
} dlp_finding;

/* A finding with nothing to compare it with. */
static inline dlp_finding dlp_finding_number(const char *id, const char *what, double value, const char *unit)
{
    return (dlp_finding){.id = id, .what = what, .value = value, .unit = unit};
}
static inline dlp_finding dlp_finding_text(const char *id, const char *what, const char *text)
{
    return (dlp_finding){.id = id, .what = what, .text = text};
}
/* A finding beside the source's value, which was measured on another machine or another body: no verdict. */
static inline dlp_finding dlp_finding_beside(const char *id, const char *what, double value, const char *unit,
                                             double source)
{
    return (dlp_finding){.id = id,
                         .what = what,
                         .value = value,
                         .unit = unit,
                         .has_reference = true,
                         .reference = source,
                         .reference_text = "the source's"};
}
/* A finding that holds where it is within `tolerance` (a share of the reference) of the reference. */
static inline dlp_finding dlp_finding_compared(const char *id, const char *what, double value,
                                               const char *unit, double reference, double tolerance)
{
    const bool holds = fabs(value - reference) <= tolerance * fabs(reference); /* false for NaN */
    return (dlp_finding){.id = id,
                         .what = what,
                         .value = value,
                         .unit = unit,
                         .has_reference = true,
                         .reference = reference,
                         .holds = holds ? DLP_HOLDS_YES : DLP_HOLDS_NO};
}

/* A finding that holds where it is at most `limit`. */
static inline dlp_finding dlp_finding_limited(const char *id, const char *what, double value,
                                              const char *unit, double limit)
{
    return (dlp_finding){.id = id,
                         .what = what,
                         .value = value,
                         .unit = unit,
                         .has_reference = true,
                         .reference = limit,
                         .reference_text = "at most",
                         .holds = value <= limit ? DLP_HOLDS_YES : DLP_HOLDS_NO};
}

/* A finding that holds where it is at least `limit`. */
static inline dlp_finding dlp_finding_reached(const char *id, const char *what, double value,
                                              const char *unit, double limit)
{
    dlp_finding finding = dlp_finding_limited(id, what, value, unit, limit);
    finding.reference_text = "at least";
    finding.holds = value >= limit ? DLP_HOLDS_YES : DLP_HOLDS_NO;
    return finding;
}

/* Findings are printed as they come, because a bench may take minutes. */
typedef struct dlp_findings {
    bool is_json;
    int32_t count, failed_count; /* failed: `holds` is no */
} dlp_findings;

void dlp_findings_begin(dlp_findings *findings);
void dlp_findings_add(dlp_findings *findings, const dlp_finding *finding);
void dlp_findings_add_number(dlp_findings *findings, const char *id, const char *what, double value,
                             const char *unit);
void dlp_findings_add_text(dlp_findings *findings, const char *id, const char *what, const char *text);
void dlp_findings_end(const dlp_findings *findings);

/* JSON on the standard output: a quoted text (NULL: null), a number that reads back the same (null where it
 * is not finite). */
void dlp_json_text(const char *text);
void dlp_json_number(double value);

#endif
