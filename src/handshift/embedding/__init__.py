"""Word embeddings: crops, the network at run time, training, export, cleaning, inversion, galleries."""
