"""How the program is used: its help, short or whole, and wrong words without passwords."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from datakin._core.addresses import printable, told, without_password
from datakin._core.files import say

typed: ContextVar[Sequence[str]] = ContextVar("typed", default=())  # the words of this call


WHOLE = "datakin.whole_help"  # where a context keeps that all options are to be shown
# Of the options that many commands share, those that `datakin COMMAND --help` shows, in its order.
USUAL = (
    *("label", "domain", "target", "ignore", "task", "positive", "group", "recode", "name"),
    *("out", "report", "as_json", "details", "force", "fail_on", "n_jobs"),
)
# What datakin explain proposes most is shown in its help, too, behind --recode.
PROPOSED = ("convert", "match_classes")
FIRST = ("check", "choose", "predict", "demo")  # commands, as the list of all has them
OWN = "Options of "  # how the panel of a distance's own options begins

NO_METHOD = (
    "Error: The --method option is gone: 'datakin distance {} TABLES... --label COLUMN' measures a "
    "distance; score, rank and matrix compute the Cross-Learning Score."
)
# Words that are no more, and what is said to those who type them.
GONE = {
    **dict.fromkeys(("score --method", "rank --method", "matrix --method"), NO_METHOD),
    "reproduce": "The studies are beside the package: in a clone of the repository run "
    "`make reproduce NAME=...` (python -m reproduction NAME).",
}


def command_line() -> str | None:
    """Return the words of this call as they may be shown; None outside of a call."""
    shown = [printable(without_password(word)) for word in typed.get()]
    return shlex.join(["datakin", *shown]) if shown else None


def _said_of_gone(words: Sequence[str]) -> str:
    """Return what to say of the first typed word that is no more; nothing if there is none."""
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        said = GONE.get(f"{words[0]} {name}" if place else name)
        if said is not None:
            method = value or "".join(words[place + 1 : place + 2])
            return said.format("NAME" if method == "cls" else printable(method))
    return ""


def show_all(ctx: typer.Context, value: bool) -> None:
    """Print the whole help of a command, and end, if its option was typed."""
    if value:
        ctx.meta[WHOLE] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


class Command(TyperCommand):
    """A command whose help shows the options that are needed most; --help-all shows all of them."""

    kinds: Mapping[str, Any] = MappingProxyType({})  # what each option takes, by its name

    def get_params(self, ctx: Any) -> Any:
        """Return the options and arguments."""
        return [_plain(param) for param in super().get_params(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Take the words apart, after those that datakin.toml adds to them."""
        if not ctx.resilient_parsing:  # the shell asks what could follow
            from datakin.cli.study import with_study

            args = with_study(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        if ctx.meta.get(WHOLE):
            super().format_help(ctx, formatter)
            return
        params = [param for param in self.get_params(ctx) if _is_usual(param, ctx.command.name)]
        arguments = [param for param in params if param.param_type_name == "argument"]
        words = [param.name.upper() + "..." * (param.nargs == -1) for param in arguments]
        formatter.write_usage(ctx.command_path, f"{' '.join(words)} [OPTIONS]".lstrip())
        for paragraph in (self.help or "").split("\n\n"):
            _write_paragraph(formatter, " ".join(paragraph.split()))
        if arguments:
            formatter.write_paragraph()
            formatter.write_dl([(w, param.help) for w, param in zip(words, arguments, strict=True)])
        options = sorted((param for param in params if param not in arguments), key=_place)
        with formatter.section("Options"):
            formatter.write_dl([_record(param) for param in options])
        formatter.write(f"\nAll options: {ctx.command_path} --help-all\n")


def _is_usual(param: Any, command: str) -> bool:
    """Whether the short help shows an option: the command's own, and of those it shares the usual."""
    if param.param_type_name == "argument" or param.name in USUAL:
        return True
    if command == "explain" and param.name in PROPOSED:
        return True
    panel = getattr(param, "rich_help_panel", None) or OWN
    is_about_help = param.name in ("help", "help_all")
    return not param.hidden and not is_about_help and panel.startswith(OWN)


def _place(param: Any) -> int:
    """Return where an option stands: what is read, what the command does with it, where that goes."""
    if param.name in PROPOSED:
        return 2 * USUAL.index("recode") + 1
    return 2 * USUAL.index(param.name) if param.name in USUAL else 2 * USUAL.index("out") - 1


def _write_paragraph(formatter: Any, text: str) -> None:
    """Write a paragraph; a command at its end stands in a line of its own, ready to be copied."""
    said, command = text, ""
    if found := re.search(r"(?<=[:?]) (datakin .*)$", text):
        said, command = text[: found.start()], found[1]
    formatter.write_paragraph()
    formatter.write_text(said)
    if command:
        formatter.write(f"  {command}\n")


def _record(param: Any) -> tuple[str, str]:
    """Return an option and what it does, as the short help has them."""
    flags = " / ".join(filter(None, map(", ".join, (param.opts, param.secondary_opts))))
    must = " Required." if param.required else ""
    return f"{flags} {param.metavar or ''}".rstrip(), f"{param.help}{must}"


def _plain(param: Any) -> Any:
    """Return a flag without the name of its type."""
    if getattr(param, "is_flag", False) and param.metavar is None:
        param.metavar = ""
    return param


@contextmanager
def _hidden() -> Iterator[None]:
    """Hide the passwords in the message on a wrong word; of one that is gone say where it went."""
    try:
        yield
    except Exception as error:
        message = getattr(error, "message", None)  # Typer's name for what it will print
        if isinstance(message, str):
            if said := _said_of_gone(typed.get()):
                say(said)
                raise typer.Exit(1) from None
            for word in typed.get():
                if (shown := told(word)) != word:
                    message = message.replace(word, shown)
                    message = message.replace(word.partition("=")[0], shown)  # as of an option
            error.message = without_password(message)  # type: ignore[attr-defined]
        raise


class Commands(TyperGroup):
    """The commands; a message on a wrong word may hold an address."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options of the program itself."""
        return [_plain(param) for param in super().get_params(ctx)]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, those to start with first."""
        every = super().list_commands(ctx)
        return [*FIRST, *(name for name in every if name not in FIRST)]

    @_hidden()
    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the first words."""
        return super().make_context(*args, **extra)

    @_hidden()
    def invoke(self, ctx: Any) -> Any:
        """Read the other words and run the command."""
        return super().invoke(ctx)
