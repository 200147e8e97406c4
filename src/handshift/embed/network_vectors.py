"""Word pictures through a network of torch, each at the narrowest canvas that holds it."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.embed.backbones.network import Network
from handshift.embed.crop import by_width

_BATCH = 256


@torch.no_grad()
def network_vectors(network: Network, crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(words, height, width) → (words, dimensions), unit rows."""
    network.eval()
    device = next(network.parameters()).device
    vectors = np.empty((len(crops), network.dimensions), np.float32)
    for rows, alike in by_width(crops):
        for start in range(0, rows.size, _BATCH):
            pictures = torch.from_numpy(as_numbers(alike[start : start + _BATCH])).to(device)
            pictures = pictures.contiguous(memory_format=torch.channels_last)
            vectors[rows[start : start + _BATCH]] = network(pictures).cpu().numpy()
    return vectors


def as_numbers(pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(batch, height, width) → (batch, 1, height, width) in 0…1."""
    return (pictures[:, None] / np.float32(255)).astype(np.float32)
