"""Libraries beyond the core install, and the extra that brings each."""

from __future__ import annotations

from handshift.core.errors import HandshiftError

EXTRA_OF_MODULE = {
    "torch": "train",
    "lightning_fabric": "train",
    "safetensors": "train",
    "onnx": "train",
    "onnxscript": "train",
    "yaml": "train",
    "pandas": "train",
    "pyarrow": "train",
    "matplotlib": "train",
    "tensorboard": "train",
    "transformers": "train",
    "tifffile": "maps",
    "rapidocr": "ocr",
    "typst": "report",
    "koreanize_matplotlib": "report",
    "faiss": "search",
    "ray": "ray",
    "fsspec": "archive",
    "pillow_heif": "heic",
}


def missing_library(error: ModuleNotFoundError, command: str, extra: str = "") -> HandshiftError | None:
    """Turn a failed import into advice on what to install.

    Args:
        error: The failed import.
        command: The command that needs the library.
        extra: The extra that the whole command needs, if there is one; it brings the library.

    Returns:
        The error to show, or None where the module is of no extra: then the install itself is damaged.
    """
    module = (error.name or "").partition(".")[0]
    if module not in EXTRA_OF_MODULE:
        return None
    advice = f"pip install 'handshift[{extra or EXTRA_OF_MODULE[module]}]'"
    return HandshiftError(f"{command} needs {module}, which is not installed: {advice}")
