"""python -m handshift is the handshift command."""

from handshift.cli import main

main()
