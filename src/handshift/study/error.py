"""What can be wrong with a study, said so that it can be put right."""

from handshift.error import HandshiftError


class StudyError(HandshiftError):
    """A study file, a results folder or a table that cannot be used as it is."""
