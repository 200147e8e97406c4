"""Training a word embedding: backbones, margins, heads, pair losses, sampling."""
