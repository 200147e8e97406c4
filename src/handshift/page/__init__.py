"""From a scan to its words: decoding, ink, lines, words, and segmentations read from or written to files."""
