"""Errors, atomic writes, locks, figures and ONNX sessions that every other package uses."""
