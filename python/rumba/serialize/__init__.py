"""Pickling of dispatchers and of what they refer to."""
