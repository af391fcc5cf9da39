// The loops of arrays.py in C. An array is its address and its lengths, and where it is a view its stride in bytes.
// Places counted from the end are not looked for: C programmers would not.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef int64_t i64;

double total(const double *x, i64 n) {
    double s = 0.0;
    for (i64 i = 0; i < n; i++) s += x[i];
    return s;
}

double axpy(double a, const double *x, i64 n, double *y, i64 m) {
    for (i64 i = 0; i < n; i++) y[i] = a * x[i] + y[i];
    return 0;
}

double dot32(const float *x, i64 n, const float *y, i64 m) {
    float s = 0.0f;
    for (i64 i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

double matmul(const double *a, i64 rows, i64 inner, const double *b, i64 inner2, i64 columns, double *c, i64 r,
              i64 width) {
    for (i64 i = 0; i < rows; i++)
        for (i64 k = 0; k < inner; k++) {
            double factor = a[i * inner + k];
            for (i64 j = 0; j < columns; j++) c[i * width + j] += factor * b[k * columns + j];
        }
    return 0;
}

double stencil2(const double *a, i64 rows, i64 columns, double *out, i64 r, i64 width) {
    for (i64 i = 1; i < rows - 1; i++)
        for (i64 j = 1; j < columns - 1; j++)
            out[i * width + j] = 0.25 * (a[(i - 1) * columns + j] + a[(i + 1) * columns + j] +
                                         a[i * columns + j - 1] + a[i * columns + j + 1]);
    return 0;
}

#define A(i, j, k) a[((i) * m + (j)) * l + (k)]
double stencil3(const float *a, i64 n, i64 m, i64 l, float *out, i64 n2, i64 m2, i64 l2) {
    float c = 0.1f;
    for (i64 i = 1; i < n - 1; i++)
        for (i64 j = 1; j < m - 1; j++)
            for (i64 k = 1; k < l - 1; k++) {
                float around = A(i - 1, j, k) + A(i + 1, j, k) + A(i, j - 1, k) + A(i, j + 1, k) +
                               A(i, j, k - 1) + A(i, j, k + 1);
                out[(i * m2 + j) * l2 + k] = A(i, j, k) + c * (around - 6.0f * A(i, j, k));
            }
    return 0;
}

double histogram(const double *x, i64 n, i64 *counts, i64 bins) {
    for (i64 i = 0; i < n; i++) counts[(i64)(x[i] * (double)bins)]++;
    return 0;
}

double masked_sum(const double *x, i64 n, const bool *mask, i64 m) {
    double s = 0.0;
    for (i64 i = 0; i < n; i++)
        if (mask[i]) s += x[i];
    return s;
}

double gather(const double *x, i64 n, const i64 *places, i64 m, double *out, i64 l) {
    for (i64 i = 0; i < m; i++) out[i] = x[places[i]];
    return 0;
}

double scatter(const double *w, i64 n, const i64 *places, i64 m, double *out, i64 l) {
    for (i64 i = 0; i < m; i++) out[places[i]] += w[i];
    return 0;
}

double strided(const char *x, i64 n, i64 stride) {
    double s = 0.0;
    for (i64 i = 0; i < n; i++) {
        double item = *(const double *)(x + i * stride);
        s += item * item;
    }
    return s;
}

double transposed(const double *a, i64 rows, i64 columns, double *out, i64 r, i64 width) {
    for (i64 i = 0; i < rows; i++)
        for (i64 j = 0; j < columns; j++) out[j * width + i] = a[i * columns + j];
    return 0;
}

double running_sum(const i64 *x, i64 n, i64 *out, i64 m) {
    i64 s = 0;
    for (i64 i = 0; i < n; i++) {
        s += x[i];
        out[i] = s;
    }
    return 0;
}

double row_maxima(const float *a, i64 rows, i64 columns, float *out, i64 r) {
    for (i64 i = 0; i < rows; i++) {
        float best = a[i * columns];
        for (i64 j = 1; j < columns; j++)
            if (a[i * columns + j] > best) best = a[i * columns + j];
        out[i] = best;
    }
    return 0;
}

double normalize(const double *a, i64 rows, i64 columns, double *out, i64 r, i64 width) {
    for (i64 i = 0; i < rows; i++) {
        double s = 0.0;
        for (i64 j = 0; j < columns; j++) s += a[i * columns + j] * a[i * columns + j];
        double norm = sqrt(s);
        for (i64 j = 0; j < columns; j++) out[i * width + j] = a[i * columns + j] / norm;
    }
    return 0;
}

double threshold(const uint8_t *image, i64 rows, i64 columns, i64 level, uint8_t *out, i64 r, i64 width) {
    for (i64 i = 0; i < rows; i++)
        for (i64 j = 0; j < columns; j++) out[i * width + j] = image[i * columns + j] > level ? 255 : 0;
    return 0;
}

double common(const uint8_t *a, i64 n, const uint8_t *b, i64 m, int32_t *table, i64 r, i64 width) {
    for (i64 i = 0; i < n; i++)
        for (i64 j = 0; j < m; j++) {
            if (a[i] == b[j]) {
                table[(i + 1) * width + j + 1] = table[i * width + j] + 1;
            } else {
                int32_t up = table[i * width + j + 1], left = table[(i + 1) * width + j];
                table[(i + 1) * width + j + 1] = left > up ? left : up;
            }
        }
    return table[n * width + m];
}

double sieve(bool *composite, i64 n) {
    i64 count = 0;
    for (i64 i = 0; i < n; i++) composite[i] = false;
    for (i64 i = 2; i < n; i++)
        if (!composite[i]) {
            count++;
            for (i64 j = i * i; j < n; j += i) composite[j] = true;
        }
    return count;
}

double distances(const double *points, i64 n, i64 d, double *out, i64 r, i64 width) {
    for (i64 i = 0; i < n; i++)
        for (i64 j = 0; j < n; j++) {
            double s = 0.0;
            for (i64 k = 0; k < d; k++) {
                double delta = points[i * d + k] - points[j * d + k];
                s += delta * delta;
            }
            out[i * width + j] = sqrt(s);
        }
    return 0;
}

double phases(const double complex *z, i64 n, const double complex *w, i64 m) {
    double re = 0.0, im = 0.0;
    for (i64 i = 0; i < n; i++) {
        double a = creal(z[i]), b = cimag(z[i]), c = creal(w[i]), d = -cimag(w[i]);
        re += a * c - b * d;
        im += a * d + b * c;
    }
    return re;
}

typedef struct {
    double x, y;
    float vx, vy;
} particle;

double records(particle *particles, i64 n, double dt) {
    for (i64 i = 0; i < n; i++) {
        particle *p = particles + i;
        p->x += p->vx * dt;
        p->y += p->vy * dt;
        p->vy -= 9.81 * dt;
    }
    return 0;
}
