"""The training loop of every model: schedules, monitoring, checkpoints, resume, early stopping."""

from handshift.training.config import TrainingConfig
from handshift.training.evaluate import TrainingResult
from handshift.training.fit import fit
from handshift.training.nan_dump import NonFiniteError
from handshift.training.prefetch import batch_generator, seed_step
from handshift.training.task import Task
from handshift.training.tensors import load_weights

__all__ = [
    "NonFiniteError",
    "Task",
    "TrainingConfig",
    "TrainingResult",
    "batch_generator",
    "fit",
    "load_weights",
    "seed_step",
]
