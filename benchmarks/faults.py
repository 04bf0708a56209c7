"""Faults put into the code on purpose, and how many of them the tests catch.

    python -m benchmarks.faults --commit HEAD            50 faults; about two hours on one processor
    python -m benchmarks.faults --n 7 --cap 60           a quick look

The code and the tests are those of a commit, copied beside the repository; nothing of the working tree is
touched. A run that was killed goes on where it was. The lines that a small call of each capability runs
are found first, so that it does not matter how the code is laid out: a line belongs to the first of the
capabilities, in the order of `fault_calls.CALLS`, that runs it. Faults are drawn among them by seed:
an operator first, then one of its places, each in another function.

A fault is *caught* if a test fails that runs the function; *equivalent-looking* if none fails and the call
of its capability gives the same to the last digit and letter; *survived* otherwise.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.injection.operators import OPERATORS, Site, is_other, sites
from benchmarks.injection.suite import ROOT, Suite

RESULTS = ROOT / "benchmarks" / "results"
CAPABILITIES = ("door", "predict", "choose", "score", "rank", "explain", "report")


def places(suite: Suite, lines: dict[str, list[int]]) -> list[tuple[str, Site]]:
    """Return where faults can be put, on some lines of some files."""
    return [
        (file, site)
        for file, some in sorted(lines.items())
        for site in sites((suite.package / file).read_bytes(), set(some))
    ]


def drawn(suite: Suite, found: list[tuple[str, Site]], n: int, seed: str) -> list[tuple[str, Site]]:
    """Draw faults: operators take turns, and no function is taken twice."""
    source = random.Random(seed)
    turns = sorted(OPERATORS)
    source.shuffle(turns)
    left = {turn: [each for each in found if each[1].operator == turn] for turn in turns}
    for some in left.values():
        source.shuffle(some)
    taken: dict[tuple[str, str], tuple[str, Site]] = {}
    while len(taken) < n and any(left.values()):
        for turn in turns:
            while left[turn] and len(taken) < n:
                file, site = left[turn].pop()
                is_new = (file, site.function) not in taken
                if is_new and is_other(site, (suite.package / file).read_bytes()):
                    taken[file, site.function] = file, site
                    break
    return list(taken.values())


def plan(suite: Suite, n: int, seed: int) -> list[dict[str, Any]]:
    """Return the faults, spread evenly over the capabilities."""
    path = suite.folder / "calls.json"
    calls = json.loads(path.read_text()) if path.exists() else {}
    for name in CAPABILITIES:
        if name not in calls:
            calls[name] = suite.call(name)
            path.write_text(json.dumps(calls))
    seen: dict[str, set[int]] = {}
    faults = []
    for k, name in enumerate(CAPABILITIES):
        own = {
            file: sorted({*some} - seen.get(file, set()))
            for file, some in calls[name]["lines"].items()
        }
        for file, some in calls[name]["lines"].items():
            seen.setdefault(file, set()).update(some)
        share = n // len(CAPABILITIES) + (k < n % len(CAPABILITIES))
        for file, site in drawn(suite, places(suite, own), share, f"{seed} {name}"):
            faults.append(
                {"capability": name, "file": file, "gave": calls[name]["gave"], "site": site}
            )
    return faults


def judged(suite: Suite, fault: dict[str, Any], cap: float) -> dict[str, Any]:
    """Test one fault; if it survives, see whether its call gives the same."""
    site: Site = fault["site"]
    file = fault["file"]
    source = site.applied((suite.package / file).read_bytes())
    found = suite.tested(file, source, f"{file}:{site.function}", cap)
    if found["verdict"] == "survived":
        with suite.changed(file, source):
            gave = suite.call(fault["capability"])["gave"]
        found["verdict"] = "equivalent-looking" if gave == fault["gave"] else "survived"
    return {
        "capability": fault["capability"],
        "file": file,
        "function": site.function,
        "line": site.line,
        "operator": site.operator,
        "before": " ".join(site.before.split())[:100],
        "after": " ".join(site.after.split())[:100],
        **found,
    }


def rates(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return how many faults were caught, of each capability and of all."""
    table = {}
    for name in (*CAPABILITIES, "all"):
        of = [each["verdict"] for each in found if name in (each["capability"], "all")]
        counts = {word: of.count(word) for word in ("caught", "survived", "equivalent-looking")}
        real = counts["caught"] + counts["survived"]
        rate = round(counts["caught"] / real, 3) if real else None
        of_all = round(counts["caught"] / len(of), 3) if of else None
        table[name] = {"faults": len(of), **counts, "rate": rate, "rate_of_all": of_all}
    return table


def write(found: list[dict[str, Any]], about: dict[str, Any], name: str) -> None:
    """Write the results, as far as they are."""
    table = rates(found)
    kept = {**about, "rates": table, "faults": found}
    (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1) + "\n")
    lines = [
        "# Faults",
        "",
        "Faults that were put into the code on purpose, and which test caught each "
        "(`python -m benchmarks.faults`).",
        "",
        f"Commit {about['commit'][:10]}, seed {about['seed']}, {about['date']}: {len(found)} of "
        f"{about['n']} faults. For each, tests that run the function, at most {about['cap']:g} s of "
        f"processor time. {about['tests']} tests were looked at; {about['left_out']}.",
        "",
        "The rate is caught / (caught + survived). A fault is equivalent-looking if no test fails and "
        "the call of its capability gives the same to the last digit and letter; a guard against bad "
        "input that is dropped may be one of them, so the last column counts them as not caught.",
        "",
        "| capability | faults | caught | survived | equivalent-looking | rate | of all |",
        "|---|---|---|---|---|---|---|",
    ]
    for capability, row in table.items():
        lines.append(f"| {capability} | " + " | ".join(str(value) for value in row.values()) + " |")
    lines += [
        "",
        "| capability | file | function | operator | fault | caught by |",
        "|---|---|---|---|---|---|",
    ]
    for each in found:
        by = f"`{each['by']}`" if each["by"] else f"**{each['verdict']}** {each['how']}".strip()
        change = f"`{each['before']}` → `{each['after']}`".replace("|", "\\|")
        what = f"{each['file']}:{each['line']} | {each['function']} | {each['operator']}"
        lines.append(f"| {each['capability']} | {what} | {change} | {by} |")
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--n", type=int, default=50, help="how many faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--cap", type=float, default=150.0, help="seconds of processor time for each fault"
    )
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "datakin-faults"))
    parser.add_argument("--only", help="the faults of one capability; prints, writes no result")
    parser.add_argument("--name", default="faults", help="of the page in benchmarks/results")
    given = parser.parse_args()
    full = subprocess.run(
        ["git", "rev-parse", given.commit], cwd=ROOT, capture_output=True, text=True, check=True
    )
    commit = full.stdout.strip()
    suite = Suite(given.cache / commit[:12], commit)
    suite.unpack()
    faults = plan(suite, given.n, given.seed)
    if given.only:
        faults = [fault for fault in faults if fault["capability"] == given.only]
    suite.look()
    journal = suite.folder / f"faults-{given.n}-{given.seed}-{given.cap:g}.jsonl"
    done = (
        [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    )
    about = {
        "commit": commit,
        "seed": given.seed,
        "n": given.n,
        "cap": given.cap,
        "date": date.today().isoformat(),
        "tests": len(suite.tests),
        "left_out": "those that run the package in other processes (install, fuzz, browser, cluster) and "
        "those of pages, benchmarks and studies were not",
    }
    known = {key(each): each for each in done}
    found = []
    for k, fault in enumerate(faults, 1):
        site = fault["site"]
        at = fault["file"], site.function, site.operator, site.line
        if at not in known:
            known[at] = judged(suite, fault, given.cap)
            with journal.open("a") as out:
                out.write(json.dumps(known[at]) + "\n")
        last = known[at]
        found.append(last)
        print(
            f"{k} of {len(faults)}: {last['capability']}, {last['file']}:{last['line']} "
            f"{last['operator']}, {last['verdict']} {last['by'] or last['how']} "
            f"({last.get('seconds')} s)",
            flush=True,
        )
        if not given.only:
            write(found, about, given.name)


def key(result: dict[str, Any]) -> tuple[Any, ...]:
    """Return by what a fault is known."""
    return result["file"], result["function"], result["operator"], result["line"]


if __name__ == "__main__":
    main()
