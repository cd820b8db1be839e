#include "base/elementary.h"

#include <math.h>

// ln 2 and pi/2 as sums of parts; the first ones end with enough zeros for exact products with small
// integers.
#define LN2_HIGH    6.93147180369123816490e-01
#define LN2_LOW     1.90821492927058770002e-10
#define HALF_PI     1.57079632679489661923
#define HALF_PI_1   1.57079632673412561417e+00
#define HALF_PI_2   6.07710050630396597660e-11
#define HALF_PI_3   2.02226624879595063154e-21
#define QUARTER_PI  0.78539816339744830962
#define LARGEST     1e15   // of an angle, rad
#define EXP_LIMIT   746.0  // beyond it exp is 0 or infinite
#define ROOT_HALF   0.70710678118654752440
#define WHOLE_LIMIT 1024.0

// x = k ln 2 + r with |r| <= 0.35; Taylor's series to r^15 / 15!, the next term is below 1e-19.
double dlp_exp(double x)
{
    if (!(x < EXP_LIMIT)) return isnan(x) ? x : HUGE_VAL;
    if (x < -EXP_LIMIT) return 0;
    const double k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5), r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 1;
    for (int n = 15; n > 0; n--) sum = 1 + sum * r / n;
    return ldexp(sum, (int)k);
}

// x = 2^k m with m from 1/sqrt 2 to sqrt 2; ln m = 2 artanh((m - 1) / (m + 1)).
double dlp_log(double x)
{
    if (!(x > 0)) return x == 0 ? -HUGE_VAL : (double)NAN;
    if (isinf(x)) return x;
    int k;
    double m = frexp(x, &k);
    if (m < ROOT_HALF) {
        m *= 2;
        k--;
    }
    const double s = (m - 1) / (m + 1), z = s * s;
    double sum = 0;
    for (int n = 23; n > 0; n -= 2) sum = sum * z + 1.0 / n;
    return k * LN2_HIGH + (2 * s * sum + k * LN2_LOW);
}

static double whole_power(double x, double n)
{
    double power = 1;
    for (int left = (int)n; left > 0; left /= 2) {
        if (left % 2 != 0) power *= x;
        x *= x;
    }
    return power;
}

double dlp_pow(double x, double y)
{
    if (y == floor(y) && fabs(y) <= WHOLE_LIMIT) return y < 0 ? 1 / whole_power(x, -y) : whole_power(x, y);
    if (x == 0) return y > 0 ? 0 : HUGE_VAL;
    return dlp_exp(y * dlp_log(x));
}

static double sine_near(double r)
{
    const double z = r * r;
    double sum = 1;
    for (int n = 18; n > 0; n -= 2) sum = 1 - sum * z / (n * (n + 1));
    return r * sum;
}

static double cosine_near(double r)
{
    const double z = r * r;
    double sum = 1;
    for (int n = 18; n > 0; n -= 2) sum = 1 - sum * z / (n * (n - 1));
    return sum;
}

// The sine of x + quarters * pi/2.
static double sine_of(double x, int quarters)
{
    if (!(fabs(x) <= LARGEST)) return (double)NAN;
    const double k = floor(x / HALF_PI + 0.5);
    const double r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
    const int quarter = ((int)fmod(k, 4) + quarters + 4) % 4;
    const double value = quarter % 2 == 0 ? sine_near(r) : cosine_near(r);
    return quarter < 2 ? value : -value;
}

double dlp_sin(double x)
{
    return sine_of(x, 0);
}

double dlp_cos(double x)
{
    return sine_of(x, 1);
}

// Angles up to pi/4 are halved twice, then the series: z below 0.04.
static double arctangent_near(double t)
{
    for (int k = 0; k < 2; k++) t = t / (1 + sqrt(1 + t * t));
    const double z = t * t;
    double sum = 0;
    for (int n = 25; n > 0; n -= 2) sum = 1.0 / n - sum * z;
    return 4 * t * sum;
}

double dlp_atan2(double y, double x)
{
    const double a = fabs(x), b = fabs(y);
    if (isnan(x) || isnan(y)) return (double)NAN;
    if (a == 0 && b == 0) return 0;
    const double ratio = a == b ? 1 : a > b ? b / a : a / b;
    double angle = arctangent_near(ratio);
    if (b > a) angle = HALF_PI - angle;
    if (x < 0) angle = 2 * HALF_PI - angle;
    return y < 0 ? -angle : angle;
}

// 1 - 2 / (e^2x + 1) loses digits near 0, where the odd series of the quotient is used.
double dlp_tanh(double x)
{
    if (fabs(x) < 0.05) {
        const double z = x * x;
        return x * (1 - z * (1.0 / 3 - z * (2.0 / 15 - z * (17.0 / 315 - z * (62.0 / 2835)))));
    }
    return 1 - 2 / (dlp_exp(2 * x) + 1);
}
