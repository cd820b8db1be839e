/* How the tables' rows are written down: short names for what table.h has, and the parts of the table. */
#ifndef DLP_SCENE_TABLE_ROWS_H
#define DLP_SCENE_TABLE_ROWS_H

#include "scene/rules.h"
#include "scene/table.h"

#include <math.h>

/* Ranges (min, max), and the unit and range of what has neither. */
#define ANY      -HUGE_VAL, HUGE_VAL
#define FROM(a)  (a), HUGE_VAL
#define PLACED   -1e9, 1e9 /* what a body is moved or turned by, as dlp_world_move_body allows */
#define NONE     "", 0, 0
#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))
#define ROWS(a)  a, COUNT(a)

#define COLDEST -273.15 /* degrees C: absolute zero */

/* Types. */
#define NUMBER    DLP_ROW_NUMBER
#define INTEGER   DLP_ROW_INTEGER
#define SWITCH    DLP_ROW_SWITCH
#define VECTOR    DLP_ROW_VECTOR
#define PAIR      DLP_ROW_PAIR
#define COUNTS    DLP_ROW_COUNTS
#define NUMBERS   DLP_ROW_NUMBERS
#define AXES      DLP_ROW_AXES
#define WORD      DLP_ROW_WORD
#define TEXT      DLP_ROW_TEXT
#define NAME      DLP_ROW_NAME
#define MATERIAL  DLP_ROW_MATERIAL
#define FILE_NAME DLP_ROW_FILE
#define TEXTS     DLP_ROW_TEXTS
#define SCHEMA    DLP_ROW_SCHEMA
#define LIST      DLP_ROW_LIST
#define MAP       DLP_ROW_MAP
#define INCLUDE   DLP_ROW_INCLUDE

/* Flags; ABOVE excludes the lower bound itself. */
enum {
    REQUIRED = DLP_ROW_REQUIRED,
    OPTIONAL = DLP_ROW_OPTIONAL,
    ANIMATED = DLP_ROW_ANIMATED,
    INPUT = DLP_ROW_INPUT,
    HIDDEN = DLP_ROW_HIDDEN,
    CHOICE = DLP_ROW_CHOICE,
    ABOVE = DLP_ROW_OPEN_MIN,
    PLANAR = DLP_ROW_PLANAR,
    THREE = DLP_ROW_THREE,
    TURN = DLP_ROW_TURN,
    CURVED = DLP_ROW_CURVED,
    DECIDES = DLP_ROW_DECIDES,
    OF_SUBSTANCE = DLP_ROW_SUBSTANCE,
    OF_OBSTACLE = DLP_ROW_OBSTACLE
};

/* Which models have a row; a row without one of these belongs to all. */
#define MODEL(name) (1u << DLP_MODEL_##name)
#define OF_SPH      .models = MODEL(SPH)
#define OF_SOLID    .models = MODEL(SOLID)
#define OF_CLOTH    .models = MODEL(CLOTH)
#define OF_FILLED   .models = MODEL(SPH) | MODEL(SOLID) /* whose particles fill a shape */
#define OF_HELD     .models = MODEL(SPH) | MODEL(CLOTH) /* whose particles may be held still */

/* A part of the table: its main schema, and all its schemas in the order of the reference; NULL ends them. */
extern const dlp_schema dlp_shape_schema, dlp_moved_shape_schema, dlp_substance_schema;
extern const dlp_schema *const dlp_shape_schemas[], *const dlp_substance_schemas[];

#endif
