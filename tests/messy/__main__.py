"""Print what becomes of each form of the known table, and the counts.

    python -m tests.messy                   all of them
    python -m tests.messy --only 'pair:*'   those whose name fits a pattern
    python -m tests.messy --failures        only what is not as expected

Run from the repository's root. Exit code 1 if one is not as expected.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from fnmatch import fnmatch

from tests.messy.corpus import VARIANTS, judge


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.messy", description=__doc__)
    parser.add_argument("--only", default="*", help="variants whose name fits this pattern")
    parser.add_argument("--failures", action="store_true", help="only what is not as expected")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    wrong = 0
    print("| variant | expected | outcome | said |\n|---|---|---|---|")
    for name, one in VARIANTS.items():
        if not fnmatch(name, given.only):
            continue
        outcome = judge(one)
        counts[outcome.kind] += 1
        wrong += not outcome.is_expected
        if outcome.is_expected and given.failures:
            continue
        result = outcome.kind if outcome.is_expected else f"WRONG: {outcome.fault}"
        said = " / ".join(" ".join(line.split())[:160] for line in outcome.said[:3])
        cells = (name, " or ".join(one.expect), result, said)
        print("| " + " | ".join(cell.replace("|", "¦") for cell in cells) + " |")
    print(
        f"\n{sum(counts.values())} variants: {counts['same']} equal the clean dataset, "
        f"{counts['noted']} differ with a note, {counts['refused']} are refused, "
        f"{counts['silent']} differ silently, {counts['foreign']} end in a foreign exception or "
        f"warning; {wrong} are not as expected."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
