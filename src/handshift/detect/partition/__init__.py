"""The partition likelihood ratio: two hands against one, over bipartitions of the words."""
