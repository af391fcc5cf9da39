"""The option `stages` of `njit`.

Absent: where passes run (the compiler).
"""
# The stages whose text is read back.
NAMES = ("untyped", "typed", "explicit", "llvm")


def checked(stages):
    """The passes of each stage as lists. TypeError or ValueError, with what is expected, for anything else."""
    from .. import _rumba

    if not isinstance(stages, dict):
        raise TypeError(f"stages is a dict of stages and passes, as in stages={{'typed': [p]}}, not {stages!r}")
    made = {}
    for name, passes in stages.items():
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a stage that takes passes: there are {', '.join(NAMES)} (and the option `normalized`)")
        made[name] = [passes] if callable(passes) else list(passes)
        for one in made[name]:
            if not callable(one):
                raise TypeError(f"a pass over the stage {name!r} is called with text and returns text; {one!r} cannot be called")
    _rumba.stages.enable()
    return made
