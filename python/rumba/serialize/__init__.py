"""Pickling of dispatchers and of the objects that they refer to."""
