"""What users of notebooks see: a real kernel of Jupyter runs cells."""
import os
import re

import pytest
from jupyter_client.manager import start_new_kernel

COLORS = re.compile(r"\x1b\[[0-9;]*m")

DIVIDES = """\
import rumba
@rumba.njit
def quotient(x):
    y = x + 1
    return 10 // y
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    environment = dict(os.environ, IPYTHONDIR=str(folder), RUMBA_CACHE_DIR=str(folder / "cache"))
    manager, client = start_new_kernel(startup_timeout=120, kernel_name="python3", env=environment)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(kernel, cell):
    """The number of a cell, and what it showed: results, streams and tracebacks by the type of their messages."""
    shown = {}

    def note(message):
        kind, content = message["msg_type"], message["content"]
        if kind == "execute_result":
            shown[kind] = content["data"]
        elif kind == "stream":
            shown[kind] = shown.get(kind, "") + content["text"]
        elif kind == "error":
            shown[kind] = COLORS.sub("", "\n".join(content["traceback"]))

    reply = kernel.execute_interactive(cell, timeout=120, output_hook=note)
    return reply["content"]["execution_count"], shown


def test_a_result_is_shown(kernel):
    run(kernel, DIVIDES)
    _, shown = run(kernel, "quotient(4)")
    assert shown["execute_result"]["text/plain"] == "2"


def test_the_arrow_points_at_the_line_that_raised(kernel):
    defined, _ = run(kernel, DIVIDES)
    called, shown = run(kernel, "1 + \\\n  quotient(-1)")
    text = shown["error"]
    assert f"Cell In[{called}], line 2" in text
    inner = text[text.index(f"Cell In[{defined}], line 5, in quotient"):]
    assert inner.splitlines()[1:5] == [
        "      2 @rumba.njit", "      3 def quotient(x):", "      4     y = x + 1", "----> 5     return 10 // y"]
    assert text.splitlines()[-1] == "ZeroDivisionError: integer division or modulo by zero"


def test_compilation_errors_name_the_cell(kernel):
    defined, _ = run(kernel, "import rumba\n@rumba.njit\ndef unknown(x):\n    return x.nothing\n")
    called, shown = run(kernel, "unknown(3)")
    text = shown["error"]
    assert f"Cell In[{called}], line 1" in text
    assert f"--> Cell In[{defined}]:4:12" in text
    assert "4 |     return x.nothing" in text


def test_logged_tracebacks_quote_the_cell(kernel):
    run(kernel, DIVIDES)
    _, shown = run(kernel, "import logging\ntry:\n    quotient(-1)\nexcept ZeroDivisionError:\n    logging.exception('failed')\n")
    lines = shown["stream"].splitlines()
    assert lines[0] == "ERROR:root:failed"
    assert lines[-4].endswith(", line 5, in quotient")
    assert lines[-3:] == ["    return 10 // y", "           ~~~^^~~", "ZeroDivisionError: integer division or modulo by zero"]


def test_dispatchers_show_their_page(kernel):
    run(kernel, DIVIDES + "quotient(1)\n")
    _, shown = run(kernel, "quotient")
    assert shown["execute_result"]["text/plain"].startswith("CPUDispatcher(<function quotient at ")
    assert "srcdoc" in shown["execute_result"]["text/html"]
