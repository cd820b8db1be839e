/* How a substance reflects light in pictures. */
#ifndef DLP_SCENE_LOOK_H
#define DLP_SCENE_LOOK_H

typedef enum dlp_look {
    DLP_LOOK_MATTE,  /* scatters light evenly */
    DLP_LOOK_GLOSSY, /* matte under a clear coat */
    DLP_LOOK_GLASS,  /* clear, tinted by its depth */
    DLP_LOOK_WAX     /* light enters and leaves softly: butter, dough, jelly */
} dlp_look;

#endif
