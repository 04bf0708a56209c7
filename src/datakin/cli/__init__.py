"""The command line, ``datakin``."""

from datakin.cli.commands import app, main

__all__ = ["app", "main"]
