"""Statements that keep iterators in variables: across rounds of a loop that makes new ones, in tuples, in variables that functions share.

What they gave goes to a list that is an argument, so that it shows also where the function raises later.
"""
from .kinds import fits


def statements(generator):
    """Lines that make iterators of one type at several places, mix them up, and collect what they give."""
    rng = generator.rng
    lines, make, item = source(generator)
    current, former, found, turn = (generator.fresh(stem) for stem in ("c", "d", "v", "n"))
    lines += [f"{found} = []", f"{current} = {make}", f"{former} = {current}"]
    renew = [f"{current} = {make}"]
    if rng.random() < 0.4 and not generator.loops and not generator.inside:
        name = generator.fresh("g")
        lines += renewing(generator, name, current, make, found)
        renew = [f"{name}()"]
    body = [[f"{former} = {current}"], renew]
    body += [takes(generator, name, found) for name in (former, current, former)[:1 + int(rng.random() * 3)]]
    rng.shuffle(body)
    if rng.random() < 0.3:
        body.insert(int(rng.random() * len(body)), [f"if {turn} % 2: {former} = {current}"])
    lines.append(f"for {turn} in range({1 + int(rng.random() * 4)}):")
    for part in body:
        lines += ["    " + line for line in part]
    lines += takes(generator, current, found)
    if generator.log is not None:
        lines.append(f"{generator.log}.append(str({found if fits(item, 'S') else f'len({found})'}))")
    generator.scope.names[found] = ("list", item)
    return lines


def source(generator):
    """Lines that come first, the text that makes an iterator, and the type of its items."""
    rng, kind = generator.rng, generator.choose("T")
    items = generator.fresh("s")
    lines = [f"{items} = {generator.expression(('list', kind), 2)}"]
    if rng.random() < 0.5:
        # What is as far as another one shows only where there are items left.
        lines.append(f"{items} = {items} + {items}")
    number = int(rng.random() * 9)
    if number == 0:
        function, name = generator.fresh("f"), generator.fresh()
        kind = generator.base()
        generator.called_lazily += 1
        try:
            lines.append(f"{function} = lambda {name}: {generator.expression(kind, 1)}")
        finally:
            generator.called_lazily -= 1
        make, item = f"map({function}, {items})", kind
    elif number == 1:
        make, item = f"iter(range(len({items})))", ("int",)
    elif number == 2:
        value = generator.fresh("t")
        lines.append(f"{value} = {generator.expression(('str',), 2)}")
        make, item = f"zip({items}, {value})", ("tuple", kind, ("str",))
    elif number == 3:
        first, second = (generator.fresh("t") for _ in range(2))
        lines += [f"{first} = {generator.expression(kind, 1)}", f"{second} = {generator.expression(kind, 1)}"]
        make, item = f"iter(({first}, {second}, {first}))", kind
    elif number == 4:
        key, value = generator.choose("K"), generator.fresh("t")
        lines.append(f"{value} = {generator.expression(('dict', key, kind), 2)}")
        make, item = [(f"iter({value})", key), (f"iter({value}.items())", ("tuple", key, kind)), (f"iter({value}.values())", kind)][
            int(rng.random() * 3)]
    elif number == 5:
        make, item = f"filter(None, {items})", kind
    else:
        make, item = f"iter({items})", kind
    if rng.random() < 0.25:
        make, item = f"enumerate({make})", ("tuple", ("int",), item)
    return lines, make, item


def takes(generator, name, found):
    """Lines that take an item, if there is one."""
    taken = generator.fresh()
    if generator.rng.random() < 0.5:
        return [f"for {taken} in {name}:", f"    {found}.append({taken})", "    break"]
    return ["try:", f"    {found}.append(next({name}))", "except StopIteration:", "    pass"]


def renewing(generator, name, current, make, found):
    """A function that puts a new iterator into the variable and takes items of it and of the one before."""
    rng, former = generator.rng, generator.fresh("d")
    taken = [takes(generator, one, found) for one in (former, current, former)[:1 + int(rng.random() * 3)]]
    rng.shuffle(taken)
    return [f"def {name}():", f"    nonlocal {current}", f"    {former} = {current}", f"    {current} = {make}",
            *("    " + line for part in taken for line in part)]
