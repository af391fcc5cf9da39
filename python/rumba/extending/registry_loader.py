"""How target contexts read registries of templates and of code."""


class RegistryLoader:
    """Gives what was registered since it was asked last."""

    def __init__(self, registry):
        self._registry, self._seen = registry, {}

    def new_registrations(self, name):
        """The new items: a name of one of the registry's lists, such as "functions"."""
        items = list(getattr(self._registry, name))
        first = self._seen.get(name, 0)
        self._seen[name] = len(items)
        return iter(items[first:])
