"""Who recognises the separator of a small text file: datakin, and three rules of the trade.

Run ``python -m benchmarks.dialects``; it writes ``results/dialects.md``. Needs clevercsv and duckdb,
which datakin itself does not. datakin is asked as users ask it, by `read_table`: its time is that of
the whole reading, and files that it refuses whatever the separator (no features, under 20 rows, rows
of different lengths) are not among the cases.
"""

import csv
import random
import re
import tempfile
import time
import warnings
from pathlib import Path

import datakin
from reproduction.harness import made_by

RESULTS = Path(__file__).parent / "results" / "dialects.md"
WORDS = ["north", "south west", "Müller", "a b c", "x-ray", "3rd", "n/a", "yes"]
NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space", None: "one column"}
SPOKEN = {"';'": ";", "a tab": "\t", "'|'": "|", "a space": " "}


def quoted(cell, delimiter):
    """Return a field, in quotes where it must be."""
    if any(c in cell for c in (delimiter, '"', "\n")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def table(delimiter, cells, *, n=30, header=True, seed=0, end="\n"):
    """Return the text of a table, labels last; `cells` are functions of a random generator."""
    rng = random.Random(seed)
    names = [f"name {j}" if j % 3 else f"col{j}" for j in range(len(cells))]
    rows = [[*names, "y"]] if header else []
    rows += [[*(cell(rng) for cell in cells), str(i % 2)] for i in range(n)]
    return end.join(delimiter.join(quoted(c, delimiter) for c in row) for row in rows) + end


def point(rng):
    return f"{rng.gauss(0, 10):.2f}"


def comma(rng):
    return point(rng).replace(".", ",")


def whole(rng):
    return str(rng.randrange(100))


def word(rng):
    return rng.choice(WORDS)


def text(rng):
    return rng.choice(["Smith, John", "a, b, c", "plain", 'he said "no"', "x; y", "p|q"])


def lines(rng):
    return rng.choice(["two\nlines", "a;b\nc;d", "one, two\nthree", "flat"])


def date(rng):
    return f"{rng.randrange(1, 28):02d}.{rng.randrange(1, 12):02d}.2020 10:{rng.randrange(10, 59)}"


def gap(rng):
    return rng.choice(["", point(rng)])


KINDS = {
    "numbers": [point, point, whole, whole],
    "words and numbers": [word, point, whole],
    "texts with separators, quoted": [text, point, text, whole],
    "quotes with line ends": [lines, whole, lines],
    "dates": [date, whole, point],
    "gaps": [gap, gap, gap, whole],
}


def cases():
    """Yield (what, file name, text, right answer)."""
    for delimiter in (",", ";", "\t", "|"):
        for kind, cells in KINDS.items():
            yield kind, "t.csv", table(delimiter, cells), delimiter
        yield "20 rows", "t.csv", table(delimiter, KINDS["numbers"], n=20), delimiter
        yield "no header", "t.csv", table(delimiter, KINDS["numbers"], header=False), delimiter
        yield "two columns", "t.csv", table(delimiter, [word]), delimiter
        yield "many columns", "t.csv", table(delimiter, [point] * 300), delimiter
        windows = table(delimiter, KINDS["numbers"], end="\r\n")
        yield "line ends of Windows", "t.csv", windows, delimiter
    for delimiter in (";", "\t", "|"):
        for header in (True, False):
            what = f"decimal commas, {'' if header else 'no '}header"
            yield what, "t.csv", table(delimiter, [comma] * 4, header=header), delimiter
        mixed = table(delimiter, [comma, whole, word])
        yield "decimal comma, one column of 3", "t.csv", mixed, delimiter
    yield "line ends of old Macs", "t.csv", table(";", KINDS["numbers"], end="\r"), ";"
    yield "spaces", "t.txt", table(" ", [point, whole, point]).replace("name ", "n"), " "
    yield "dates, texts, decimal commas", "t.txt", table("\t", [date, text, comma]), "\t"


def ours(content, _name, path):
    """Return what datakin says; it says nothing about a comma."""
    header = "y" in content.splitlines()[0]
    for label in ["y"] if header else [f"x{j}" for j in range(9, 0, -1)]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read = datakin.read_table(path, label=label, header=header)
        except datakin.DatakinError as error:
            if header:
                raise
            last = error
            continue
        said = re.search(r"fields separated by (.*?) \(recognised", " ".join(read.notes))
        return SPOKEN[said[1]] if said else ","
    raise last


def sniffer(content, _name, _path):
    return csv.Sniffer().sniff(content[:10_000], delimiters=",;\t| ").delimiter


def clever(content, _name, _path):
    import clevercsv

    found = clevercsv.Sniffer().sniff(content[:20_000], delimiters=",;\t| ")
    return None if found is None else found.delimiter or None


def duck(_content, _name, path):
    import duckdb

    query = "select Delimiter, len(Columns) from sniff_csv(?)"
    found, width = duckdb.execute(query, [str(path)]).fetchone()
    return None if width == 1 else found


RIVALS = {"datakin": ours, "csv.Sniffer": sniffer, "clevercsv": clever, "DuckDB": duck}


def answers():
    """Return what datakin says of every file, as its column has it."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for _, name, content, answer in cases():
            path = Path(folder) / name
            path.write_text(content, encoding="utf-8", newline="")
            said = ours(content, name, path)
            found.append("right" if said == answer else f"**{NAMES.get(said, repr(said))}**")
    return found


def main():
    import clevercsv  # noqa: F401 - a rival that is not there would count as one that fails
    import duckdb  # noqa: F401

    rows, right, seconds = [], dict.fromkeys(RIVALS, 0), dict.fromkeys(RIVALS, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for what, name, content, answer in cases():
            path = Path(folder) / name
            path.write_text(content, encoding="utf-8", newline="")
            row = [what, NAMES[answer]]
            for rival, find in RIVALS.items():
                start = time.process_time()
                try:
                    found = find(content, name, path)
                    said = NAMES.get(found, repr(found))
                except Exception as error:
                    found, said = error, "fails"
                seconds[rival] += time.process_time() - start
                right[rival] += found == answer
                row.append("right" if found == answer else f"**{said}**")
            rows.append(row)
    head = ["file", "separator", *RIVALS]
    out = ["# dialects", "", __doc__.strip(), "", f"{len(rows)} files.", ""]
    out += ["| | " + " | ".join(RIVALS) + " |", "|---" * (len(RIVALS) + 1) + "|"]
    out += ["| right answers | " + " | ".join(str(right[r]) for r in RIVALS) + " |"]
    times = (f"{1000 * seconds[r] / len(rows):.1f}" for r in RIVALS)
    out += ["| CPU ms a file | " + " | ".join(times) + " |", ""]
    out += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    out += ["| " + " | ".join(row) + " |" for row in rows]
    out += ["", made_by("python -m benchmarks.dialects", "Seed 0")]
    RESULTS.write_text("\n".join(out) + "\n")
    print("\n".join(out[4:10]))
    print("\n".join(r for r in out[10:] if "**" in r))


if __name__ == "__main__":
    main()
