"""handshift finds the words in a handwritten page that another hand wrote."""

__version__ = "0.1.0"
