/* Probes with a rate of their own: looks on after every step, and writes a row of means per 1 / rate. */
#ifndef DLP_RECORD_PROBE_METER_H
#define DLP_RECORD_PROBE_METER_H

#include "record/csv.h"
#include "record/probes.h"

typedef struct dlp_probe_meter dlp_probe_meter;

/* sample,time, then the columns of the probes with a rate; empty where there are none. */
void dlp_probe_meter_header(const dlp_scene_def *scene, dlp_string *out_header);

/* Begins where the world stands; the world is borrowed, and must outlive the meter. *out_meter is NULL where
 * no probe has a rate. */
dlp_status dlp_probe_meter_create(dlp_world *world, dlp_probe_meter **out_meter, dlp_error *error);
void dlp_probe_meter_destroy(dlp_probe_meter *meter);
/* Where rows go from now on; borrowed. */
void dlp_probe_meter_write_to(dlp_probe_meter *meter, dlp_csv *table);
/* The last sample that is complete: that many rows there are since the world's start. */
int32_t dlp_probe_meter_last_sample(const dlp_probe_meter *meter);
/* Means since the last call, one per probe of the scene, valid until the next; what is measured now where no
 * time has passed. */
dlp_status dlp_probe_meter_frame(dlp_probe_meter *meter, const dlp_vec3 **out_means, dlp_error *error);

#endif
