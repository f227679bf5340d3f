"""`python -m manufacturing.cli`, where `mp` is not on the path."""

from manufacturing.cli import main

main()
