"""Fifteen functions over scalars and tuples, as people write them. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
scalar.c holds the same with Python's semantics.
"""
import cmath
import math


def mandelbrot(njit):
    """Iterations until |z| > 2 over a grid, float64."""

    @njit
    def escape_time(cr, ci, limit):
        zr = 0.0
        zi = 0.0
        for count in range(limit):
            zr2 = zr * zr
            zi2 = zi * zi
            if zr2 + zi2 > 4.0:
                return count
            zi = 2.0 * zr * zi + ci
            zr = zr2 - zi2 + cr
        return limit

    @njit
    def mandelbrot(size, limit):
        total = 0
        for row in range(size):
            y = -1.5 + 3.0 * row / size
            for column in range(size):
                x = -2.0 + 3.0 * column / size
                total += escape_time(x, y, limit)
        return total

    return mandelbrot


def collatz(njit):
    """The start below a limit with the longest chain, and that length."""

    @njit
    def collatz(limit):
        best = 0
        best_start = 0
        for start in range(1, limit):
            n = start
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n //= 2
                else:
                    n = 3 * n + 1
                steps += 1
            if steps > best:
                best = steps
                best_start = start
        return best_start, best

    return collatz


def queens(njit):
    """Placements of queens on a board, by recursion over bit masks."""

    @njit
    def place(columns, left, right, full):
        if columns == full:
            return 1
        count = 0
        free = full & ~(columns | left | right)
        while free:
            bit = free & -free
            free ^= bit
            count += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, full)
        return count

    @njit
    def queens(n):
        return place(0, 0, 0, (1 << n) - 1)

    return queens


def newton(njit):
    """Newton's method for z**3 = 1 from a grid of starts, complex128; sum of steps and of roots hit."""

    @njit
    def newton(size, limit):
        steps = 0
        first = 0
        for row in range(size):
            for column in range(size):
                z = complex(-2.0 + 4.0 * column / size, -2.0 + 4.0 * row / size) + 0.001j
                for _ in range(limit):
                    square = z * z
                    change = (square * z - 1.0) / (3.0 * square)
                    z -= change
                    steps += 1
                    if change.real * change.real + change.imag * change.imag < 1e-12:
                        break
                if abs(z - 1.0) < 1e-3:
                    first += 1
        return steps, first

    return newton


def gcd(njit):
    """Pairs without a common divisor, by Euclid's algorithm."""

    @njit
    def gcd(a, b):
        while b:
            a, b = b, a % b
        return a

    @njit
    def coprime_pairs(limit):
        count = 0
        for a in range(1, limit):
            for b in range(1, limit):
                if gcd(a, b) == 1:
                    count += 1
        return count

    return coprime_pairs


def runge_kutta(njit):
    """Predators and prey, fourth-order Runge-Kutta on a pair."""

    @njit
    def slope(state, a, b, c, d):
        prey, predators = state
        return a * prey - b * prey * predators, d * prey * predators - c * predators

    @njit
    def along(state, direction, distance):
        return state[0] + distance * direction[0], state[1] + distance * direction[1]

    @njit
    def runge_kutta(steps, dt):
        state = (10.0, 5.0)
        for _ in range(steps):
            k1 = slope(state, 1.1, 0.4, 0.4, 0.1)
            k2 = slope(along(state, k1, dt / 2), 1.1, 0.4, 0.4, 0.1)
            k3 = slope(along(state, k2, dt / 2), 1.1, 0.4, 0.4, 0.1)
            k4 = slope(along(state, k3, dt), 1.1, 0.4, 0.4, 0.1)
            state = (state[0] + dt / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]),
                     state[1] + dt / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]))
        return state

    return runge_kutta


def primes(njit):
    """Primes below a limit, by trial division."""

    @njit
    def is_prime(n):
        if n < 2:
            return False
        if n % 2 == 0:
            return n == 2
        divisor = 3
        while divisor * divisor <= n:
            if n % divisor == 0:
                return False
            divisor += 2
        return True

    @njit
    def primes(limit):
        count = 0
        for n in range(limit):
            if is_prime(n):
                count += 1
        return count

    return primes


def mixing(njit):
    """A 64-bit hash over a counter."""

    @njit
    def mixing(count, seed):
        state = seed
        for i in range(count):
            k = i * 0x5BD1E995
            k ^= k >> 24
            k *= 0x5BD1E995
            state = (state * 0x5BD1E995) ^ k
            state ^= state >> 13
        state ^= state >> 15
        return state

    return mixing


def fibonacci(njit):
    """Fibonacci by double recursion."""

    @njit
    def fibonacci(n):
        if n < 2:
            return n
        return fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci


def ackermann(njit):
    """Ackermann's function, with Python's recursion guarded."""

    @njit
    def ackermann(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ackermann(m - 1, 1)
        return ackermann(m - 1, ackermann(m, n - 1))

    return ackermann


def black_scholes(njit):
    """Call prices over a range of strikes, with erf, log, exp and sqrt."""

    @njit
    def normal(x):
        return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

    @njit
    def black_scholes(count, spot, rate, sigma, time):
        total = 0.0
        for i in range(count):
            strike = spot * (0.5 + i / count)
            spread = sigma * math.sqrt(time)
            d1 = (math.log(spot / strike) + (rate + 0.5 * sigma * sigma) * time) / spread
            d2 = d1 - spread
            total += spot * normal(d1) - strike * math.exp(-rate * time) * normal(d2)
        return total / count

    return black_scholes


def miller_rabin(njit):
    """Primes in a range by the Miller-Rabin test."""

    @njit
    def power(base, exponent, modulus):
        result = 1
        base %= modulus
        while exponent > 0:
            if exponent & 1:
                result = result * base % modulus
            base = base * base % modulus
            exponent >>= 1
        return result

    @njit
    def is_prime(n):
        for small in (2, 3, 5, 7, 11, 13):
            if n % small == 0:
                return n == small
        odd = n - 1
        twos = 0
        while odd % 2 == 0:
            odd //= 2
            twos += 1
        for witness in (2, 3, 5, 7):
            x = power(witness, odd, n)
            if x == 1 or x == n - 1:
                continue
            for _ in range(twos - 1):
                x = x * x % n
                if x == n - 1:
                    break
            else:
                return False
        return True

    @njit
    def miller_rabin(start, stop):
        count = 0
        for n in range(start, stop):
            if is_prime(n):
                count += 1
        return count

    return miller_rabin


def monte_carlo(njit):
    """Pi by throwing darts with a linear congruential generator."""

    @njit
    def monte_carlo(count, seed):
        state = seed
        inside = 0
        for _ in range(count):
            state = (1103515245 * state + 12345) % 2147483648
            x = state / 2147483648.0
            state = (1103515245 * state + 12345) % 2147483648
            y = state / 2147483648.0
            if x * x + y * y <= 1.0:
                inside += 1
        return 4.0 * inside / count

    return monte_carlo


def simpson(njit):
    """Simpson's rule over a function with a case distinction."""

    @njit
    def height(x):
        if x < 1.0:
            return math.sin(x) * math.exp(-x)
        return math.cos(x) / (1.0 + x * x)

    @njit
    def simpson(low, high, steps):
        h = (high - low) / steps
        total = height(low) + height(high)
        for i in range(1, steps):
            x = low + i * h
            if i % 2:
                total += 4.0 * height(x)
            else:
                total += 2.0 * height(x)
        return total * h / 3.0

    return simpson


def quaternions(njit):
    """A vector turned by a product of many unit quaternions, complex phases beside it."""

    @njit
    def product(p, q):
        a, b, c, d = p
        e, f, g, h = q
        return (a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
                a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e)

    @njit
    def quaternions(count, angle):
        half = angle / 2.0
        turn = (math.cos(half), math.sin(half) * 0.6, 0.0, math.sin(half) * 0.8)
        total = (1.0, 0.0, 0.0, 0.0)
        phase = 1.0 + 0.0j
        step = cmath.exp(1j * angle)
        for i in range(count):
            total = product(total, turn)
            phase *= step
            if i % 1000 == 999:
                size = math.sqrt(total[0] ** 2 + total[1] ** 2 + total[2] ** 2 + total[3] ** 2)
                total = (total[0] / size, total[1] / size, total[2] / size, total[3] / size)
                phase /= abs(phase)
        return total[0] + total[1] + total[2] + total[3] + phase.real

    return quaternions


# The kernel, the arguments of the measured call, and of a call that only compiles.
KERNELS = {
    "mandelbrot": (mandelbrot, (200, 200), (2, 2)),
    "collatz": (collatz, (30_000,), (2,)),
    "queens": (queens, (11,), (3,)),
    "newton": (newton, (150, 40), (2, 2)),
    "gcd": (gcd, (400,), (2,)),
    "runge_kutta": (runge_kutta, (200_000, 0.001), (1, 0.1)),
    "primes": (primes, (60_000,), (5,)),
    "mixing": (mixing, (3_000_000, 7), (3, 7)),
    "fibonacci": (fibonacci, (27,), (3,)),
    "ackermann": (ackermann, (2, 600), (1, 1)),
    "black_scholes": (black_scholes, (100_000, 100.0, 0.03, 0.2, 1.0), (2, 100.0, 0.03, 0.2, 1.0)),
    "miller_rabin": (miller_rabin, (1_000_003, 1_020_003), (5, 7)),
    "monte_carlo": (monte_carlo, (1_000_000, 42), (1, 42)),
    "simpson": (simpson, (0.0, 3.0, 200_000), (0.0, 3.0, 2)),
    "quaternions": (quaternions, (400_000, 0.1), (1, 0.1)),
}
