"""The error of the corpus room."""

from handshift.error import HandshiftError


class CorpusError(HandshiftError):
    """A corpus, manifest or split cannot be used; the message names the file and the remedy."""
