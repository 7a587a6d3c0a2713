"""The command line: one module for each group of commands, which parse, call and print."""

from askance.cli.main import app

__all__ = ["app"]
