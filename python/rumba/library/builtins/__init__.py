"""Python's builtin functions and types."""
