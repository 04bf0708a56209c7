"""The commands that choose sources, predict with what was learned from them, and show both at work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

import datakin
from datakin._core.addresses import printable
from datakin._core.exceptions import DatakinError
from datakin._core.files import say
from datakin.cli.corrections import names
from datakin.cli.options import Choosing, Running, argument, option, register
from datakin.cli.output import CallsOutput, DataOutput, Output, error_text
from datakin.cli.program import START, app
from datakin.cli.reading import DOMAIN, TABLES, TARGET, Reading, ReadingNew

FRESH = 2_000  # rows that check the error of the demo's model


@register(app, START, "Choose sources, fit the model, say what error to expect.")
def choose(
    reading: Reading,
    output: CallsOutput,
    choosing: Choosing,
    tables: list[str] = TABLES,
    domain: str | None = DOMAIN,
    target: str | None = TARGET,
    model: Path | None = option("Save the fitted model: kin.datakin, for datakin predict."),
    test: str | None = option("A labelled table of later rows: the stated error is checked on it."),
    add_to: str | None = option("A saved model: its sources stay as they are, these are added."),
    repeats: int | None = option(
        "Draws of the folds; by default 5 to 12, until the answer stays the same.",
        min=1,
        panel=Choosing.panel,
    ),
) -> None:
    """Choose the sources to learn from, fit the model, say what error to expect.

    For example: datakin choose mine.csv others/*.csv --label died --model kin.datakin

    All sites in one table: datakin choose icu.csv --domain hospital --target 73 --label died

    Is the error what it should be? datakin choose mine.csv others/*.csv --label died --test later.csv
    """
    said: list[str] = []
    faults: list[str] = []  # of what comes after the choice: they do not keep it back

    def work() -> Any:
        from datakin._core.files import check_file
        from datakin.choosing import check_test, tell_test
        from datakin.choosing.act import ChoiceOptions, choose_from

        if model is not None:
            check_file(model, "The model", overwrite=output.force)
        first, sources, left_out = reading.read_to_choose(tables, domain, target)
        if test is not None:
            check_test(test, first, add_to)
        options = choosing.options() | ({} if repeats is None else {"repeats": repeats})
        asked = ChoiceOptions(add_to=add_to, **options)
        found = choose_from(first, list(sources.values()), left_out, asked)

        def save() -> str:
            found.model.save(model, overwrite=output.force)
            held = [note for note in found.model.card.notes if note.startswith("the file holds")]
            notes = "".join(f" {note[0].upper()}{note[1:]}." for note in held)
            return f"The model is in {printable(str(model))}: datakin predict {model} TABLE.{notes}"

        learned = [first, *sources.values()]
        after = [save] if model is not None else []
        after += [lambda: tell_test(found, test, learned)] if test is not None else []
        for do in after:
            try:
                said.append(do())
            except DatakinError as error:
                faults.append(error_text(error))
            except MemoryError:
                faults.append("Error: memory ran out after the choice was made.")
        found = output.explained(found, first, sources, options["random_state"])
        said.extend(filter(None, [output.closing(found).strip()]))
        return found

    try:
        found = output.run(work, lambda choice: "\n".join(["", *said]) if said else "")
    finally:
        told = said if output.as_json and not output.quiet else []
        for line in (*told, *faults):
            say(line)
    if faults:
        raise typer.Exit(1)
    output.stop(found)


@register(app, START, "Predict the rows of a table with a saved model.")
def predict(
    output: DataOutput,
    reading: ReadingNew,
    model: str = argument("The model: a .datakin file."),
    table: str | None = argument("The table to predict; it needs no label.", None),
    keep: list[str] | None = option(
        "Column(s) to carry along, such as an id; repeat or separate by commas; all for all."
    ),
    card: bool = option("Print what the model was learned from, and nothing else.", False),
) -> None:
    """Predict the rows of a table with a saved model.

    For example: datakin predict kin.datakin new.csv --keep all --out predicted.xlsx

    What is in a model: datakin predict kin.datakin --card

    If the table has the label too, the error on it is printed beside the one that the model promises.
    """

    def work() -> Any:
        fitted = datakin.load_model(model)
        if card:
            return fitted.card
        if table is None:
            raise DatakinError("Give a table to predict, or --card to see what the model is.")
        from datakin.choosing import predict_table

        return predict_table(fitted, table, keep=names(keep), **reading.options())

    output.run(work)


@register(app, START, "See it at work, on made-up tables with known truth.")
def demo(output: Output, running: Running) -> None:
    """Make a target and six sources with known truth, choose among them, and check the choice.

    For example: datakin demo --report demo.html
    """
    from datakin.synthetic import make_demo

    options = running.options()
    seed = options["random_state"]
    target, sources = make_demo(random_state=seed)
    fresh = make_demo(n_target=FRESH, random_state=seed, draw=1)[0]
    truth = {s.dataset.name: s for s in sources}
    output.run(
        lambda: datakin.choose(target, [s.dataset for s in sources], **options),
        lambda choice: _verdict(choice, truth, fresh),
    )


def _verdict(choice: datakin.Choice, truth: dict[str, Any], fresh: datakin.Dataset) -> str:
    """Hold the choice against the truth, in plain words."""
    lines = ["", "The truth about each source:"]
    lines += [f"  {c.source:<14}{truth[c.source].truth:<34} {c.call}" for c in choice.choices]
    far = [c for c in choice.choices if truth[c.source].angle >= 90]
    near = [c for c in choice.choices if truth[c.source].angle == 0]
    (low, high), found = choice.interval, choice.error_on(fresh)
    checks = {
        "A source with the target's rule is used": any(c.share > 0 for c in near),
        "No source with an unrelated rule is used": all(c.share == 0 for c in far),
        f"On {FRESH:,} fresh rows the error is {found:.1%}, within its interval": low
        <= found
        <= high,
    }
    lines += ["", *(f"{text}: {'yes' if holds else 'NO'}" for text, holds in checks.items())]
    return "\n".join(lines)
