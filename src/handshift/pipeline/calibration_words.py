"""The words that a model is calibrated on, of one corpus or of several databases embedded before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.crop_cache import cached_words, contents_of
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.embed_databases import SPLIT
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_vectors import WordVectors, embed_writers, vectors_by_network


@dataclass(frozen=True)
class CalibrationWords:
    """Word vectors of known writers, and the split that says which of them calibrate."""

    name: str
    """Of the corpus or the databases, for sentences."""
    table: WordVectors
    split: WriterSplit
    contents: FileContents
    """What a file of the corpus held."""

    @property
    def writers(self) -> tuple[str, ...]:
        """The calibration writers."""
        return self.split.parts[self.split.calibration_part]

    @classmethod
    def of_corpus(
        cls,
        network: Path,
        data: Path,
        split: Path,
        *,
        words: Path,
        vectors: Path | None = None,
        cut: FileContents | None = None,
        threads: int = 2,
    ) -> CalibrationWords:
        """The words of a corpus; cut and embedded here, unless that was done before.

        Args:
            network: The word network.
            data: Corpus folder or manifest.
            split: Writer split.
            words: Folder of word pictures; they are cut into it where there are none.
            vectors: Instead, a folder of their vectors by this network.
            cut: What one file of the corpus holds.
            threads: Processor threads.

        Raises:
            HandshiftError: Split, words or vectors do not belong to the corpus or the network.
        """
        corpus = read_corpus(data)
        parts = WriterSplit.load(split, known=corpus.writers)
        folder = words if vectors is None else vectors / "crops"
        contents = contents_of(corpus, folder, cut)
        if vectors is not None:
            return cls(corpus.name, vectors_by_network(network, vectors), parts, contents)
        embedder = Embedder(network, threads)
        crops = cached_words(corpus, folder, contents, scaling=embedder.scaling, workers=threads)
        table = embed_writers(crops, embedder, parts.parts[parts.calibration_part])
        return cls(corpus.name, table, parts, contents)

    @classmethod
    def of_databases(cls, network: Path, vectors: Path, split: Path | None = None) -> CalibrationWords:
        """The words of several databases, as `embed_databases` left them.

        Args:
            network: The word network that made the vectors.
            vectors: Their folder.
            split: Writer split; the one beside the vectors if None.

        Raises:
            HandshiftError: There is no split, or the vectors are another network's.
        """
        path = split or vectors / SPLIT
        if not path.is_file():
            raise HandshiftError(
                f"{vectors}: no {SPLIT} beside the vectors; give --data and --split, or embed databases with "
                "`handshift corpus embed`"
            )
        table = vectors_by_network(network, vectors)
        parts = WriterSplit.load(path, known=set(table.writer.tolist()))
        *others, last = parts.corpus.split("+")
        name = f"{', '.join(others)} and {last}" if others else last
        return cls(name, table, parts, FileContents.PAGE)
