"""CPU time of ``import datakin``, and of its first use, beside the libraries it stands on.

Run ``python benchmarks/import_time.py``: fresh interpreters, interleaved, medians.
"""

import statistics
import subprocess
import sys

STATEMENTS = {
    "import sklearn, pandas, xgboost": "import sklearn, pandas, xgboost",
    "import datakin": "import datakin",
    "import datakin; datakin.score": "import datakin; datakin.score",
}
CODE = "import time; t = time.process_time(); {}; print(time.process_time() - t)"


def main(rounds: int = 15) -> None:
    times: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(rounds):
        for name, statement in STATEMENTS.items():
            done = subprocess.run(
                [sys.executable, "-c", CODE.format(statement)],
                capture_output=True,
                text=True,
                check=True,
            )
            times[name].append(float(done.stdout))
    for name, values in times.items():
        print(
            f"{name:<34} {statistics.median(values):.3f} s (of {rounds}, least {min(values):.3f})"
        )


if __name__ == "__main__":
    main()
