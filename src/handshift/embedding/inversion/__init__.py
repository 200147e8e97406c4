"""Inversion of trained networks: pictures that a network maps to a class centre or to a vector.

>>> from pathlib import Path
>>> from handshift.embedding.inversion.inverted_pictures import invert_writer
>>> from handshift.embedding.inversion.search import Search
>>> from handshift.embedding.train.load import load_training
>>> trained = load_training(Path("runs/words"))  # doctest: +SKIP
>>> invert_writer(trained, trained.class_of("w0007"), 8, Search(steps=150)).cosines  # doctest: +SKIP
"""
