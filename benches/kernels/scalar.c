// The kernels of scalar.py in C, with Python's semantics: floor division, a check for each zero
// divisor, sums and products that wrap. `failed` stands for the exception.
#include <complex.h>
#include <math.h>
#include <stdint.h>

typedef int64_t i64;

static int failed;

static inline i64 floor_mod(i64 a, i64 b) {
    if (b == 0) { failed = 1; return 0; }
    if (b == -1) return 0;
    i64 r = a % b;
    return r != 0 && (r ^ b) < 0 ? r + b : r;
}

static inline i64 floor_div(i64 a, i64 b) {
    if (b == 0) { failed = 1; return 0; }
    if (b == -1) return (i64)(0 - (uint64_t)a);
    i64 q = a / b, r = a % b;
    return r != 0 && (r ^ b) < 0 ? q - 1 : q;
}

static inline double true_div(double a, double b) {
    if (b == 0.0) { failed = 1; return 0.0; }
    return a / b;
}

static inline i64 escape_time(double cr, double ci, i64 limit) {
    double zr = 0.0, zi = 0.0;
    for (i64 count = 0; count < limit; count++) {
        double zr2 = zr * zr, zi2 = zi * zi;
        if (zr2 + zi2 > 4.0) return count;
        zi = 2.0 * zr * zi + ci;
        zr = zr2 - zi2 + cr;
    }
    return limit;
}

double mandelbrot(i64 size, i64 limit) {
    i64 total = 0;
    for (i64 row = 0; row < size; row++) {
        double y = -1.5 + true_div(3.0 * row, size);
        for (i64 column = 0; column < size; column++) {
            double x = -2.0 + true_div(3.0 * column, size);
            total += escape_time(x, y, limit);
            if (failed) return -1;
        }
    }
    return total;
}

double collatz(i64 limit) {
    i64 best = 0, best_start = 0;
    for (i64 start = 1; start < limit; start++) {
        i64 n = start, steps = 0;
        while (n != 1) {
            if (floor_mod(n, 2) == 0) n = floor_div(n, 2);
            else n = 3 * n + 1;
            steps++;
        }
        if (steps > best) { best = steps; best_start = start; }
    }
    return best_start + best;
}

static i64 place(i64 columns, i64 left, i64 right, i64 full) {
    if (columns == full) return 1;
    i64 count = 0, open = full & ~(columns | left | right);
    while (open) {
        i64 bit = open & -open;
        open ^= bit;
        count += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, full);
    }
    return count;
}

double queens(i64 n) { return place(0, 0, 0, (1LL << n) - 1); }

typedef struct { double re, im; } pair;

static inline pair times(pair a, pair b) {
    return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Smith's division, which Python uses, too.
static inline pair over(pair a, pair b) {
    if (fabs(b.re) >= fabs(b.im)) {
        if (fabs(b.re) == 0.0) { failed = 1; return (pair){0, 0}; }
        double ratio = b.im / b.re, denominator = b.re + b.im * ratio;
        return (pair){(a.re + a.im * ratio) / denominator, (a.im - a.re * ratio) / denominator};
    }
    if (fabs(b.im) >= fabs(b.re)) {
        double ratio = b.re / b.im, denominator = b.re * ratio + b.im;
        return (pair){(a.re * ratio + a.im) / denominator, (a.im * ratio - a.re) / denominator};
    }
    return (pair){NAN, NAN};
}

double newton(i64 size, i64 limit) {
    i64 steps = 0, first = 0;
    for (i64 row = 0; row < size; row++)
        for (i64 column = 0; column < size; column++) {
            pair z = {-2.0 + true_div(4.0 * column, size), -2.0 + true_div(4.0 * row, size) + 0.001};
            for (i64 k = 0; k < limit; k++) {
                pair square = times(z, z), cube = times(square, z);
                cube.re -= 1.0;
                pair change = over(cube, times((pair){3.0, 0.0}, square));
                if (failed) return -1;
                z.re -= change.re;
                z.im -= change.im;
                steps++;
                if (change.re * change.re + change.im * change.im < 1e-12) break;
            }
            if (hypot(z.re - 1.0, z.im) < 1e-3) first++;
        }
    return steps + first;
}

static inline i64 common(i64 a, i64 b) {
    while (b) {
        i64 r = floor_mod(a, b);
        a = b;
        b = r;
    }
    return a;
}

double gcd(i64 limit) {
    i64 count = 0;
    for (i64 a = 1; a < limit; a++)
        for (i64 b = 1; b < limit; b++)
            if (common(a, b) == 1) count++;
    return count;
}

static inline pair slope(pair s, double a, double b, double c, double d) {
    return (pair){a * s.re - b * s.re * s.im, d * s.re * s.im - c * s.im};
}

static inline pair along(pair s, pair k, double t) { return (pair){s.re + t * k.re, s.im + t * k.im}; }

double runge_kutta(i64 steps, double dt) {
    pair s = {10.0, 5.0};
    for (i64 i = 0; i < steps; i++) {
        pair k1 = slope(s, 1.1, 0.4, 0.4, 0.1);
        pair k2 = slope(along(s, k1, dt / 2), 1.1, 0.4, 0.4, 0.1);
        pair k3 = slope(along(s, k2, dt / 2), 1.1, 0.4, 0.4, 0.1);
        pair k4 = slope(along(s, k3, dt), 1.1, 0.4, 0.4, 0.1);
        s = (pair){s.re + dt / 6 * (k1.re + 2 * k2.re + 2 * k3.re + k4.re),
                   s.im + dt / 6 * (k1.im + 2 * k2.im + 2 * k3.im + k4.im)};
    }
    return s.re + s.im;
}

static inline int is_prime(i64 n) {
    if (n < 2) return 0;
    if (floor_mod(n, 2) == 0) return n == 2;
    for (i64 divisor = 3; divisor * divisor <= n; divisor += 2)
        if (floor_mod(n, divisor) == 0) return 0;
    return 1;
}

double primes(i64 limit) {
    i64 count = 0;
    for (i64 n = 0; n < limit; n++) count += is_prime(n);
    return count;
}

double mixing(i64 count, i64 seed) {
    i64 state = seed;
    for (i64 i = 0; i < count; i++) {
        i64 k = (i64)((uint64_t)i * 0x5BD1E995);
        k ^= k >> 24;
        k = (i64)((uint64_t)k * 0x5BD1E995);
        state = (i64)((uint64_t)state * 0x5BD1E995) ^ k;
        state ^= state >> 13;
    }
    state ^= state >> 15;
    return state;
}

// Python stops a recursion that is too deep: so does this one.
static char *stack_limit;

__attribute__((noinline)) static i64 fib(i64 n) {
    if ((char *)__builtin_frame_address(0) < stack_limit) { failed = 1; return 0; }
    if (n < 2) return n;
    i64 a = fib(n - 1);
    if (failed) return 0;
    i64 b = fib(n - 2);
    return a + b;
}

double fibonacci(i64 n) {
    stack_limit = (char *)__builtin_frame_address(0) - (4 << 20);
    return fib(n);
}

static i64 ack(i64 m, i64 n) {
    if ((char *)__builtin_frame_address(0) < stack_limit) { failed = 1; return 0; }
    if (m == 0) return n + 1;
    if (n == 0) return ack(m - 1, 1);
    i64 inner = ack(m, n - 1);
    if (failed) return 0;
    return ack(m - 1, inner);
}

double ackermann(i64 m, i64 n) {
    stack_limit = (char *)__builtin_frame_address(0) - (4 << 20);
    return ack(m, n);
}

static inline double normal(double x) { return 0.5 * (1.0 + erf(x / sqrt(2.0))); }

static inline double checked_log(double x) {
    if (x <= 0.0) failed = 1;
    return log(x);
}

static inline double checked_exp(double x) {
    double result = exp(x);
    if (isinf(result) && !isinf(x)) failed = 1;
    return result;
}

static inline double checked_sqrt(double x) {
    if (x < 0.0) failed = 1;
    return sqrt(x);
}

double black_scholes(i64 count, double spot, double rate, double sigma, double time) {
    double total = 0.0;
    for (i64 i = 0; i < count; i++) {
        double strike = spot * (0.5 + true_div(i, count));
        double spread = sigma * checked_sqrt(time);
        double d1 = true_div(checked_log(true_div(spot, strike)) + (rate + 0.5 * sigma * sigma) * time, spread);
        double d2 = d1 - spread;
        total += spot * normal(d1) - strike * checked_exp(-rate * time) * normal(d2);
        if (failed) return -1;
    }
    return true_div(total, count);
}

static inline i64 power(i64 base, i64 exponent, i64 modulus) {
    i64 result = 1;
    base = floor_mod(base, modulus);
    while (exponent > 0) {
        if (exponent & 1) result = floor_mod(result * base, modulus);
        base = floor_mod(base * base, modulus);
        exponent >>= 1;
    }
    return result;
}

static inline int probably_prime(i64 n) {
    static const i64 small[] = {2, 3, 5, 7, 11, 13};
    for (int k = 0; k < 6; k++)
        if (floor_mod(n, small[k]) == 0) return n == small[k];
    i64 odd = n - 1, twos = 0;
    while (floor_mod(odd, 2) == 0) {
        odd = floor_div(odd, 2);
        twos++;
    }
    for (int k = 0; k < 4; k++) {
        i64 x = power(small[k], odd, n);
        if (x == 1 || x == n - 1) continue;
        int found = 0;
        for (i64 i = 0; i < twos - 1 && !found; i++) {
            x = floor_mod(x * x, n);
            found = x == n - 1;
        }
        if (!found) return 0;
    }
    return 1;
}

double miller_rabin(i64 start, i64 stop) {
    i64 count = 0;
    for (i64 n = start; n < stop; n++) count += probably_prime(n);
    return count;
}

double monte_carlo(i64 count, i64 seed) {
    i64 state = seed, inside = 0;
    for (i64 i = 0; i < count; i++) {
        state = floor_mod(1103515245 * state + 12345, 2147483648);
        double x = state / 2147483648.0;
        state = floor_mod(1103515245 * state + 12345, 2147483648);
        double y = state / 2147483648.0;
        if (x * x + y * y <= 1.0) inside++;
    }
    return true_div(4.0 * inside, count);
}

static inline double checked(double result, double x) {
    if (isnan(result) && !isnan(x)) failed = 1;
    return result;
}

static inline double height(double x) {
    if (x < 1.0) return checked(sin(x), x) * checked_exp(-x);
    return true_div(checked(cos(x), x), 1.0 + x * x);
}

double simpson(double low, double high, i64 steps) {
    double h = true_div(high - low, steps);
    double total = height(low) + height(high);
    for (i64 i = 1; i < steps; i++) {
        double x = low + i * h;
        total += (floor_mod(i, 2) ? 4.0 : 2.0) * height(x);
        if (failed) return -1;
    }
    return total * h / 3.0;
}

typedef struct { double a, b, c, d; } quaternion;

static inline quaternion product(quaternion p, quaternion q) {
    return (quaternion){p.a * q.a - p.b * q.b - p.c * q.c - p.d * q.d, p.a * q.b + p.b * q.a + p.c * q.d - p.d * q.c,
                        p.a * q.c - p.b * q.d + p.c * q.a + p.d * q.b, p.a * q.d + p.b * q.c - p.c * q.b + p.d * q.a};
}

double quaternions(i64 count, double angle) {
    double half = angle / 2.0;
    quaternion turn = {cos(half), sin(half) * 0.6, 0.0, sin(half) * 0.8}, total = {1.0, 0.0, 0.0, 0.0};
    pair phase = {1.0, 0.0}, step = {cos(angle), sin(angle)};
    for (i64 i = 0; i < count; i++) {
        total = product(total, turn);
        phase = times(phase, step);
        if (floor_mod(i, 1000) == 999) {
            double size = sqrt(total.a * total.a + total.b * total.b + total.c * total.c + total.d * total.d);
            total = (quaternion){true_div(total.a, size), true_div(total.b, size), true_div(total.c, size),
                                 true_div(total.d, size)};
            phase = over(phase, (pair){hypot(phase.re, phase.im), 0.0});
            if (failed) return -1;
        }
    }
    return total.a + total.b + total.c + total.d + phase.re;
}
