"""Pages are listed as a reader writes them."""

from handshift.core.number_ranges import number_ranges


def test_neighbours_are_joined():
    assert number_ranges([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7–8"
    assert number_ranges([]) == ""
