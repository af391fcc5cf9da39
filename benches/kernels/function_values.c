/* Loops that call a function by its address, beside those of benches/function_values.py. The functions are defined in
   another file than the loops (-DCALLEES), so that no call of them is direct. */
#include <stdint.h>

typedef int64_t (*of_int)(int64_t);
typedef double (*of_float)(double);

#ifdef CALLEES
int64_t mix(int64_t x) { return x * 3 + 1; }
int64_t step(int64_t x) { return (x ^ (x >> 7)) + (x << 3); }
double half(double x) { return x * 0.5 + 1.0; }
#else
int64_t chain(of_int f, int64_t n) {
    int64_t x = 1;
    for (int64_t i = 0; i < n; i++) x = f(x);
    return x;
}
int64_t total(of_int f, int64_t n) {
    int64_t s = 0;
    for (int64_t i = 0; i < n; i++) s += f(i);
    return s;
}
double iterate(of_float f, int64_t n) {
    double x = 3.0;
    for (int64_t i = 0; i < n; i++) x = f(x);
    return x;
}
double integrate(of_float f, int64_t n) {
    double s = 0.0;
    for (int64_t i = 0; i < n; i++) s += f((double)i);
    return s;
}
int64_t alternate(of_int f, of_int g, int64_t n) {
    int64_t s = 0;
    for (int64_t i = 0; i < n; i++) s += (i & 1 ? g : f)(i);
    return s;
}
#endif
