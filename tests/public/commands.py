"""A call for every command and every flag of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from datakin.distances import METHODS
from tests.golden.data import classes, table
from tests.public.data import database, written
from tests.public.use import Use

CORRECTIONS = (
    *("--label", "y", "--ignore", "spare", "--keep", "age", "--group", "ward", "--weight", "count"),
    *("--positive", "sick", "--label-map", "ill=sick,well=well", "--rename", "years=age"),
    *("--recode", "colour:rd=red", "--convert", "dose=0.001,0", "--delimiter", ";"),
    *("--encoding", "cp1252", "--header", "--task", "binary", "--read-rows", "80", "--no-config"),
    *("--name", "other=theirs"),
)
SCORING = (
    *("--models", "logistic,linear_svm", "--estimate", "logistic", "--cv", "3", "--loss", "auto"),
    *("--sharpness", "20", "--direction", "0.5", "--size", "paper", "--inner", "fresh"),
    *("--no-stratify", "--voting", "hard", "--weighting", "paper", "--zones", "paper"),
    *("--zone-error", "folds", "--repeats", "2", "--max-rows", "200", "--precision", "0.1"),
    *("--seed", "1", "--n-jobs", "1", "--skip-unusable"),
)
QUICK = ("--models", "logistic", "--zones", "paper", "--stratify", "-q")
CHOOSING = ("--learners", "linear", "--loss", "brier", "--repeats", "1", "--max-rows", "50")
TRYING = ("--methods", "concatenate", "--repeats", "2")
DISTANCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "kl": (("--density", "kernel", "--floor", "0.001"), ("--density", "gaussian")),
    "js": ((), ()),
    "wasserstein": (
        ("--method", "sliced", "--n-projections", "20", "--scaling", "pooled", "--seed", "1"),
        (),
    ),
    "mmd": (("--bandwidth", "1", "--scaling", "pooled", "--no-unbiased"), ("--unbiased",)),
    "energy": (("--scaling", "pooled", "--unbiased"), ()),
    "otdd": (
        (
            *("--inner", "gaussian", "--debias", "--splits", "2"),
            *("--scaling", "pooled", "--seed", "1"),
        ),
        (),
    ),
    "proxy_a": (("--cv", "3", "--C", "0.5", "--seed", "1"), ()),
}


@dataclass(frozen=True)
class Command:
    """How a command that takes tables is called.

    Attributes
    ----------
    words : tuple of str
    first, others : tuple of str
        Options of its own in the first call, and in all others.
    most : int
        How many tables it takes.
    has_domain, has_target, can_match : bool
        Whether it takes --domain, --target and --match-classes.
    names_source : bool
        Whether --domain needs --source.
    can_plot : bool
    """

    words: tuple[str, ...]
    first: tuple[str, ...] = ()
    others: tuple[str, ...] = ("-q",)
    most: int = 3
    has_domain: bool = True
    has_target: bool = True
    can_match: bool = True
    names_source: bool = False
    can_plot: bool = True


COMMANDS = (
    Command(("check",), has_target=False, can_match=False, can_plot=False),
    Command(
        ("score",), (*SCORING, "--explain", "--fail-on", "hurts"), QUICK, most=2, has_domain=False
    ),
    Command(("rank",), (*SCORING, "--explain", "--fail-on", "hurts", "--screen"), QUICK),
    Command(("matrix",), SCORING, QUICK, has_target=False, can_match=False),
    Command(
        ("choose",),
        (*CHOOSING, "--pools", "--seed", "1", "--n-jobs", "1", "--explain", "--fail-on", "hurts"),
        (*CHOOSING, "--no-pools", "-q"),
    ),
    Command(
        ("gain",),
        (
            *(*TRYING, "--estimator", "logistic", "--loss", "auto", "--test-size", "0.4"),
            *("--seed", "1", "--n-jobs", "1"),
        ),
        (*TRYING, "-q"),
        most=2,
    ),
    Command(
        ("explain",),
        ("--learner", "linear", "--loss", "brier", "--max-rows", "50", "--seed", "1"),
        ("--learner", "linear", "-q"),
        most=2,
        names_source=True,
    ),
    *(
        Command(("distance", name), first, (*rest, "-q"))
        for name, (first, rest) in DISTANCES.items()
    ),
)


@dataclass(frozen=True)
class Tables:
    """The files that commands are given."""

    texts: tuple[str, ...]
    bases: tuple[str, str]
    headless: tuple[str, str]
    parts: str
    config: str


def files(use: Use) -> Tables:
    """Write the files."""
    texts = tuple(written(use, name, k) for k, name in enumerate(("mine", "other", "third"), 1))
    bases = database(use, "base", 1), database(use, "other", 3)
    headless = []
    for seed in (1, 2):
        data = classes(60, seed)
        path = use.folder / f"headless{seed}.csv"
        pd.DataFrame(data.features.numeric).assign(y=data.y).to_csv(path, header=False, index=False)
        headless.append(str(path))
    parts = use.folder / "parts.csv"
    both = [table(60, seed).drop(columns="seen").assign(site=f"s{seed}") for seed in (1, 2)]
    pd.concat(both).to_csv(parts, index=False)
    config = use.folder / "own.toml"
    config.write_text('label = "y"\n')
    return Tables(texts, bases, (headless[0], headless[1]), str(parts), str(config))


def call(command: Command, use: Use) -> None:
    """Call a command in the ways that its flags need."""
    given = files(use)
    ok = (0, 3)
    matched = ("--match-classes", "theirs") if command.can_match else ()
    results = ["--out", use.folder / "out.csv", "--report", use.folder / "out.html", "--details"]
    if command.can_plot and find_spec("matplotlib"):
        results += ["--plot", use.folder / "out.png"]
    use.type(
        *command.words,
        *given.texts[: command.most],
        *CORRECTIONS,
        *matched,
        *command.first,
        *results,
        code=ok,
    )
    short = (*command.words, *command.others)
    first = ("--table", "first", "--sheet", "first", "--json")
    use.type(*short, *given.bases, "--label", "y", *first, code=ok)
    use.type(*short, *given.bases, "--label", "y", "--query", "select * from second", code=ok)
    again = ("--out", use.folder / "out.csv", "--force", "--quiet")
    use.type(*short, *given.headless, "--label", "x3", "--no-header", *again, code=ok)
    if command.has_domain:
        part = ("--target", "s1") if command.has_target else ()
        part += ("--source", "s2") if command.names_source else ()
        use.type(*short, given.parts, "--domain", "site", *part, "--config", given.config, code=ok)
    else:
        use.type(*short, *given.bases, "--table", "first", "--config", given.config, code=ok)
    use.type(*command.words, "--help")
    use.type(*command.words, "--help-all")


@contextmanager
def scheduler() -> Iterator[str]:
    """The address of a cluster in this process; where Dask is not installed, one that nobody has."""
    if find_spec("distributed") is None:
        yield "tcp://127.0.0.1:1"
        return
    import distributed

    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        protocol="tcp://",
    ) as made:
        yield made.scheduler_address


def elsewhere(use: Use) -> None:
    """Checkpoints, clusters, and what only one command has."""
    given = files(use)
    with scheduler() as address:
        for name in ("score", "rank", "matrix"):
            kept = ("--checkpoint", use.folder / name, "--cluster", address)
            use.type(
                name, *given.headless, "--no-header", "--label", "x3", *QUICK, *kept, code=(0, 1)
            )
    pairs = ("--models", "logistic", "--calls", "--fail-on", "hurts")
    use.type("matrix", *given.headless, "--no-header", "--label", "x3", *pairs, code=(0, 3))
    use.type("matrix", *given.headless, "--label", "x3", "--match-classes", "theirs", code=1)
    for words in (("--version",), ("--help",)):
        use.type(*words)


def squares(use: Use) -> None:
    """Distances between all tables."""
    given = files(use)
    for name in METHODS:
        use.type(
            "distance", name, *given.headless, "--no-header", "--label", "x3", "--matrix", "-q"
        )
    use.type("distance", "--help")


def models(use: Use) -> None:
    """A model is saved, added to, and predicts."""
    given = files(use)
    path = use.folder / "kin.datakin"
    tables = (*given.headless, "--no-header", "--label", "x3")
    fast = (*CHOOSING, "-q")
    kept = ("--checkpoint", use.folder / "draws", "--test", late(use, 8))
    use.type("choose", *tables, *fast, "--model", path, *kept)
    use.type(
        "choose",
        given.headless[0],
        late(use, 9),
        "--no-header",
        "--label",
        "x3",
        "--add-to",
        path,
        *fast,
    )
    use.type("predict", path, "--card")
    use.type(
        "predict",
        path,
        given.headless[1],
        "--no-header",
        "--no-config",
        "--keep",
        "all",
        "--out",
        use.folder / "out.csv",
    )
    frame = pd.read_csv(given.headless[1], header=None).rename(
        columns={0: "z0", 1: "x1", 2: "x2", 3: "x3"}
    )
    text = use.folder / "new.csv"
    frame.to_csv(text, sep=";", index=False)
    config = use.folder / "predict.toml"
    config.write_text("")
    text_options = ("--delimiter", ";", "--encoding", "utf-8", "--header", "--rename", "z0=x0")
    use.type(
        "predict", path, text, *text_options, "--json", "--config", config, "--force", "--quiet"
    )
    base = use.folder / "new.db"
    save(frame.rename(columns={"z0": "x0"}), base)
    for words in (("--table", "rows"), ("--sheet", "rows"), ("--query", "select * from rows")):
        use.type("predict", path, base, *words, "-q")
    use.type("predict", "--help")
    use.type("predict", "--help-all")


def late(use: Use, seed: int) -> str:
    """Write one more table without names of columns."""
    data = classes(60, seed)
    path = use.folder / f"late{seed}.csv"
    pd.DataFrame(data.features.numeric).assign(y=data.y).to_csv(path, header=False, index=False)
    return str(path)


def save(frame: pd.DataFrame, path: Path) -> None:
    """Write a table into a database."""
    import sqlite3

    with sqlite3.connect(path) as base:
        frame.to_sql("rows", base, index=False)
    base.close()


def demo(use: Use) -> None:
    """The demonstration."""
    results: list[Any] = [
        "--out",
        use.folder / "out.csv",
        "--report",
        use.folder / "out.html",
        "--details",
    ]
    if find_spec("matplotlib"):
        results += ["--plot", use.folder / "out.png"]
    use.type("demo", "--seed", "1", "--n-jobs", "1", *results, "--force", "--json", "--quiet", "-q")
    use.type("demo", "--help")
    use.type("demo", "--help-all")


CALLS: dict[str, Callable[[Use], None]] = {
    **{"_".join(each.words): partial(call, each) for each in COMMANDS},
    "elsewhere": elsewhere,
    "distance_squares": squares,
    "models": models,
    "demo": demo,
}
