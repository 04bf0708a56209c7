"""Every study behind a claim, as code that can be run again: ``datakin reproduce NAME``.

A study draws data, calls the library and summarises. It computes nothing that a user could not.
"""

from datakin.experiments.registry import STUDIES, reproduce

__all__ = ["STUDIES", "reproduce"]
