"""What a name that Rumba does not have does: it says so."""


def missing(module):
    """The `__getattr__` of a module of the facade."""
    shown = module.removeprefix("rumba.")

    def __getattr__(name):
        raise AttributeError(f"module '{shown}' has no attribute '{name}' in Rumba")

    return __getattr__
