/* Compiling descends by the rules below and emits the program in the order in which it will run:
 *     sum = product { (+|-) product },  product = signed { (*|/) signed },
 *     signed = [+|-] signed | power,    power = value [ ^ signed ]. */
#include "scene/formula.h"
#include "base/elementary.h"
#include "scene/scene_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Those from ADD on take two operands.
enum {
    NUMBER,
    VARIABLE,
    NEGATE,
    SQRT,
    ABS,
    SIGN,
    FLOOR,
    EXP,
    LOG,
    SIN,
    COS,
    TAN,
    TANH,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    MIN,
    MAX,
    ATAN2
};

typedef struct function {
    const char *name;
    int32_t operation;
} function;
static const function FUNCTIONS[] = {{"sqrt", SQRT},  {"abs", ABS},   {"sign", SIGN}, {"floor", FLOOR},
                                     {"exp", EXP},    {"log", LOG},   {"sin", SIN},   {"cos", COS},
                                     {"tan", TAN},    {"tanh", TANH}, {"min", MIN},   {"max", MAX},
                                     {"atan2", ATAN2}};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

// Compiling.

typedef struct compiler {
    const char *text, *at;  // the whole, and what is left of it
    const char *const *names;
    dlp_formula *formula;
    int32_t depth;  // of the rules within one another
    int32_t stack;  // values on it after what is emitted so far
    dlp_error *error;
} compiler;

static dlp_status refuse(const compiler *c, const char *what)
{
    return dlp_fail(c->error, DLP_INVALID, "%s", what);
}

static void skip_blanks(compiler *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r') c->at++;
}

// Takes the character where it is next.
static bool take(compiler *c, char wanted)
{
    skip_blanks(c);
    if (*c->at != wanted) return false;
    c->at++;
    return true;
}

static dlp_status emit(compiler *c, int32_t operation, double number)
{
    if (c->formula->count == DLP_FORMULA_LENGTH) return refuse(c, "the formula is too long");
    c->stack += operation <= VARIABLE ? 1 : operation >= ADD ? -1 : 0;
    if (c->stack > DLP_FORMULA_DEPTH) return refuse(c, "the formula is nested too deeply");
    c->formula->code[c->formula->count++] = (dlp_instruction){operation, number};
    return DLP_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Digits with a point, and an exponent where digits follow the e.
static size_t number_length(const char *at)
{
    size_t length = 0;
    while (is_digit(at[length]) || at[length] == '.') length++;
    if (at[length] != 'e' && at[length] != 'E') return length;
    const size_t sign = at[length + 1] == '-' || at[length + 1] == '+' ? 1 : 0;
    if (!is_digit(at[length + 1 + sign])) return length;
    for (length += 1 + sign; is_digit(at[length]);) length++;
    return length;
}

static dlp_status read_constant(compiler *c)
{
    char text[64];
    double number = 0;
    const size_t length = number_length(c->at);
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), c->at);
    if (length >= sizeof text || !dlp_number_read(text, &number) || !isfinite(number))
        return refuse(c, "this is not a number");
    c->at += length;
    return emit(c, NUMBER, number);
}

static dlp_status read_sum(compiler *c);

static dlp_status read_arguments(compiler *c, int32_t operation)
{
    if (!take(c, '(')) return refuse(c, "a function needs ( after its name");
    DLP_TRY(read_sum(c));
    if (operation >= ADD) {
        if (!take(c, ',')) return refuse(c, "this function needs two values with a comma between");
        DLP_TRY(read_sum(c));
    }
    if (!take(c, ')'))
        return refuse(c, *c->at == ',' ? "this function takes fewer values" : "a ) is missing");
    return emit(c, operation, 0);
}

static bool is_word(const char *name, const char *at, size_t length)
{
    return strlen(name) == length && strncmp(name, at, length) == 0;
}

// A message that names what there is.
static dlp_status refuse_word(const compiler *c, size_t length)
{
    char known[200] = "";
    for (int32_t k = 0; c->names != NULL && c->names[k] != NULL; k++) {
        strncat(known, c->names[k], 8);
        strncat(known, ", ", 3);
    }
    for (int32_t k = 0; k < FUNCTION_COUNT; k++) {
        strncat(known, FUNCTIONS[k].name, 8);
        strncat(known, ", ", 3);
    }
    return dlp_fail(c->error, DLP_INVALID, "%.*s is not known; known are %spi",
                    (int)(length < 40 ? length : 40), c->at, known);
}

// A variable, a function or pi.
static dlp_status read_word(compiler *c)
{
    size_t length = 0;
    while (is_letter(c->at[length]) || is_digit(c->at[length])) length++;
    const char *const word = c->at;
    for (int32_t k = 0; c->names != NULL && c->names[k] != NULL; k++) {
        if (!is_word(c->names[k], word, length)) continue;
        c->at += length;
        return emit(c, VARIABLE, k);
    }
    for (int32_t k = 0; k < FUNCTION_COUNT; k++) {
        if (!is_word(FUNCTIONS[k].name, word, length)) continue;
        c->at += length;
        return read_arguments(c, FUNCTIONS[k].operation);
    }
    if (!is_word("pi", word, length)) return refuse_word(c, length);
    c->at += length;
    return emit(c, NUMBER, DLP_PI);
}

static dlp_status read_single(compiler *c)
{
    skip_blanks(c);
    if (is_digit(*c->at) || *c->at == '.') return read_constant(c);
    if (is_letter(*c->at)) return read_word(c);
    if (!take(c, '('))
        return refuse(c, *c->at == '\0' ? "something is missing at the end" : "a value must stand here");
    DLP_TRY(read_sum(c));
    return take(c, ')') ? DLP_OK : refuse(c, "a ) is missing");
}

// All that can go on within itself passes here, so that this bounds the recursion.
static dlp_status read_signed(compiler *c)
{
    if (c->depth == DLP_FORMULA_DEPTH) return refuse(c, "the formula is nested too deeply");
    c->depth++;
    if (take(c, '-')) {
        DLP_TRY(read_signed(c));
        DLP_TRY(emit(c, NEGATE, 0));
    } else if (take(c, '+')) {
        DLP_TRY(read_signed(c));
    } else {
        DLP_TRY(read_single(c));
        if (take(c, '^')) {
            DLP_TRY(read_signed(c));
            DLP_TRY(emit(c, POWER, 0));
        }
    }
    c->depth--;
    return DLP_OK;
}

static dlp_status read_product(compiler *c)
{
    DLP_TRY(read_signed(c));
    for (;;) {
        const bool is_product = take(c, '*');
        if (!is_product && !take(c, '/')) return DLP_OK;
        DLP_TRY(read_signed(c));
        DLP_TRY(emit(c, is_product ? MULTIPLY : DIVIDE, 0));
    }
}

static dlp_status read_sum(compiler *c)
{
    DLP_TRY(read_product(c));
    for (;;) {
        const bool is_sum = take(c, '+');
        if (!is_sum && !take(c, '-')) return DLP_OK;
        DLP_TRY(read_product(c));
        DLP_TRY(emit(c, is_sum ? ADD : SUBTRACT, 0));
    }
}

dlp_status dlp_formula_compile(const char *text, const char *const *names, dlp_formula *out_formula,
                               size_t *out_at, dlp_error *error)
{
    out_formula->count = 0;
    compiler c = {.text = text, .at = text, .names = names, .formula = out_formula, .error = error};
    dlp_status status = read_sum(&c);
    skip_blanks(&c);
    if (status == DLP_OK && *c.at != '\0') status = refuse(&c, "an operator or the end must stand here");
    *out_at = (size_t)(c.at - text);
    assert(status != DLP_OK || c.stack == 1);
    return status;
}

// Evaluating.

// Of one operand `b` is not used.
static double value_of(int32_t operation, double a, double b)
{
    switch (operation) {
    case NEGATE:
        return -a;
    case SQRT:
        return sqrt(a);
    case ABS:
        return fabs(a);
    case SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    case FLOOR:
        return floor(a);
    case EXP:
        return dlp_exp(a);
    case LOG:
        return dlp_log(a);
    case SIN:
        return dlp_sin(a);
    case COS:
        return dlp_cos(a);
    case TAN:
        return dlp_sin(a) / dlp_cos(a);
    case TANH:
        return dlp_tanh(a);
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case POWER:
        return dlp_pow(a, b);
    case MIN:
        return a < b || isnan(a) ? a : b;
    case MAX:
        return a > b || isnan(a) ? a : b;
    default:
        return dlp_atan2(a, b);
    }
}

double dlp_formula_value(const dlp_formula *formula, const double *variables)
{
    double stack[DLP_FORMULA_DEPTH];
    int32_t top = 0;
    for (int32_t k = 0; k < formula->count; k++) {
        const dlp_instruction step = formula->code[k];
        if (step.operation <= VARIABLE) {
            stack[top++] = step.operation == NUMBER ? step.number : variables[(int32_t)step.number];
            continue;
        }
        if (step.operation >= ADD) top--;
        stack[top - 1] = value_of(step.operation, stack[top - 1], step.operation >= ADD ? stack[top] : 0);
    }
    return stack[0];
}

// A number and its derivatives.
typedef struct slope {
    double value;
    dlp_vec3 by;
} slope;

// The derivative of an operation of one operand with this value.
static double rate_of_single(int32_t operation, double a, double value)
{
    switch (operation) {
    case NEGATE:
        return -1;
    case SQRT:
        return 0.5 / value;
    case ABS:
        return a > 0 ? 1 : a < 0 ? -1 : 0;
    case EXP:
        return value;
    case LOG:
        return 1 / a;
    case SIN:
        return dlp_cos(a);
    case COS:
        return -dlp_sin(a);
    case TAN:
        return 1 + value * value;
    case TANH:
        return 1 - value * value;
    default:
        return 0;
    }
}

// Of two operands: by each of them.
static void rates_of_pair(int32_t operation, double a, double b, double value, double rates[2])
{
    const double square = a * a + b * b;
    const double table[][2] = {[ADD - ADD] = {1, 1},
                               [SUBTRACT - ADD] = {1, -1},
                               [MULTIPLY - ADD] = {b, a},
                               [DIVIDE - ADD] = {1 / b, -value / b},
                               [MIN - ADD] = {a < b, !(a < b)},
                               [MAX - ADD] = {a > b, !(a > b)},
                               [ATAN2 - ADD] = {b / square, -a / square}};
    rates[0] = operation == POWER ? b * dlp_pow(a, b - 1) : table[operation - ADD][0];
    rates[1] = operation == POWER ? value * dlp_log(a) : table[operation - ADD][1];
}

// sum + rate * by, where what does not change has no say: its rate may be infinite.
static dlp_vec3 add_rate(dlp_vec3 sum, double rate, dlp_vec3 by)
{
    return dlp_vec(by.x != 0 ? sum.x + rate * by.x : sum.x, by.y != 0 ? sum.y + rate * by.y : sum.y,
                   by.z != 0 ? sum.z + rate * by.z : sum.z);
}

static slope slope_of(int32_t operation, slope a, slope b)
{
    slope result = {value_of(operation, a.value, b.value), {0, 0, 0}};
    if (operation < ADD) {
        result.by = add_rate(result.by, rate_of_single(operation, a.value, result.value), a.by);
        return result;
    }
    double rates[2];
    rates_of_pair(operation, a.value, b.value, result.value, rates);
    result.by = add_rate(add_rate(result.by, rates[0], a.by), rates[1], b.by);
    return result;
}

static slope slope_of_variable(const double *variables, int32_t index)
{
    return (slope){variables[index], dlp_vec(index == 0, index == 1, index == 2)};
}

dlp_vec3 dlp_formula_gradient(const dlp_formula *formula, const double *variables)
{
    slope stack[DLP_FORMULA_DEPTH];
    int32_t top = 0;
    for (int32_t k = 0; k < formula->count; k++) {
        const dlp_instruction step = formula->code[k];
        if (step.operation <= VARIABLE) {
            stack[top++] = step.operation == NUMBER ? (slope){step.number, {0, 0, 0}}
                                                    : slope_of_variable(variables, (int32_t)step.number);
            continue;
        }
        if (step.operation >= ADD) top--;
        const slope none = {0, {0, 0, 0}};
        stack[top - 1] = slope_of(step.operation, stack[top - 1], step.operation >= ADD ? stack[top] : none);
    }
    return stack[0].by;
}

bool dlp_constant_read(const char *text, double *out_number)
{
    dlp_formula formula;
    size_t at;
    if (!dlp_number_read(text, out_number)) {
        if (dlp_formula_compile(text, NULL, &formula, &at, NULL) != DLP_OK) return false;
        *out_number = dlp_formula_value(&formula, NULL);
    }
    return isfinite(*out_number);
}
