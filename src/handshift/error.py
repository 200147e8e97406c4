"""The one family of errors a person at the desk is meant to read."""


class HandshiftError(Exception):
    """Something the user can put right: the message says what was wrong, where, and what to do."""
