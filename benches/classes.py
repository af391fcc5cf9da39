"""Compiled classes beside Numba's: binary trees, a linked list, particles; first use, calls and attributes from Python.

    .venv/bin/python benches/classes.py [--rounds 5]
    .venv/bin/python benches/classes.py --docs       and the section of docs/benchmarks.md
"""
import sys

import report
import rounds
from run import ensure_numba

ABOUT = ("Objects of classes that `jitclass` compiles (`benches/classes.py --docs` measures and writes this section): what Python does with\n"
         "one, and programs of compiled code.")
WHAT = {
    "first use, ms": "class statement, first object and first method call", "make, ns": "an object made from Python",
    "method, ns": "a method called from Python", "read, ns": "an attribute read from Python",
    "assign, ns": "an attribute assigned from Python", "trees, ms": "binary trees of 12 levels", "list made, ms": "a linked list of 10,000 nodes made",
    "list read, ms": "the list read 100 times", "particles, ms": "1,000 particles in a list moved 1,000 times",
    "orbit, ms": "one particle moved 1,000,000 times",
}
PROGRAMS = ("trees, ms", "list made, ms", "list read, ms", "particles, ms", "orbit, ms")

PROGRAM = '''
import json, time, timeit
from {module} import deferred_type, float64, int64, njit, optional
from {module}.experimental import jitclass

def shortest(call, rounds=7):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best

njit(lambda x: x + 1)(1)
figures = {{}}
start = time.perf_counter()

@jitclass([("x", float64), ("y", float64), ("n", int64)])
class Point:
    def __init__(self, x, y):
        self.x, self.y, self.n = x, y, 0

    def norm(self):
        return self.x * self.x + self.y * self.y

point = Point(1.0, 2.0)
point.norm()
figures["first use, ms"] = (time.perf_counter() - start) * 1e3

def nanoseconds(statement, number=2000):
    return min(timeit.repeat(statement, globals=globals(), number=number, repeat=300)) / number * 1e9

figures["make, ns"] = nanoseconds("Point(1.0, 2.0)", 200)
figures["method, ns"] = nanoseconds("point.norm()")
figures["read, ns"] = nanoseconds("point.x")
figures["assign, ns"] = nanoseconds("point.x = 2.0")

tree_type = deferred_type()

@jitclass([("left", optional(tree_type)), ("right", optional(tree_type))])
class Tree:
    def __init__(self):
        self.left = None
        self.right = None

    def count(self):
        found = 1
        left = self.left
        if left is not None:
            found += left.count()
        right = self.right
        if right is not None:
            found += right.count()
        return found

tree_type.define(Tree.class_type.instance_type)

# (Numba types no function that makes itself by recursion: trees are made level by level.)
@njit
def trees(depth, times):
    total = 0
    for _ in range(times):
        level = [Tree() for _ in range(1 << depth)]
        while len(level) > 1:
            above = [level[0]]
            above.pop()
            for i in range(0, len(level), 2):
                parent = Tree()
                parent.left = level[i]
                parent.right = level[i + 1]
                above.append(parent)
            level = above
        stack = [level[0]]
        while len(stack) > 0:
            node = stack.pop()
            total += 1
            left, right = node.left, node.right
            if left is not None:
                stack.append(left)
            if right is not None:
                stack.append(right)
    return total

assert trees(4, 2) == 62
figures["trees, ms"] = shortest(lambda: trees(12, 10)) * 1e3

node_type = deferred_type()

@jitclass([("value", int64), ("next", optional(node_type))])
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None

node_type.define(Node.class_type.instance_type)

@njit
def chain(n):
    node = Node(0)
    for i in range(1, n):
        head = Node(i)
        head.next = node
        node = head
    return node

@njit
def total(node, times):
    found = 0
    for _ in range(times):
        at = node
        while at.next is not None:
            found += at.value
            at = at.next
    return found

# (Short enough for Numba, which gives it up by recursion.)
nodes = chain(10000)
assert total(nodes, 1) == 9999 * 5000
figures["list made, ms"] = shortest(lambda: chain(10000)) * 1e3
figures["list read, ms"] = shortest(lambda: total(nodes, 100)) * 1e3

@jitclass([("x", float64), ("y", float64), ("vx", float64), ("vy", float64)])
class Particle:
    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.vx, self.vy = x, y, vx, vy

    def push(self, fx, fy, dt):
        self.vx += fx * dt
        self.vy += fy * dt

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt

@njit
def simulate(n, steps, dt):
    particles = [Particle(float(i), 1.0, 0.0, 0.5) for i in range(n)]
    for _ in range(steps):
        for p in particles:
            p.push(-p.x, -p.y, dt)
            p.move(dt)
    energy = 0.0
    for p in particles:
        energy += p.vx * p.vx + p.vy * p.vy
    return energy

simulate(10, 1, 0.1)
figures["particles, ms"] = shortest(lambda: simulate(1000, 1000, 0.001)) * 1e3

@njit
def orbit(steps, dt):
    p = Particle(1.0, 0.0, 0.0, 1.0)
    for _ in range(steps):
        r = (p.x * p.x + p.y * p.y) ** 1.5
        p.push(-p.x / r, -p.y / r, dt)
        p.move(dt)
    return p.x

orbit(1, 0.1)
figures["orbit, ms"] = shortest(lambda: orbit(1000000, 0.0001)) * 1e3
print(json.dumps(figures))
'''


def sample(python, package):
    """The figures of one process."""
    return rounds.figures(python, PROGRAM.format(module="rumba.numba" if package == "rumba" else package))


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"rumba": sys.executable, "numba": ensure_numba()}
    best = rounds.least(args.rounds, pythons, sample)
    ours, theirs = best["rumba"], best["numba"]
    lines = [("what", "Numba", "Rumba", "times")]
    for name, what in WHAT.items():
        unit = name.rsplit(" ", 1)[1]
        lines.append((what, f"{report.number(theirs[name])} {unit}", f"{report.number(ours[name])} {unit}",
                      report.number(theirs[name] / ours[name])))
    mean = report.geometric_mean([theirs[name] / ours[name] for name in PROGRAMS])
    say = f"The five programs: {report.number(mean)} times, the geometric mean. Minima of {args.rounds} rounds."
    rounds.show("Classes", ABOUT, lines, say, pythons["numba"], args.docs)
    rounds.keep("classes", best)


if __name__ == "__main__":
    main()
