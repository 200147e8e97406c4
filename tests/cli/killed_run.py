"""Code that kills a command after so many pages: between a page's line in the journal and the next."""

KILL_AFTER = """
import os, signal
# A shell starts what runs behind it with SIGINT ignored, and nohup ignores SIGHUP.
if "{signal}" == "SIGINT":
    signal.signal(signal.SIGINT, signal.default_int_handler)
elif "{signal}" in ("SIGHUP", "SIGTERM"):
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
