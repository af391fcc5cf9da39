"""What a name that Rumba does not have does: it says so."""


def missing(module):
    """The `__getattr__` of a module of the facade."""
    shown = module.removeprefix("rumba.")

    def __getattr__(name):
        raise AttributeError(f"module '{shown}' has no attribute '{name}' in Rumba: it is not there (yet)")

    return __getattr__
