"""The foundation of all rooms: errors, atomic writes, locks, loaders, ONNX sessions, figures."""
