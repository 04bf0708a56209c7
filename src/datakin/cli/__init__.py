"""The command line, ``datakin``."""

from datakin.cli.commands import app, main
from datakin.cli.options import Reading, Scoring

__all__ = ["Reading", "Scoring", "app", "main"]
