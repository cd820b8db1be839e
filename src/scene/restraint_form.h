/* How a particle passes from rest to motion (matter/restraint.h has the formulas). */
#ifndef DLP_SCENE_RESTRAINT_FORM_H
#define DLP_SCENE_RESTRAINT_FORM_H

typedef enum dlp_restraint_form {
    DLP_RESTRAINT_CONVEX,  /* the effective speed never overshoots and never falls */
    DLP_RESTRAINT_ENERGY,  /* the paper's, by kinetic energy */
    DLP_RESTRAINT_MOMENTUM /* the paper's, by the momentum's norm */
} dlp_restraint_form;

#endif
