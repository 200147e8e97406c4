"""Trained networks as ONNX files: joined, and in half or integer precision."""
