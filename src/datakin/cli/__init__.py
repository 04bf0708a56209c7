"""The command line, ``datakin``."""

from datakin.cli import choosing, commands
from datakin.cli.program import app, main

__all__ = ["app", "main"]

ROOMS = (commands, choosing)  # each adds its commands to the app
