"""Inversion of trained networks: pictures that a network maps to a class centre or to a vector.

>>> from pathlib import Path
>>> from handshift.embedding.inversion import Search, invert_writer, load_training
>>> trained = load_training(Path("runs/words"))  # doctest: +SKIP
>>> invert_writer(trained, trained.class_of("w0007"), 8, Search(steps=150)).cosines  # doctest: +SKIP
"""

from handshift.embedding.inversion.inverted_pictures import InvertedPictures, invert_vector, invert_writer
from handshift.embedding.inversion.pixels import Drawing
from handshift.embedding.inversion.search import BatchNormPrior, Search, invert
from handshift.embedding.train.load import load_training

__all__ = [
    "BatchNormPrior",
    "Drawing",
    "InvertedPictures",
    "Search",
    "invert",
    "invert_vector",
    "invert_writer",
    "load_training",
]
