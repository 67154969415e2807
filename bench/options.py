"""The options of a benchmark: `--help` is the module's own words, with every default.

Every module of `bench` that can be run takes its options by this, also those that others start.
"""

import argparse
import sys


class _Help(argparse.RawDescriptionHelpFormatter):
    def _get_help_string(self, action: argparse.Action) -> str:
        words = action.help or ""
        shown = action.default not in (None, False, argparse.SUPPRESS)
        return f"{words} (default: %(default)s)" if shown else words


def described(doc: str | None) -> argparse.ArgumentParser:
    """A parser that explains itself with the docstring of the module that runs."""
    spec = sys.modules["__main__"].__spec__
    return argparse.ArgumentParser(
        prog=f"python -m {spec.name}" if spec else None, description=doc, formatter_class=_Help
    )
