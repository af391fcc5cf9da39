"""Random programs of functions inside functions, CPython against compiled code.

    python -m tests.differential.closures --programs 2000 --seed 3

A program is one function of two integers whose inner functions and lambdas share its variables, change them,
have defaults, call each other, stand in loops, are chosen at run time, and are returned: to the function around theirs,
and in every other program to Python, which calls them. Every value is an integer below 2**40, so that Python's integers
and machine words agree.
"""
import argparse
import functools
import random

from rumba import errors, njit, testing

ARGUMENTS = ((1, 2), (5, -3))
LIMIT = 2**40


class Writer:
    """Writes one program."""

    def __init__(self, rng):
        self.rng = rng
        self.count = 0

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def expression(self, names, functions, depth=0):
        """An expression over variables and (function, number of arguments) pairs."""
        rng = self.rng
        kind = rng.random()
        if depth > 2 or kind < 0.3:
            return rng.choice(names) if names and rng.random() < 0.75 else str(rng.randint(-3, 9))

        def part():
            return self.expression(names, functions, depth + 1)

        if kind < 0.6:
            return f"({part()} {rng.choice('+-*^&')} {part()})"
        if kind < 0.85 and functions:
            function, count = rng.choice(functions)
            return f"{function}({', '.join(part() for _ in range(count))})"
        if kind < 0.93:
            return f"({part()} if {part()} > {part()} else {part()})"
        name = self.name("p")
        return f"(lambda {name}: {self.expression([*names, name], functions, depth + 1)})({part()})"

    def function(self, pad, names, functions, own, depth):
        """An inner function: its lines, its name and how many arguments it is called with."""
        rng = self.rng
        name = self.name("f")
        parameters = [self.name("a") for _ in range(rng.randint(0, 2))]
        shown, count = list(parameters), len(parameters)
        if parameters and rng.random() < 0.25:
            shown[-1] += "=" + self.expression(names, functions, 2)
            count -= rng.random() < 0.5
        lines = [f"{pad}def {name}({', '.join(shown)}):"]
        if rng.random() < 0.5:
            changed = rng.choice(own)
            lines += [f"{pad}    nonlocal {changed}",
                      f"{pad}    {changed} = {self.expression([*names, *parameters], functions, 1)}"]
        lines += self.body(pad + "    ", [*names, *parameters], functions, depth + 1)
        return lines, (name, count)

    def makes_functions(self, pad, names, functions, depth):
        """The lines of a function's body that returns functions, and how many arguments each of these is called with."""
        rng, lines, own, made = self.rng, [], [], []
        for _ in range(rng.randint(1, 3)):
            own.append(self.name("v"))
            lines.append(f"{pad}{own[-1]} = {self.expression([*names, *own[:-1]], functions, 1)}")
        for _ in range(rng.randint(1, 3)):
            more, function = self.function(pad, [*names, *own], [*functions, *made], own, depth)
            lines += more
            made.append(function)
            if rng.random() < 0.3:
                lines.append(f"{pad}{rng.choice(own)} = {self.expression([*names, *own], made, 1)}")
        shown = ", ".join(name for name, _ in made)
        return [*lines, f"{pad}return {shown},"], [count for _, count in made]

    def returned(self, pad, names, functions, depth):
        """Functions that another one returned: the lines, and their names with the numbers of their arguments."""
        maker = self.name("m")
        lines, counts = self.makes_functions(pad + "    ", names, functions, depth + 1)
        made = [(self.name("g"), count) for count in counts]
        targets = ", ".join(name for name, _ in made)
        return [f"{pad}def {maker}():", *lines, f"{pad}{targets}, = {maker}()"], made

    def choice(self, pad, names, functions):
        """A call of one of two functions."""
        count = functions[-1][1]
        alike = [function for function, other in functions if other == count]
        if len(alike) < 2:
            return [], None
        first, second = self.rng.sample(alike, 2)
        chosen, result = self.name("h"), self.name("v")
        arguments = ", ".join(self.expression(names, [], 1) for _ in range(count))
        return [f"{pad}{chosen} = {first} if {self.expression(names, [], 1)} > 2 else {second}",
                f"{pad}{result} = {chosen}({arguments})"], result

    def body(self, pad, names, functions, depth):
        """The lines of a function's body."""
        rng, lines, names, functions, own = self.rng, [], list(names), list(functions), []
        for _ in range(rng.randint(2, 5)):
            kind = rng.random()
            if kind < 0.3 or not own:
                own.append(self.name("v"))
                lines.append(f"{pad}{own[-1]} = {self.expression(names, functions)}")
                names.append(own[-1])
            elif kind < 0.45:
                operator = rng.choice(("+=", "-=", "^=", "="))
                lines.append(f"{pad}{rng.choice(own)} {operator} {self.expression(names, functions)}")
            elif kind < 0.75 and depth < 3:
                more, function = self.function(pad, names, functions, own, depth)
                lines += more
                functions.append(function)
            elif kind < 0.8 and depth < 2:
                more, made = self.returned(pad, names, functions, depth)
                lines += more
                functions += made
            elif kind < 0.85 and functions:
                item, target = self.name("i"), rng.choice(own)
                lines += [f"{pad}for {item} in range({rng.randint(1, 3)}):",
                          f"{pad}    {target} = {target} + {self.expression([*names, item], functions)}"]
            elif kind < 0.93 and len(functions) > 1:
                more, result = self.choice(pad, names, functions)
                lines += more
                if result:
                    own.append(result)
                    names.append(result)
            else:
                condition = f"{self.expression(names, functions, 1)} > {self.expression(names, functions, 1)}"
                lines += [f"{pad}if {condition}:", f"{pad}    {rng.choice(own)} = {self.expression(names, functions)}"]
        return [*lines, f"{pad}return {self.expression(names, functions)}"]


def program(seed):
    """The text of a program, and how its functions are called if it returns some: numbers of these with arguments."""
    rng = random.Random(seed)
    writer = Writer(rng)
    head = "def main(x, y):\n"
    if seed % 2:
        return head + "\n".join(writer.body("    ", ["x", "y"], [], 0)), None
    lines, counts = writer.makes_functions("    ", ["x", "y"], [], 0)
    calls = []
    for _ in range(rng.randint(2, 6)):
        number = rng.randrange(len(counts))
        calls.append((number, [rng.randint(-3, 9) for _ in range(counts[number])]))
    return head + "\n".join(lines), calls


def results(main, calls):
    """What a program gives for the arguments, and the functions that it returns for theirs."""
    if calls is None:
        return [main(*arguments) for arguments in ARGUMENTS]
    found = []
    for arguments in ARGUMENTS:
        functions = main(*arguments)
        found += [functions[number](*given) for number, given in calls]
    return found


def check(seed):
    """Whether a program was compared; AssertionError with its text where the results differ."""
    text, calls = program(seed)
    namespace = {}
    exec(text, namespace)
    main = namespace["main"]
    wanted = results(main, calls)
    if any(abs(value) > LIMIT for value in wanted):
        return False
    for level in (0, 2, 3):
        compiled = njit(_opt_level=level)(main)
        try:
            got = results(compiled, calls)
        except errors.UnsupportedError:
            return False
        assert got == wanted, f"seed {seed}, O{level}: {got} instead of {wanted}\n{text}\n{calls}"
    if seed % 3 == 0:
        got = results(functools.partial(testing.interpret, compiled), calls)
        assert got == wanted, f"seed {seed}, interpreted: {got} instead of {wanted}\n{text}\n{calls}"
    return True


def main():
    """Compares as many programs as asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    first = options.seed * 1_000_000
    compared = sum(check(first + number) for number in range(options.programs))
    print(f"{compared} of {options.programs} programs compared, no difference")


if __name__ == "__main__":
    main()
