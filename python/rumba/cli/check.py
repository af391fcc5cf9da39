"""The command `rumba check`: what would not compile in programs, before they run."""
import sys


def check(targets, json=False, warnings=False):
    """Checks files, folders and modules, and prints what was found; the exit status: 1 if something does not compile, 2 if
    something cannot be imported or is not there."""
    import os

    from ..import_hook import install

    # Prints with colors are for display.
    if json or not sys.stdout.isatty():
        os.environ.setdefault("NO_COLOR", "1")
    install()
    sys.path.insert(0, os.getcwd())
    from ..checker.modules import files_of

    status, reports = 0, []
    for target in targets:
        try:
            files = files_of(target)
        except ValueError as fault:
            print(f"rumba: {fault}", file=sys.stderr)
            status = 2
            continue
        for file in files:
            report = _check(file)
            if report is None:
                status = 2
            else:
                reports.append(report)
                if not json:
                    _show(report, warnings)
    if json:
        _print_json(reports, warnings)
    else:
        _summarize(reports)
    return status or int(any(found.severity == "error" for report in reports for found in report.findings))


def _check(file):
    """The report of a file; prints an error and returns None if the file cannot be imported."""
    from ..checker.check import NotImported, check_file

    try:
        return check_file(file)
    except NotImported as fault:
        print(f"rumba: {file} cannot be imported: {fault}", file=sys.stderr)
        return None


def _chosen(report, warnings):
    return [found for found in report.findings if warnings or found.severity == "error"]


def _show(report, warnings):
    for found in _chosen(report, warnings):
        print(found.text, end="\n\n")


def _print_json(reports, warnings):
    import json

    print(json.dumps([found.as_dict() for report in reports for found in _chosen(report, warnings)], indent=2))


def _summarize(reports):
    failed, compiled, undecided = (sum(getattr(report, name) for report in reports)
                                   for name in ("failed", "compiled", "undecided"))
    parts = [f"{compiled} compile", f"{failed} do not" if failed != 1 else "1 does not"]
    if undecided:
        parts.append(f"{undecided} not decided, --warnings says why")
    count = failed + compiled + undecided
    print(f"{count} function{'s' * (count != 1)} in {len(reports)} file{'s' * (len(reports) != 1)}: {', '.join(parts)}")
