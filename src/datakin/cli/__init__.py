"""The command line, ``datakin``."""

from datakin.cli.entry import app, main

__all__ = ["app", "main"]
