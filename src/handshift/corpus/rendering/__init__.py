"""Pages drawn from recorded strokes and from fonts, with any pen on any paper."""
