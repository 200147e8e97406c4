"""The version of the package, for rooms that record it in what they write."""

__version__ = "0.1.0"
