"""A plugin of pytest for `clients/suites.py`: a line of JSON for every test as soon as it is over.

A process that crashes or runs out of time so leaves what it has done. The lines go to the file `RECORD` names. Where `CHOSEN` names
a file with a list of tests, these alone run.
"""
import json
import os

_ORDER = ["passed", "skipped", "failed"]


class _Recorder:
    def __init__(self, file):
        self.file, self.outcome, self.text, self.seconds = file, "passed", "", 0.0

    def note(self, **record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def pytest_collection_modifyitems(self, items):
        if "CHOSEN" in os.environ:
            with open(os.environ["CHOSEN"]) as file:
                chosen = set(json.load(file))
            items[:] = [item for item in items if item.nodeid in chosen]

    def pytest_runtest_logstart(self, nodeid):
        self.outcome, self.text, self.seconds = "passed", "", 0.0
        self.note(start=nodeid)

    def pytest_runtest_logreport(self, report):
        self.seconds += report.duration
        if _ORDER.index(report.outcome) > _ORDER.index(self.outcome):
            self.outcome, self.text = report.outcome, str(report.longrepr) if report.failed else ""

    def pytest_runtest_logfinish(self, nodeid):
        self.note(end=nodeid, outcome=self.outcome, seconds=round(self.seconds, 3), text=self.text[-3000:])

    def pytest_collectreport(self, report):
        if report.failed:
            self.note(end=f"{report.nodeid} (import)", outcome="failed", seconds=0, text=str(report.longrepr)[-3000:])


    def pytest_unconfigure(self):
        self.file.close()


def pytest_configure(config):
    config.pluginmanager.register(_Recorder(open(os.environ["RECORD"], "a")))
