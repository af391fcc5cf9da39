"""Reductions of expressions of arrays, as plain functions."""
import numpy as np


def dot(a, b):
    return np.sum(a * b)


def distance(a, b):
    return np.sqrt(((a - b) ** 2).sum())


def rows(m, n):
    return ((m - n) ** 2).sum(axis=1)


def mean_error(a, b):
    return np.mean(np.abs(a - b))


def softmax(a):
    e = np.exp(a - a.max())
    return e / e.sum()


def correlation(a, b):
    x, y = a - a.mean(), b - b.mean()
    return np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y))


def norm(a):
    return np.sqrt(np.sum(a * a))


def log_likelihood(a, b):
    return np.sum(-0.5 * (a - b) ** 2 - 0.9189385332046727)


def inside(a, b):
    return (a * a + b * b <= 1.0).sum()


def largest(a, b):
    return np.max(np.abs(a - b))


def none_over(a, b):
    return np.any(a * b > 2.0)


def weighted(a, b):
    return np.sum(a * b) / np.sum(b)
