"""The shipped models, and how a model folder is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from handshift.core.errors import HandshiftError
from handshift.core.model_card import ModelCard

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from handshift.attribution.hand_count_calibration import HandCountCalibration
    from handshift.calibration.operating_points import ModelOperatingPoints
    from handshift.calibration.page_calibration import PageCalibration
    from handshift.calibration.pair_calibration import PairCalibration
    from handshift.calibration.scope_guard import ScopeGuard
    from handshift.detect.combination import Combination
    from handshift.detect.plda import Plda
    from handshift.embedding.crops.collection import WordCollection
    from handshift.embedding.crops.scaling import Scaling
    from handshift.embedding.embedder import Embedder
    from handshift.embedding.remembering_embedder import RememberingEmbedder

MODELS_FOLDER = Path(__file__).parent
DEFAULT = "words-4"
NETWORK = "words.onnx"


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A folder with a word network, its detectors, their calibration and its card."""

    folder: Path
    card: ModelCard

    def embedder(self, threads: int) -> Embedder:
        """The word network."""
        from handshift.embedding.embedder import Embedder

        return Embedder(self._network(), threads)

    def remembering_embedder(self, threads: int) -> RememberingEmbedder:
        """The word network, with the vectors of the newest crops kept."""
        from handshift.embedding.remembering_embedder import RememberingEmbedder

        return RememberingEmbedder(self._network(), threads)

    def _network(self) -> Path:
        if not (self.folder / NETWORK).is_file():
            raise HandshiftError(f"model {self.card.id} reads no words: {self.card.summary}")
        return self.folder / NETWORK

    def scaling(self) -> Scaling:
        """What the scale of the word network's crops is taken from."""
        from handshift.embedding.crops.scaling import scaling_of

        return scaling_of((self.folder / NETWORK).read_bytes())

    def covariances(self) -> Plda:
        """How words, sessions and writers vary."""
        from handshift.detect.plda import Plda

        return Plda.load(self.folder / "covariances.npz")

    def detector(self, threads: int) -> Combination:
        """The detectors and how they are weighed."""
        from handshift.detect.combination import FILE, Combination

        if not (self.folder / FILE).is_file():
            raise HandshiftError(
                f"model {self.card.id} has no {FILE}, so it cannot examine pages: it was calibrated on "
                "single words or by an older version; run `handshift calibrate` on pages"
            )
        return Combination.load(self.folder, threads)

    def context(self) -> PageCalibration:
        """What scores mean: calibration, propositions and reference scores."""
        from handshift.calibration.page_calibration import PageCalibration

        return PageCalibration.load(self.folder / "context.json")

    def populations(self) -> dict[str, str]:
        """The calibration population in other languages than English, where the model names it."""
        if not (self.folder / "context.json").is_file():
            return {}
        return self.context().propositions.populations

    @property
    def compares(self) -> bool:
        """Whether the model was calibrated for comparing pages."""
        return (self.folder / "comparison.json").is_file()

    def comparison(self) -> PairCalibration:
        """What scores of two sets of words mean."""
        from handshift.calibration.pair_calibration import PairCalibration

        path = self.folder / "comparison.json"
        if not self.compares:
            raise HandshiftError(
                f"model {self.card.id} was never calibrated for comparing pages; run `handshift calibrate`"
            )
        return PairCalibration.load(path)

    def scope_guard(self, force: bool = False) -> ScopeGuard:
        """Decides whether a page lies inside what this model was validated on.

        Args:
            force: Whether ratios are stated outside as well, marked as such.
        """
        from handshift.calibration.scope_fit import ScopeFit
        from handshift.calibration.scope_guard import ScopeGuard

        fit = ScopeFit.load(self.folder)
        return ScopeGuard(fit, self.covariances() if fit else None, force)

    def operating_points(self) -> ModelOperatingPoints | None:
        """Error rates of flagging pages from a log10 LR on, in the validation; None if never measured."""
        from handshift.calibration.operating_points import FILE, ModelOperatingPoints

        path = self.folder / FILE
        return ModelOperatingPoints.load(path) if path.is_file() else None

    def hands(self) -> HandCountCalibration:
        """What evidence for so many hands means."""
        from handshift.attribution.hand_count_calibration import HandCountCalibration

        path = self.folder / "hands.json"
        if not path.is_file():
            raise HandshiftError(
                f"model {self.card.id} was never calibrated for counting hands; run `handshift calibrate`"
            )
        return HandCountCalibration.load(path)

    def vectors_of(self, table: WordCollection, writers: Sequence[str], threads: int) -> NDArray[np.float32]:
        """(words of the table, dimensions) of these writers' words; zero where another wrote."""
        from handshift.embedding.word_vectors import embed_writers

        return embed_writers(table, self.embedder(threads), writers).vectors

    def fingerprint(self) -> str:
        """Of all that decides a word's vector: the network, and how words are read and drawn."""
        from hashlib import sha256

        content = (self.folder / NETWORK).read_bytes()
        return sha256(content + self.scaling().crop_format.encode()).hexdigest()


def shipped_models() -> list[ShippedModel]:
    """Every model that came with the package."""
    folders = sorted(path.parent for path in MODELS_FOLDER.glob("*/card.json"))
    return [ShippedModel(folder, _card(folder)) for folder in folders]


def find_model(name: str | None = None) -> ShippedModel:
    """Take a model by its id, or by the path of its folder; the default when none is named."""
    name = name or DEFAULT
    folder = Path(name) if (Path(name) / "card.json").is_file() else MODELS_FOLDER / name
    if not (folder / "card.json").is_file():
        known = ", ".join(model.card.id for model in shipped_models())
        raise HandshiftError(f"no model {name!r}; shipped are: {known}; or give a model's folder")
    return ShippedModel(folder, _card(folder))


def _card(folder: Path) -> ModelCard:
    return ModelCard.load(folder / "card.json", shipped=folder.parent == MODELS_FOLDER)


def find_network(name: str | None = None) -> Path:
    """Find an exported word network, of a training that need not be calibrated or of a model.

    Args:
        name: An .onnx file, a folder with words.onnx, or a model's id or folder; the default model if None.

    Returns:
        The .onnx file.

    Raises:
        HandshiftError: There is no such network.
    """
    if name is not None:
        path = Path(name)
        if path.is_file():
            return path
        if (path / NETWORK).is_file():
            return path / NETWORK
        if path.is_dir() and not (path / "card.json").is_file():
            raise HandshiftError(
                f"{path}: no {NETWORK}; give the folder that `handshift train embed` wrote to"
            )
    readers = [model.card.id for model in shipped_models() if (model.folder / NETWORK).is_file()]
    if name is not None and name not in readers:
        raise HandshiftError(
            f"no word network {name!r}; give words.onnx, a training's folder, or one of: {', '.join(readers)}"
        )
    return find_model(name).folder / NETWORK
