"""Export of trained networks to ONNX: single, joined, and in float16 or int8."""
