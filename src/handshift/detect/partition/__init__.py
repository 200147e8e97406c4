"""Partition likelihood ratio: two hands against one under PLDA, summed over bipartitions of the words.

`bipartition` gives the ratio of one bipartition, `priors` sums over blocks and scattered words (exactly up to
16 words), `hill_climb` and `agglomerate` search larger bags, `partition_ratio` is the detector.
"""
