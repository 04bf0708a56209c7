"""Commands that are elsewhere by now."""

from __future__ import annotations

import typer

from datakin.cli.program import app

__all__ = ["reproduce"]


@app.command(
    hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def reproduce() -> None:
    """Say where the studies of the paper are."""
    typer.echo(
        "The studies are beside the package: in a clone of the repository run "
        "`make reproduce NAME=...` (python -m reproduction NAME).",
        err=True,
    )
    raise typer.Exit(1)
