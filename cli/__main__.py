"""`python -m cli` is the same as the `bullring` command."""

from cli.main import main

main()
