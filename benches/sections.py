"""Sections of a Markdown page: what one bench writes stays when another one writes the page anew."""
import re


def body(page, heading):
    """What stands below a heading of the second level, or None where there is no such heading."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return found and found[1].strip()


def with_body(page, heading, text, before):
    """The page with another text below a heading, which is put before another one if it is not there yet."""
    section = f"## {heading}\n\n{text}\n\n"
    if body(page, heading) is None:
        at = page.index(f"## {before}\n")
        return page[:at] + section + page[at:]
    return re.sub(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", lambda _: section, page, count=1, flags=re.M | re.S)
