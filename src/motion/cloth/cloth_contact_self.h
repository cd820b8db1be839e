/* Between the files about cloth that meets cloth: candidates, and the passes over them. */
#ifndef DLP_MOTION_CLOTH_CONTACT_SELF_H
#define DLP_MOTION_CLOTH_CONTACT_SELF_H

#include "motion/cloth/cloth_contact.h"

/* Share of the thickness at which an impact is one. */
#define DLP_CLOTH_IMPACT_GAP 0.1
/* Share at which what contact springs let come too near is stopped after the solve. */
#define DLP_CLOTH_NEAR_GAP 0.5

/* What meets in a pass. */
typedef enum dlp_cloth_pass_kind {
    DLP_CLOTH_PASS_TOUCHING,  /* parts that touched when the step began */
    DLP_CLOTH_PASS_PREDICTED, /* that end nearer than the gap */
    DLP_CLOTH_PASS_NEAR,      /* that end nearer than a share of it */
    DLP_CLOTH_PASS_IMPACT     /* that would pass through each other */
} dlp_cloth_pass_kind;

/* What is done about two parts that meet. */
typedef dlp_status dlp_cloth_contact_answer(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                            const dlp_cloth_contact_candidate *candidate, dlp_error *error);
typedef struct dlp_cloth_contact_pass {
    dlp_cloth_pass_kind kind;
    dlp_cloth_contact_answer *answer;
} dlp_cloth_contact_pass;

/* cloth_contact_candidates.c: finds what meets, on all threads, and answers one after another in the order of
 * the facets. *out_any: something did meet. */
dlp_status dlp_cloth_contact_do_pass(dlp_cloth_contact *contact, const dlp_cloth_parts *parts,
                                     const dlp_cloth_contact_pass *pass, bool *out_any, dlp_error *error);
/* Whether cloth can meet cloth at all in this scene. */
bool dlp_cloth_contact_has_self(const dlp_cloth_contact *contact, const dlp_cloth_parts *parts);

/* cloth_contact_zone.c, the last resort: what still meets moves as one rigid body. */
dlp_cloth_contact_answer dlp_cloth_contact_join_zone;
void dlp_cloth_contact_move_zones(dlp_cloth_contact *contact, const dlp_cloth_parts *parts);

/* Where its particles are when the step begins and ends, m. */
void dlp_cloth_candidate_places(const dlp_cloth_parts *parts, const dlp_cloth_contact_candidate *candidate,
                                dlp_vec3 from[4], dlp_vec3 to[4]);
/* m/s: of the points with these weights apart, by the path of this step; and by the momenta, part of which is
 * hidden. */
dlp_vec3 dlp_cloth_candidate_step_velocity(const dlp_cloth_parts *parts,
                                           const dlp_cloth_contact_candidate *candidate,
                                           const double weight[4]);
dlp_vec3 dlp_cloth_candidate_velocity(const dlp_cloth_parts *parts,
                                      const dlp_cloth_contact_candidate *candidate, const double weight[4]);
/* 1/kg: what a unit of impulse does to their speed apart, were nothing held. */
double dlp_cloth_candidate_mobility(const dlp_cloth_parts *parts,
                                    const dlp_cloth_contact_candidate *candidate, const double weight[4]);
/* Where next to all of a contact rests on pinned particles, nothing can answer it. */
bool dlp_cloth_candidate_is_movable(const dlp_cloth_parts *parts,
                                    const dlp_cloth_contact_candidate *candidate, const double weight[4]);
/* Whether all its particles had contact springs in the last solve. */
bool dlp_cloth_candidate_has_springs(const dlp_cloth_contact *contact,
                                     const dlp_cloth_contact_candidate *candidate);
/* Whether its parts would pass through each other; where they are nearest when they meet. */
bool dlp_cloth_candidate_would_pass(const dlp_cloth_parts *parts,
                                    const dlp_cloth_contact_candidate *candidate,
                                    dlp_cloth_closest *out_closest);

#endif
