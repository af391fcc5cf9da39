"""A sparse linear system: the heat equation at rest on a square plate, solved by conjugate gradients.

    python -m rumba examples/conjugate_gradient.py

The matrix is kept in compressed rows (CSR): values, their columns, and where each row begins.
Source: M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
"""
import time

import numpy as np
from numba import njit


@njit
def plate(side):
    """The five-point Laplacian of a square of side x side inner points, in compressed rows."""
    values, columns, starts = [], [], [0]
    for row in range(side):
        for column in range(side):
            here = row * side + column
            for near_row, near_column in ((row - 1, column), (row, column - 1), (row, column), (row, column + 1),
                                          (row + 1, column)):
                if 0 <= near_row < side and 0 <= near_column < side:
                    there = near_row * side + near_column
                    values.append(4.0 if there == here else -1.0)
                    columns.append(there)
            starts.append(len(values))
    return np.array(values), np.array(columns), np.array(starts)


@njit
def multiply(matrix, vector, result):
    """The product of a matrix in compressed rows and a vector."""
    values, columns, starts = matrix
    for row in range(len(result)):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * vector[columns[at]]
        result[row] = total


@njit
def solve(matrix, right, tolerance):
    """The solution of matrix @ x = right, and the number of steps."""
    x = np.zeros_like(right)
    residual = right.copy()
    direction = residual.copy()
    image = np.empty_like(right)
    square = (residual * residual).sum()
    steps = 0
    while square > tolerance * tolerance:
        multiply(matrix, direction, image)
        length = square / (direction * image).sum()
        x += length * direction
        residual -= length * image
        before, square = square, (residual * residual).sum()
        direction = residual + square / before * direction
        steps += 1
    return x, steps


def dense(matrix):
    """The same matrix with all its zeros."""
    values, columns, starts = matrix
    full = np.zeros((len(starts) - 1, len(starts) - 1))
    for row in range(len(full)):
        full[row, columns[starts[row]:starts[row + 1]]] = values[starts[row]:starts[row + 1]]
    return full


def main():
    """Solves a small system beside NumPy, then a large one."""
    started = time.perf_counter()
    small = plate(8)
    right = np.linspace(0.0, 1.0, 64)
    x, _ = solve(small, right, 1e-12)
    first = time.perf_counter() - started
    assert np.allclose(x, np.linalg.solve(dense(small), right), rtol=1e-10)

    side = 200
    started = time.perf_counter()
    matrix = plate(side)
    right = np.full(side * side, 1.0 / side ** 2)
    x, steps = solve(matrix, right, 1e-10)
    run = time.perf_counter() - started
    left = np.empty_like(right)
    multiply(matrix, x, left)
    assert np.abs(left - right).max() < 1e-9
    print(f"conjugate gradients: {side * side:,} unknowns, {len(matrix[0]):,} values, {steps} steps; "
          f"the middle of the plate has {x.reshape(side, side)[side // 2, side // 2]:.4f}")
    print(f"first calls {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as numpy.linalg.solve for 64 unknowns")


if __name__ == "__main__":
    main()
