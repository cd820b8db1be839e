/* Exponential, logarithm, powers and circular functions made of + - * / and sqrt alone: the same bits on
 * every processor, which the C library does not promise. Within a few units of the last place. */
#ifndef DLP_BASE_ELEMENTARY_H
#define DLP_BASE_ELEMENTARY_H

double dlp_exp(double x);
double dlp_log(double x); /* NaN below 0 */
/* Whole exponents up to 1024 by multiplication, others by exp(y log x): NaN where x is below 0. x^0 is 1. */
double dlp_pow(double x, double y);
/* Angles in radians. Beyond 1e6 they lose a digit for every power of ten; beyond 1e15 they are NaN. */
double dlp_sin(double x);
double dlp_cos(double x);
double dlp_atan2(double y, double x); /* from -pi to pi; 0 for (0, 0) */
double dlp_tanh(double x);

#endif
