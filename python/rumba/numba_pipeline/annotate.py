"""A function with the types of its variables: statements next to their source lines, as text and as a page.

Absent: how types are found (`typed`), when it is printed (`AnnotateTypes` there, `rumba.dispatch.dispatcher`).
"""
import html
import linecache
import textwrap


class TypeAnnotation:
    """A function with the types of its variables."""

    def __init__(self, func_ir, typemap, calltypes, lifted, lifted_from, args, return_type, html_output=None):
        self.func_id, self.blocks, self.typemap, self.calltypes = func_ir.func_id, func_ir.blocks, typemap, calltypes
        self.lifted, self.num_lifted_loops, self.lifted_from = lifted, len(lifted), lifted_from
        self.signature, self.html_output = f"{args} -> {return_type}", html_output

    def prepare_annotations(self):
        """Lines of statements with types, by the lines of the source."""
        lines = {}
        for label, block in sorted(self.blocks.items()):
            first = True
            for inst in block.body:
                known = lines.setdefault(inst.loc.line, [])
                if first:
                    known.append(f"label {label}")
                    first = False
                ty = self.typemap.get(getattr(getattr(inst, "target", None), "name", None))
                known.append(f"  {inst}" + (f"  :: {ty}" if ty is not None else ""))
        return lines

    def source_lines(self):
        """The lines of the source, from the first decorator on, by their numbers."""
        code = self.func_id.code
        wanted = [line for _, _, line in code.co_lines() if line is not None]
        lines = {}
        for number in range(code.co_firstlineno, max([code.co_firstlineno, *wanted]) + 1):
            lines[number] = linecache.getline(self.func_id.filename, number).rstrip("\n")
        return lines

    def __str__(self):
        return self.annotate()

    def annotate(self):
        """The text: each line of the source below the statements that it became."""
        notes, source = self.prepare_annotations(), self.source_lines()
        shown = dict(zip(source, textwrap.dedent("\n".join(source.values())).split("\n")))
        text = [f"# File: {self.func_id.filename}"]
        for line in sorted({*shown, *notes}):
            plain = shown.get(line, "")
            indent = " " * (len(plain) - len(plain.lstrip()))
            text.append(f"{indent}# --- LINE {line} --- ")
            text.extend(f"{indent}# {note}" for note in notes.get(line, ()))
            text.extend(["", plain, ""])
        return "\n".join(text)

    def html_page(self):
        """The same as a page: a click on a line shows its statements."""
        notes, rows = self.prepare_annotations(), []
        for line, source in self.source_lines().items():
            known = html.escape("\n".join(notes.get(line, ())))
            rows.append(f"<details><summary><pre>{line:5} {html.escape(source)}</pre></summary><pre>{known}</pre></details>")
        name = html.escape(f"{self.func_id.func_qualname} {self.signature}")
        style = "summary pre{display:inline}details pre{margin:0 0 0 4em}"
        return (f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{name}</title><style>{style}</style></head>"
                f"<body><h1>{name}</h1>{''.join(rows)}</body></html>")

    def html_annotate(self, outfile):
        """Writes the page to a file."""
        outfile.write(self.html_page())


def print_annotation(annotation, config):
    """Prints an annotation, and writes it to a file, where the settings ask for that."""
    if config.ANNOTATE:
        print("ANNOTATION".center(80, "-"))
        print(annotation)
        print("=" * 80)
    if config.HTML:
        with open(config.HTML, "a", encoding="utf-8") as file:
            annotation.html_annotate(file)
