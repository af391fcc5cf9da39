"""Makes the compiler read its own text again at the end of every stage: what the text form leaves out, compiled code must not need."""


def reread(text):
    """The same text in another form, which makes the compiler read it."""
    return text.replace('file "', 'file  "', 1)


# The option `stages` of `njit`.
STAGES = {"untyped": reread, "typed": reread, "explicit": reread}
