"""Pictures out of a trained network: what it takes a hand to be."""
