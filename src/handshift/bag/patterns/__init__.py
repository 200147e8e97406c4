"""Where in a bag the foreign words stand, one idea per file."""

from handshift.bag.patterns.block import Block, Where
from handshift.bag.patterns.blocks import Blocks
from handshift.bag.patterns.lines import Lines
from handshift.bag.patterns.pattern import Frame, Pattern
from handshift.bag.patterns.scattered import Scattered

__all__ = ["Block", "Blocks", "Frame", "Lines", "Pattern", "Scattered", "Where"]
