"""Liveness of variables, and `del` after the last use of each."""
from ..numba_ir import Del
from ..numba_ir.statements import ExceptionEdge, target_of, uses_of


def edges(block):
    """Labels of the blocks that a block leads to, and of those that its exceptions lead to."""
    handlers = [inst.target for inst in block.body if isinstance(inst, ExceptionEdge)]
    return list(block.terminator.get_targets()) + handlers


def live_in(blocks):
    """Names of the variables that live where each block begins."""
    facts = {label: _facts(block) for label, block in blocks.items()}
    live = {label: set() for label in blocks}
    changed = True
    while changed:
        changed = False
        for label in reversed(list(blocks)):
            reads, writes = facts[label]
            found = set(reads)
            for target in edges(blocks[label]):
                found |= live.get(target, set()) - writes
            if found != live[label]:
                live[label], changed = found, True
    return live


def _facts(block):
    reads, writes = set(), set()
    for inst in block.body:
        reads.update(name for name in uses_of(inst) if name not in writes)
        target = target_of(inst)
        if target is not None:
            writes.add(target)
    return reads, writes


def place_dels(blocks):
    """Takes the `del`s out of all blocks, and puts them where they belong."""
    for block in blocks.values():
        block.body = [inst for inst in block.body if not isinstance(inst, Del)]
    live = live_in(blocks)
    before = {label: [] for label in blocks}
    for label, block in blocks.items():
        for target in edges(block):
            if target in before:
                before[target].append(label)
    held_at_end = {}
    for label, block in blocks.items():
        out = set().union(*(live.get(target, set()) for target in edges(block)), set())
        held_at_end[label] = out | set(uses_of(block.terminator))
        block.body = _with_dels(block, out)
    for label, block in blocks.items():
        dead = set().union(*(held_at_end[known] for known in before[label]), set()) - live[label]
        block.body[:0] = [Del(name, block.loc) for name in sorted(dead, reverse=True)]


def _with_dels(block, out):
    """The statements with a `del` behind each last use and each assignment that nobody reads."""
    needed, backward = set(out), []
    for index in range(len(block.body) - 1, -1, -1):
        inst = block.body[index]
        uses, target = uses_of(inst), target_of(inst)
        if index + 1 < len(block.body):
            mentioned = uses + ([target] if target is not None and target not in uses else [])
            backward += [Del(name, inst.loc) for name in mentioned if name not in needed]
        backward.append(inst)
        needed.discard(target)
        needed.update(uses)
    return backward[::-1]
