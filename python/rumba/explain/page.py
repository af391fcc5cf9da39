"""The page that shows how a function was compiled: one self-contained HTML file."""
import html
import io
import json
import keyword
import pathlib
import string
import tokenize

# How notes of each kind are shown: as good, as bad, or as neutral.
_LOOKS = {"vectorized": "good", "fused": "good", "parallel": "good", "unchecked": "good", "versioned": "good", "not vectorized": "warn",
          "not fused": "warn", "serial": "warn", "check": "warn", "allocation": "warn", "objects": "bad", "several types": "warn", "race": "bad"}
_STAGES = {"untyped": "untyped", "typed": "typed", "explicit": "explicit", "llvm": "LLVM before", "optimized": "LLVM", "assembly": "assembly"}
_OPEN = ("typed", "optimized", "assembly")
_BARS = "Bars show the number of machine instructions of a line, not time. "
_MEASURED = ("Bars show the share of the processor time of compiled code that a line used: {compiled} of {total} samples were taken in "
             "compiled code and in what it calls. ")
_REMARKS = "Notes on vectorized and unrolled loops are the remarks of LLVM's passes."
_NO_REMARKS = ("LLVM's reasons for loops that are not vectorized are recorded in processes started with <code>RUMBA_REMARKS=1</code>; "
               "<code>rumba explain</code> sets it.")


class Page:
    """How a function was compiled: shown as a page in notebooks; `save` writes it to a file; `data` is its content."""

    def __init__(self, data, text=""):
        self.data, self._text = data, text or f"<page of {data['name']}, save() writes it to a file>"

    def save(self, path):
        """Writes the page to an HTML file."""
        pathlib.Path(path).write_text(page(self.data), encoding="utf-8")

    def _repr_html_(self):
        # Its style and its script are its own.
        return f'<iframe style="width: 100%; height: 640px; border: 0" srcdoc="{_text(page(self.data))}"></iframe>'

    def __str__(self):
        return self._text

    __repr__ = __str__


def page(found):
    """The page for the data of `explain`."""
    template = string.Template(pathlib.Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    measured = found.get("samples", {}).get("compiled")
    sections = [_section(number, one, measured) for number, one in enumerate(found["functions"])]
    if len(sections) > 1:
        chooser = "".join(f'<button data-signature="{number}" aria-pressed="{"true" if number == 0 else "false"}"><code>'
                          f'{_text(_head(one))}</code></button>' for number, one in enumerate(found["functions"]))
        sections.insert(0, f"<nav>{chooser}</nav>")
    if not sections:
        sections = ["<nav>The function is not compiled yet: call it, or give it a signature.</nav>"]
    stages = {"functions": [{"stages": one["stages"]} for one in found["functions"]]}
    return template.substitute(
        title=_text(f"{found['name']}: how it was compiled"), name=_text(found["name"]), file=_text(found["file"]),
        first_line=found["first_line"], body="\n".join(sections),
        footer="Choose a line to see the code compiled from it. "
               + (_MEASURED.format(**found["samples"]) if "samples" in found else _BARS) + (_REMARKS if found["remarks"] else _NO_REMARKS),
        # "</" would end the script element.
        data=json.dumps(stages, separators=(",", ":")).replace("</", "<\\/"))


def _section(number, found, measured):
    most = max((line["instructions"] for line in found["lines"]), default=0) or 1
    count = _instructions(most) if measured is None else _time(measured)
    rows = "\n".join(_row(line, marked, count(line)) for line, marked in zip(found["lines"], _marked([line["text"] for line in found["lines"]])))
    buttons = "".join(f'<button data-stage="{name}" aria-pressed="{"true" if name in _OPEN else "false"}">{title}</button>'
                      for name, title in _STAGES.items() if name in found["stages"])
    only = '<button data-only aria-pressed="true">chosen line only</button>' if found["stages"] else ""
    return (f'<section class="function{" shown" if number == 0 else ""}" data-number="{number}">\n'
            f'<nav><code>{_text(_head(found))}</code></nav>\n<div class="source"><table>\n<thead><tr><td class="number">line</td><td>source</td>'
            f'<td>result</td><td class="count">{"instructions" if measured is None else "time"}</td></tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n'
            f'<nav>{buttons}{only}</nav>\n<div class="panes"></div>\n</section>')


def _head(found):
    """The head of a function with its types."""
    arguments = ", ".join(f"{name}: {ty}" for name, ty in found["arguments"])
    return f"{found['name']}({arguments}) -> {found['result']}"


def _instructions(most):
    """What shows the number of instructions of a line, and a bar for its part of the most that one has."""
    def cell(line):
        count = line["instructions"]
        return (count or "", 100 * count / most, "")
    return cell


def _time(measured):
    """What shows the share of a line in all samples."""
    def cell(line):
        share = 100 * line["samples"] / measured if measured else 0.0
        return (f"{share:.1f} %" if share else "", share, " heat")
    return cell


def _row(line, marks, cell):
    notes = "".join(f'<span class="note {_LOOKS.get(one["kind"], "")}" data-kind="{_text(one["kind"])}" title="{_text(one["text"])}">'
                    f'{_text(_label(one))}</span>' for one in line["notes"])
    shown, share, kind = cell
    style = f' style="--share:{share:.0f}%"' if share else ""
    return (f'<tr data-line="{line["number"]}" tabindex="0"><td class="number">{line["number"]}</td><td>{_typed(line, marks)}</td>'
            f'<td class="notes">{notes}</td><td class="count{kind}"{style}>{shown}</td></tr>')


def _label(note):
    """What a note shows without a pointer on it."""
    kind, text = note["kind"], note["text"]
    if kind == "vectorized":
        width = text.partition("width: ")[2].partition(",")[0]
        return f"vectorized \N{MULTIPLICATION SIGN}{width}" if width else "vectorized"
    if kind in ("not vectorized", "not fused", "serial"):
        return text if kind == "serial" else f"{kind}: {text}"
    if kind == "unrolled":
        return "unrolled \N{MULTIPLICATION SIGN}" + text.partition("factor of ")[2].split()[0] if "factor of " in text else "unrolled"
    return {"unchecked": "no checks", "versioned": "checks ahead of the loop"}.get(kind, text)


def _typed(line, marks):
    """The text of a line with colors, and the types of its expressions on hover: the innermost counts."""
    text = line["text"]
    inner = [None] * len(text)
    for one in sorted(line["types"], key=lambda one: one["start"] - one["end"]):
        for at in range(one["start"], min(one["end"], len(text))):
            inner[at] = one
    out, at = [], 0
    while at < len(text):
        end = at
        while end < len(text) and inner[end] is inner[at] and marks[end] == marks[at]:
            end += 1
        piece = _text(text[at:end])
        piece = f'<span class="{marks[at]}">{piece}</span>' if marks[at] else piece
        out.append(f'<span data-type="{_text(inner[at]["type"])}">{piece}</span>' if inner[at] else piece)
        at = end
    return "".join(out)


def _marked(lines):
    """For each line the class of each character: keyword, string, number, comment, or none."""
    marks = [[""] * len(line) for line in lines]
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline))
    except (tokenize.TokenError, IndentationError):
        return marks
    kinds = {tokenize.STRING: "s", tokenize.NUMBER: "n", tokenize.COMMENT: "c"}
    for token in tokens:
        kind = "k" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else kinds.get(token.type, "")
        if kind:
            for row in range(token.start[0], token.end[0] + 1):
                last = token.end[1] if row == token.end[0] else len(lines[row - 1])
                first = token.start[1] if row == token.start[0] else 0
                marks[row - 1][first:last] = [kind] * (last - first)
    return marks


def _text(text):
    return html.escape(str(text))
