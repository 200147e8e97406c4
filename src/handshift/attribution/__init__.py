"""Attribution: how many hands wrote a page, which word is whose, and which hands recur on other pages.

A page's words are modelled as in speaker diarisation: PLDA likelihoods (`handshift.detect.plda`), a hidden
Markov model over the word sequence (`forward_backward`), variational Bayes as in VBx (`variational`),
sessions merged into writers (`session_merging`), and agglomerative clustering of hands across pages
(`page_linking`). `hand_count_calibration` turns the evidence into posteriors. Results: `verdict`,
`document`, `comparison`, `identification`.
"""
