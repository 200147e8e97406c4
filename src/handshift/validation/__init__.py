"""Validation of a model on pages of known writers: likelihood ratios, hand counts, page links, plots.

`validate` (in `protocol`) runs everything; `likelihood_ratios` measures Cllr, misleading evidence and AUC,
`hand_counts` the number of hands and the assignment of words, `plots` draws Tippett, PAV and ECE plots.
"""
