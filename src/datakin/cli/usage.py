"""Wrong words on the command line: they are repeated without passwords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from typer.core import TyperGroup

from datakin._core.addresses import told, without_password

__all__ = ["Commands", "typed"]

typed: ContextVar[Sequence[str]] = ContextVar("typed", default=())  # the words of this call


class Commands(TyperGroup):
    """The commands; a message on a wrong word may hold an address."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the first words."""
        with _hidden():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Read the other words and run the command."""
        with _hidden():
            return super().invoke(ctx)


@contextmanager
def _hidden() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        message = getattr(error, "message", None)  # Typer's name for what it will print
        if isinstance(message, str):
            for word in typed.get():
                if (shown := told(word)) != word:
                    message = message.replace(word, shown)
                    message = message.replace(word.partition("=")[0], shown)  # as of an option
            error.message = without_password(message)  # type: ignore[attr-defined]
        raise
