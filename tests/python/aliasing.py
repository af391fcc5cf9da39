"""Random programs over nested containers that alias each other, beside CPython: what they give or raise, what the caller's
containers hold then, and which of them are one object. `python aliasing.py --programs 2000` runs many, in processes of their own
whose freed memory is overwritten."""
import argparse
import os
import random
import subprocess
import sys

from rumba import njit
from rumba.nrt_stats import rtsys

_LISTS = [
    "p[{i}].append({n})", "p[{i}] = p[{j}]", "p[{i}] = q", "q.append({n})", "del p[{i}]", "p.pop({i})", "q = p.pop()", "q = p[{i}]",
    "p[:] = [q]", "p[:] = [[{n}]]", "p.append(q)", "p.append([{n}, x])", "p.insert({i}, q)", "p.clear()", "p.reverse()",
    "p[{i}], p[{j}] = p[{j}], p[{i}]", "p[{i}].clear()", "p[{i}] = p[{i}][1:]", "p = p[1:]", "p = p + [q]", "p.extend(p)", "p *= 2",
    "x = p[{i}].pop()", "q = list(range(x))", "p[{i}] += [x]", "p[{i}].extend(q)", "p[{i}][{j}] = x", "p.remove(q)", "x = p.index(q)", "x = len(p)",
    "for v in p:\n    v.append(x)", "for v in p[:2]:\n    v.append({n})\n    p[0] = v", "del p[{i}:]", "p[{i}:{j}] = [q, q]", "p += [q]",
    "q = q + [x]", "q = p[0] if x > {n} else q", "p = [v for v in p if len(v) > 1] + [q]", "p.sort()", "q.extend(p[{i}])",
]
_SETS = [
    "p[{i}].add({n})", "p[{i}] = p[{j}]", "p[{i}] = q", "q.add({n})", "del p[{i}]", "q = p.pop()", "q = p[{i}]", "p[:] = [q]", "p[:] = [{{{n}}}]",
    "p.append(q)", "p.append({{{n}, x}})", "p.insert({i}, q)", "p.clear()", "p[{i}], p[{j}] = p[{j}], p[{i}]", "p[{i}].clear()",
    "p[{i}] = p[{i}] | q", "p[{i}] |= {{x}}", "p[{i}].update(q)", "p[{i}].discard({n})", "p[{i}].remove({n})", "p *= 2", "q = set(range(x))",
    "for v in p:\n    v.add(x)", "x = len(q)", "p.extend(p)", "p[{i}] -= q",
]
_TUPLES = [
    "p[{i}][1].append({n})", "p[{i}] = p[{j}]", "p[{i}] = ({n}, q)", "q.append({n})", "del p[{i}]", "q = p.pop()[1]", "q = p[{i}][1]",
    "p[:] = [({n}, q)]", "p[:] = [({n}, [x])]", "p.append((x, p[{i}][1]))", "p.append((x, [{n}]))", "p.insert({i}, (x, q))", "p.clear()",
    "p[{i}], p[{j}] = p[{j}], p[{i}]", "p[{i}][1].clear()", "p.reverse()", "p *= 2", "x, q = p[{i}]", "for n, v in p:\n    v.append(n)", "q = list(range(x))",
    "t = p[{i}]\nt[1].append(x)\np[{j}] = t", "x = p[{i}][0]", "p.extend(p)", "p.sort()",
]
_DICTS = [
    "p[{i}].append({n})", "p[{i}] = p[{j}]", "p[{i}] = q", "q.append({n})", "del p[{i}]", "q = p.pop({i})", "q = p[{i}]", "p.clear()",
    "q = p.popitem()[1]", "p[{n}] = [x, {n}]", "p.update({{{i}: q}})", "q = p.get({i}, q)", "q = p.setdefault({i}, q)", "p[{i}] += [x]",
    "p[{i}].clear()", "for v in p.values():\n    v.append(x)", "for k in list(p):\n    p[k] = p[{i}]", "x = len(p)", "q = list(range(x))",
    "p[{i}], p[{j}] = p[{j}], p[{i}]", "del p[{i}]\np[{i}] = q", "x = p[{i}].pop()",
]
_DEEP = [
    "p[{i}][{j}].append({n})", "p[{i}] = p[{j}]", "p[{i}] = [q]", "p[{i}][{j}] = q", "q.append({n})", "del p[{i}]", "del p[{i}][{j}]",
    "m = p[{i}]\nm.append(q)", "q = p[{i}].pop()", "q = p[{i}][{j}]", "p[:] = [[q]]", "p[:] = [[[{n}]]]", "p.append(p[{i}])", "p[{i}] = p[{j}][1:]",
    "p.append([[{n}], q])", "p.clear()", "p[{i}].clear()", "p[{i}][{j}].clear()", "p[{i}], p[{j}] = p[{j}], p[{i}]", "p *= 2", "p[{i}] *= 2",
    "for m in p:\n    for v in m:\n        v.append(x)", "for m in p:\n    m.append(q)", "p[{i}].extend(p[{j}])", "p = p[1:]", "q = list(range(x))",
    "p[{i}][{j}] = p[{j}][{i}]", "p.reverse()",
]
_ENDS = ["return x, q, p", "return q", "return p, p", "return [q, q]", "return x", "return q, x, q", "if x > {n}:\n    raise ValueError(x)\nreturn q"]

_SHAPES = {
    "lists": (_LISTS, lambda inner: [inner() for _ in range(3)], list),
    "sets": (_SETS, lambda inner: [inner() for _ in range(3)], set),
    "tuples": (_TUPLES, lambda inner: [(n, inner()) for n in range(3)], list),
    "dicts": (_DICTS, lambda inner: {n: inner() for n in range(3)}, list),
    "deep": (_DEEP, lambda inner: [[inner(), inner()] for _ in range(2)] + [[inner()]], list),
}
_RAISE = "if x > {n}:\n    raise ValueError(x)"


class Program:
    """A program of a shape: its source, and arguments for it."""

    def __init__(self, seed):
        choose = self._choose = random.Random(seed)
        self.shape = choose.choice(sorted(_SHAPES))
        pool, _, _ = _SHAPES[self.shape]
        lines = []
        for _ in range(choose.randint(2, 7)):
            lines += self._fill(_RAISE if choose.random() < 0.06 else choose.choice(pool))
        lines += self._fill(choose.choice(_ENDS))
        self.source = "def program(p, q, x):\n" + "".join(f"    {line}\n" for line in lines)
        self.seeds = [choose.random() for _ in range(4)]

    def _fill(self, text):
        names = {name: self._choose.choice(["0", "1", "-1", "x % 3", "0", "2"]) for name in "ij"}
        return text.format(n=self._choose.choice(["x", "1", "4", "7", "len(q)"]), **names).splitlines()

    def arguments(self, seed):
        """Arguments whose containers may be one object, and all of these containers."""
        choose = random.Random(seed)
        _, outer, kind = _SHAPES[self.shape]
        made = []

        def inner():
            if made and choose.random() < 0.3:
                return choose.choice(made)
            made.append(kind(choose.sample(range(9), choose.randint(1, 3))))
            return made[-1]

        p = outer(inner)
        if self.shape == "deep" and choose.random() < 0.4:
            p[1] = p[0]
        return (p, inner(), choose.randint(0, 6)), [p, *(p if self.shape == "deep" else []), *made]


class Graph:
    """What values hold: each container has a name, those of the caller before others."""

    def __init__(self, known):
        self.names, self.containers = {}, []
        for value in known:
            self.name(value)

    def name(self, value):
        """A value in terms of names."""
        if isinstance(value, tuple):
            return tuple(self.name(item) for item in value)
        if not isinstance(value, (list, set, dict)):
            return value
        if id(value) not in self.names:
            self.names[id(value)] = f"{type(value).__name__} {len(self.names)}"
            self.containers.append(value)
        return self.names[id(value)]

    def contents(self):
        """What each container holds; those that are met on the way are named, too."""
        found = []
        for value in self.containers:
            if isinstance(value, dict):
                found.append([(key, self.name(item)) for key, item in value.items()])
            else:
                found.append(sorted(value) if isinstance(value, set) else [self.name(item) for item in value])
        return found


def _result(function, program, seed):
    args, known = program.arguments(seed)
    graph = Graph(known)
    try:
        found = function(*args)
    except Exception as error:
        # Compiled code does not say which list is not in a list.
        found = type(error).__name__, [text for text in map(str, error.args) if not text.endswith("not in list")]
        return found, graph.contents()
    return graph.name(found), graph.contents()


def check(seed):
    """Runs a program compiled and by CPython; what differs, as text."""
    program = Program(seed)
    space = {}
    exec(program.source, space)
    compiled = njit(space["program"])
    for number in program.seeds:
        wanted = _result(space["program"], program, number)
        before = rtsys.get_allocation_stats()
        found = _result(compiled, program, number)
        after = rtsys.get_allocation_stats()
        if found != wanted:
            args, _ = program.arguments(number)
            return f"seed {seed}\n{program.source}{args}\ncompiled {found}\nexpected {wanted}"
        if after.alloc - before.alloc != after.free - before.free:
            return f"seed {seed}\n{program.source}leaks {after.alloc - before.alloc - after.free + before.free}"
    return None


def _main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args()
    if options.here:
        failures = [text for seed in range(options.seed, options.seed + options.programs) if (text := check(seed))]
        print("\n\n".join(failures))
        sys.exit(bool(failures))
    batch, failed = 50, 0
    for start in range(options.seed, options.seed + options.programs, batch):
        count = min(batch, options.seed + options.programs - start)
        command = [sys.executable, __file__, "--here", "--seed", str(start), "--programs", str(count)]
        ran = subprocess.run(command, env={**os.environ, "MALLOC_PERTURB_": "165"}, capture_output=True, text=True)
        if ran.returncode:
            failed += 1
            print(f"programs {start} to {start + count}: exit {ran.returncode}\n{ran.stdout}{ran.stderr[-2000:]}", flush=True)
    print(f"{options.programs} programs, {failed} batches failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    _main()
