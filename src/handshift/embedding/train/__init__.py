"""Training of word embeddings: backbones, margins, heads, pair losses, samplers and the training call.

What can be used alone in a torch loop of one's own is importable from `backbones`, `heads`, `margins`,
`pair_losses` and `sampling`; `train_embedding.train_embedding` is the whole training as one call.
"""
