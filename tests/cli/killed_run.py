"""Code that kills a command after so many pages: between a page's line in the journal and the next."""

KILL_AFTER = """
import os, signal
if "{signal}" in ("SIGHUP", "SIGTERM"):  # nohup ignores the first
    signal.signal(signal.{signal}, signal.SIG_DFL)
from handshift.core import run_journal
add, left = run_journal.RunJournal.add, [{pages}]
def added(*arguments):
    add(*arguments)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.{signal})
run_journal.RunJournal.add = added
"""
