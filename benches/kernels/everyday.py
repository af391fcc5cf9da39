"""Loops of everyday programs: sorting, rings, digits, quotients, pictures, text, tables. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import math

import numpy as np


def shell_sort(source, a):
    n = len(a)
    for i in range(n):
        a[i] = source[i]
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            key = a[i]
            j = i
            while j >= gap and a[j - gap] > key:
                a[j] = a[j - gap]
                j -= gap
            a[j] = key
        gap //= 2


def bubble_sort(source, a):
    n = len(a)
    for i in range(n):
        a[i] = source[i]
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break


def selection_sort(source, a):
    n = len(a)
    for i in range(n):
        a[i] = source[i]
    for i in range(n):
        least = i
        for j in range(i + 1, n):
            if a[j] < a[least]:
                least = j
        a[i], a[least] = a[least], a[i]


def binary_insertion(source, a):
    for i in range(len(a)):
        key = source[i]
        low, high = 0, i
        while low < high:
            middle = (low + high) // 2
            if a[middle] <= key:
                low = middle + 1
            else:
                high = middle
        for j in range(i, low, -1):
            a[j] = a[j - 1]
        a[low] = key


def heap_sort(source, a):
    n = len(a)
    for i in range(n):
        a[i] = source[i]
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child


def merge_passes(source, a, b):
    n = len(a)
    for i in range(n):
        a[i] = source[i]
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        for i in range(n):
            a[i] = b[i]
        width *= 2


def partition(source, a):
    for i in range(len(a)):
        a[i] = source[i]
    pivot = a[-1]
    i = -1
    for j in range(len(a) - 1):
        if a[j] <= pivot:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[i + 1], a[-1] = a[-1], a[i + 1]
    return i + 1


def life_neighbours(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            count = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di != 0 or dj != 0:
                        count += a[(i + di) % n, (j + dj) % m]
            out[i, j] = count == 3 or (a[i, j] == 1 and count == 2)


def ring_buffer(x, buffer, out):
    n = len(buffer)
    head = 0
    total = 0.0
    for i in range(len(x)):
        total += x[i] - buffer[head]
        buffer[head] = x[i]
        head = (head + 1) % n
        out[i] = total / n


def advection(u, c, steps, out):
    n = len(u)
    for step in range(steps):
        for i in range(n):
            out[i] = u[i] - c * (u[i] - u[i - 1])
        for i in range(n):
            u[i] = out[i]


def metropolis(spins, uniform, beta):
    n, m = spins.shape
    accepted = 0
    for i in range(n):
        for j in range(m):
            s = spins[i, j]
            around = spins[(i + 1) % n, j] + spins[(i - 1) % n, j] + spins[i, (j + 1) % m] + spins[i, (j - 1) % m]
            change = 2 * s * around
            if change <= 0 or uniform[i, j] < math.exp(-beta * change):
                accepted += 1
    return accepted


def wave_ring(u, v):
    n = len(u)
    for i in range(n):
        v[i] += 0.1 * (u[(i + 1) % n] + u[(i - 1) % n] - 2.0 * u[i])
    for i in range(n):
        u[i] += 0.1 * v[i]


def josephus(n, k):
    place = 0
    for i in range(2, n + 1):
        place = (place + k) % i
    return place


def digit_sums(x, out):
    for i in range(len(x)):
        n = x[i]
        s = 0
        while n > 0:
            s += n % 10
            n //= 10
        out[i] = s


def collatz(limit, out):
    for start in range(1, limit):
        n = start
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        out[start] = steps


def divisors(a, b, out):
    for i in range(len(a)):
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        out[i] = x


def hamming(a, b):
    total = 0
    for i in range(len(a)):
        v = a[i] ^ b[i]
        while v:
            total += v & 1
            v >>= 1
    return total


def parities(x, out):
    for i in range(len(x)):
        v = x[i]
        p = 0
        while v:
            p ^= 1
            v &= v - 1
        out[i] = p


def modular_powers(x, exponent, modulus, out):
    for i in range(len(x)):
        base = x[i] % modulus
        e = exponent
        r = 1
        while e > 0:
            if e & 1:
                r = r * base % modulus
            base = base * base % modulus
            e >>= 1
        out[i] = r


def interleaved(x, y, out):
    for i in range(len(x)):
        z = 0
        for k in range(16):
            z |= ((x[i] >> k) & 1) << (2 * k) | ((y[i] >> k) & 1) << (2 * k + 1)
        out[i] = z


def primes(limit, found):
    count = 0
    for n in range(2, limit):
        k = 2
        is_prime = True
        while k * k <= n:
            if n % k == 0:
                is_prime = False
                break
            k += 1
        if is_prime:
            found[count] = n
            count += 1
    return count


def quotients(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]


def relative_errors(a, b, out):
    for i in range(len(a)):
        out[i] = abs(a[i] - b[i]) / abs(b[i])


def unit_vectors(a):
    for i in range(a.shape[0]):
        length = math.sqrt(a[i, 0] * a[i, 0] + a[i, 1] * a[i, 1] + a[i, 2] * a[i, 2])
        for k in range(3):
            a[i, k] /= length


def returns(prices, out):
    for i in range(1, len(prices)):
        out[i - 1] = prices[i] / prices[i - 1] - 1.0


def harmonic(x):
    s = 0.0
    for i in range(len(x)):
        s += 1.0 / x[i]
    return len(x) / s


def logistic(x, out):
    for i in range(len(x)):
        out[i] = 1.0 / (1.0 + math.exp(-x[i]))


def triangles(a, b, c, out):
    for i in range(len(a)):
        s = (a[i] + b[i] + c[i]) / 2
        out[i] = math.sqrt(s * (s - a[i]) * (s - b[i]) * (s - c[i]))


def rounded_mean(a, out):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        out[i] = int(s / a.shape[1] * 100)


def alpha_blend(a, b, alpha, out):
    h, w, c = a.shape
    for i in range(h):
        for j in range(w):
            for k in range(c):
                out[i, j, k] = alpha * a[i, j, k] + (1.0 - alpha) * b[i, j, k]


def sepia(image, out):
    h, w, _ = image.shape
    for i in range(h):
        for j in range(w):
            r, g, b = image[i, j, 0], image[i, j, 1], image[i, j, 2]
            out[i, j, 0] = min(255, int(0.393 * r + 0.769 * g + 0.189 * b))
            out[i, j, 1] = min(255, int(0.349 * r + 0.686 * g + 0.168 * b))
            out[i, j, 2] = min(255, int(0.272 * r + 0.534 * g + 0.131 * b))


def luminance(image, out):
    h, w, _ = image.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = (77 * image[i, j, 0] + 150 * image[i, j, 1] + 29 * image[i, j, 2]) >> 8


def halved(image, out):
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = (int(image[2 * i, 2 * j]) + image[2 * i, 2 * j + 1]
                         + image[2 * i + 1, 2 * j] + image[2 * i + 1, 2 * j + 1]) // 4


def looked_up(image, table, out):
    h, w = image.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = table[image[i, j]]


def dilated(image, out):
    h, w = image.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            most = image[i, j]
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    most = max(most, image[i + di, j + dj])
            out[i, j] = most


def gamma_corrected(image, gain, out):
    h, w = image.shape
    for i in range(h):
        for j in range(w):
            v = image[i, j] / 255.0
            out[i, j] = 255.0 * gain * v * v


def dithered(image):
    h, w = image.shape
    for i in range(h - 1):
        for j in range(1, w - 1):
            old = image[i, j]
            new = 255.0 if old > 127.0 else 0.0
            image[i, j] = new
            error = old - new
            image[i, j + 1] += error * 0.4375
            image[i + 1, j - 1] += error * 0.1875
            image[i + 1, j] += error * 0.3125
            image[i + 1, j + 1] += error * 0.0625


def run_lengths(data, values, counts):
    k = 0
    i = 0
    n = len(data)
    while i < n:
        j = i
        while j < n and data[j] == data[i]:
            j += 1
        values[k] = data[i]
        counts[k] = j - i
        k += 1
        i = j
    return k


def fnv(data):
    h = np.uint32(2166136261)
    for b in data:
        h = (h ^ b) * np.uint32(16777619)
    return h


def found_words(data, word):
    count = 0
    n, m = len(data), len(word)
    for i in range(n - m + 1):
        j = 0
        while j < m and data[i + j] == word[j]:
            j += 1
        if j == m:
            count += 1
    return count


def upper_case(data, out):
    for i in range(len(data)):
        b = data[i]
        if 97 <= b <= 122:
            b -= 32
        out[i] = b


def parse_floats(data, out):
    k = 0
    value, scale, fraction = 0.0, 1.0, False
    for i in range(len(data)):
        b = data[i]
        if b == 46:
            fraction = True
        elif 48 <= b <= 57:
            value = value * 10.0 + (b - 48)
            if fraction:
                scale *= 10.0
        else:
            out[k] = value / scale
            k += 1
            value, scale, fraction = 0.0, 1.0, False
    return k


def compressed(x, limit, out):
    k = 0
    for i in range(len(x)):
        if x[i] > limit:
            out[k] = x[i]
            k += 1
    return k


def letter_counts(data, counts):
    for b in data:
        if 97 <= b <= 122:
            counts[b - 97] += 1


def longest_increasing(x, best):
    longest = 0
    for i in range(len(x)):
        best[i] = 1
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
        longest = max(longest, best[i])
    return longest


def pascal(c):
    n = c.shape[0]
    for i in range(n):
        c[i, 0] = 1
        for j in range(1, i + 1):
            c[i, j] = c[i - 1, j - 1] + c[i - 1, j]


def partitions(ways):
    ways[0] = 1
    for i in range(1, len(ways)):
        ways[i] = 0
    for part in range(1, len(ways)):
        for total in range(part, len(ways)):
            ways[total] += ways[total - part]


def matrix_chain(p, cost):
    n = len(p) - 1
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = 1e18
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
    return cost[0, n - 1]


def viterbi(start, step, emit, seen, score, back):
    n, states = len(seen), len(start)
    for s in range(states):
        score[0, s] = start[s] + emit[s, seen[0]]
    for t in range(1, n):
        for s in range(states):
            best, which = -1e300, 0
            for r in range(states):
                v = score[t - 1, r] + step[r, s]
                if v > best:
                    best, which = v, r
            score[t, s] = best + emit[s, seen[t]]
            back[t, s] = which


def smith_waterman(a, b, H):
    best = 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            match = H[i - 1, j - 1] + (3 if a[i - 1] == b[j - 1] else -3)
            H[i, j] = max(0, match, H[i - 1, j] - 2, H[i, j - 1] - 2)
            if H[i, j] > best:
                best = H[i, j]
    return best


def cholesky(a, L):
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]


def _rng(seed=1):
    return np.random.default_rng(seed)


def _uniform(*shape, seed=1):
    return _rng(seed).random(shape) + 0.5


def _whole(n, most, seed=1):
    return _rng(seed).integers(1, most, n)


def _bytes(*shape, seed=1):
    return _rng(seed).integers(0, 256, shape).astype(np.uint8)


def _cells(n):
    return _rng().integers(0, 2, (n, n))


def _text(n=300):
    return np.frombuffer(b"12.5 345.25 7 the quick brown fox\n" * n, np.uint8).copy()


def _sorting(n):
    return lambda: (_uniform(n), np.zeros(n))


def _positive(n=60):
    a = _uniform(n, n)
    return a @ a.T + n * np.eye(n), np.zeros((n, n))


CLASSES = {
    "sorting": {
        shell_sort: _sorting(1000), bubble_sort: _sorting(150), selection_sort: _sorting(150), binary_insertion: _sorting(300),
        heap_sort: _sorting(600), merge_passes: lambda: (_uniform(1000), np.zeros(1000), np.zeros(1000)), partition: _sorting(3000),
    },
    "rings": {
        life_neighbours: lambda: (_cells(100), _cells(100)),
        ring_buffer: lambda: (_uniform(8000), np.zeros(16), np.zeros(8000)),
        advection: lambda: (_uniform(1000), 0.3, 10, np.zeros(1000)),
        metropolis: lambda: (2 * _cells(80) - 1, _uniform(80, 80) - 0.5, 0.4),
        wave_ring: lambda: (_uniform(5000), np.zeros(5000)),
        josephus: lambda: (3000, 7),
    },
    "digits": {
        digit_sums: lambda: (_whole(1000, 10**9), np.zeros(1000, np.int64)),
        collatz: lambda: (600, np.zeros(600, np.int64)),
        divisors: lambda: (_whole(500, 10**6), _whole(500, 10**6, 2), np.zeros(500, np.int64)),
        hamming: lambda: (_whole(1000, 1 << 40), _whole(1000, 1 << 40, 2)),
        parities: lambda: (_whole(1000, 1 << 40), np.zeros(1000, np.int64)),
        modular_powers: lambda: (_whole(300, 10**6), 65537, 1000003, np.zeros(300, np.int64)),
        interleaved: lambda: (_whole(1000, 1 << 16), _whole(1000, 1 << 16, 2), np.zeros(1000, np.int64)),
        primes: lambda: (2000, np.zeros(2000, np.int64)),
    },
    "quotients": {
        quotients: lambda: (_uniform(8000), _uniform(8000, seed=2), np.zeros(8000)),
        relative_errors: lambda: (_uniform(8000), _uniform(8000, seed=2), np.zeros(8000)),
        unit_vectors: lambda: (_uniform(3000, 3),),
        returns: lambda: (_uniform(8000), np.zeros(8000)),
        harmonic: lambda: (_uniform(8000),),
        logistic: lambda: (_uniform(4000), np.zeros(4000)),
        triangles: lambda: (_uniform(4000) + 1.0, _uniform(4000, seed=2) + 1.0, _uniform(4000, seed=3) + 1.0, np.zeros(4000)),
        rounded_mean: lambda: (_uniform(200, 40), np.zeros(200, np.int64)),
        cholesky: _positive,
    },
    "more pictures": {
        alpha_blend: lambda: (_bytes(100, 100, 3), _bytes(100, 100, 3, seed=2), 0.3, np.zeros((100, 100, 3), np.uint8)),
        sepia: lambda: (_bytes(100, 100, 3), np.zeros((100, 100, 3), np.uint8)),
        luminance: lambda: (_bytes(100, 100, 3), np.zeros((100, 100), np.uint8)),
        halved: lambda: (_bytes(200, 200), np.zeros((100, 100), np.uint8)),
        looked_up: lambda: (_bytes(200, 200), _bytes(256), np.zeros((200, 200), np.uint8)),
        dilated: lambda: (_bytes(150, 150), np.zeros((150, 150), np.uint8)),
        gamma_corrected: lambda: (_bytes(150, 150), 0.9, np.zeros((150, 150), np.uint8)),
        dithered: lambda: (_uniform(100, 100) * 200.0,),
    },
    "text": {
        run_lengths: lambda: (np.sort(_bytes(3000)), np.zeros(3000, np.uint8), np.zeros(3000, np.int64)),
        fnv: lambda: (_text(),),
        found_words: lambda: (_text(), np.frombuffer(b"quick", np.uint8).copy()),
        upper_case: lambda: (_text(), _text()),
        parse_floats: lambda: (_text(), np.zeros(9000)),
        compressed: lambda: (_uniform(8000), 1.0, np.zeros(8000)),
        letter_counts: lambda: (_text(), np.zeros(26, np.int64)),
    },
    "tables": {
        longest_increasing: lambda: (_uniform(200), np.zeros(200, np.int64)),
        pascal: lambda: (np.zeros((60, 60), np.int64),),
        partitions: lambda: (np.zeros(300, np.int64),),
        matrix_chain: lambda: (_uniform(41), np.zeros((40, 40))),
        viterbi: lambda: (_uniform(8), _uniform(8, 8), _uniform(8, 4), _whole(300, 4), np.zeros((300, 8)), np.zeros((300, 8), np.int64)),
        smith_waterman: lambda: (_whole(150, 5), _whole(150, 5, 2), np.zeros((151, 151), np.int64)),
    },
}
