"""The table as a text file: separators, encodings, line ends, headers, archives, and false friends."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zipfile
from pathlib import Path

from tests.messy.registry import Made, read, variant, write
from tests.messy.table import GROUP, LABEL, table, texts

QUIET = "."  # nothing at all may be said


def body(**form: object) -> str:
    """Return the clean table as the text of a file."""
    return str(texts().to_csv(index=False, **{"lineterminator": "\n", **form}))


def put(folder: Path, content: str | bytes, name: str = "stays.csv") -> Path:
    """Write a file as it is given."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines_with(change: dict[int, str]) -> str:
    """Return the clean text with some lines replaced, counted from 1 as editors do."""
    lines = body().splitlines()
    for number, line in change.items():
        lines[number - 1] = line
    return "\n".join(lines) + "\n"


SEPARATORS = {
    "comma": (",", "stays.csv"),
    "tab in .tsv": ("\t", "stays.tsv"),
    "tab in .csv": ("\t", "stays.csv"),
    "tab in .txt": ("\t", "stays.txt"),
    "semicolon": (";", "stays.csv"),
    "pipe": ("|", "stays.csv"),
    "upper-case suffix": (",", "STAYS.CSV"),
    "suffix .dat": (",", "stays.dat"),
}
for _name, (_sep, _file) in SEPARATORS.items():
    never = QUIET if _name == "comma" else None

    @variant(f"text: {_name}", "same", never=never)
    def separated(folder: Path, sep: str = _sep, file: str = _file) -> Made:
        return read(write(folder, file, sep=sep))


for _encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"):

    @variant(f"encoding: {_encoding}", "same")
    def encoded(folder: Path, encoding: str = _encoding) -> Made:
        return read(write(folder, encoding=encoding))


@variant("encoding: cp1252, said", "same")
def encoding_said(folder: Path) -> Made:
    return read(write(folder, encoding="cp1252"), encoding="cp1252")


@variant("encoding: utf-8 table called ascii", "refused", "encoding")
def wrong_encoding(folder: Path) -> Made:
    return read(write(folder), encoding="ascii")


for _name, _end in {"CRLF": "\r\n", "CR": "\r"}.items():

    @variant(f"text: line ends {_name}", "same")
    def line_ends(folder: Path, end: str = _end) -> Made:
        return read(put(folder, body().replace("\n", end)))


@variant("text: every field quoted", "same")
def all_quoted(folder: Path) -> Made:
    return read(write(folder, quoting=csv.QUOTE_ALL))


@variant("text: spaces after separators", "same")
def spaces(folder: Path) -> Made:
    return read(put(folder, body().replace(",", ", ")))


@variant("text: blank lines", "same")
def blank_lines(folder: Path) -> Made:
    lines = body().splitlines()
    return read(put(folder, "\n".join([*lines[:40], "", *lines[40:], "", "", ""])))


@variant(
    "text: comment lines above",
    "same or refused",
    "line",
    why="reading on with a note is kind, refusing is safe; both name the lines",
)
def comments(folder: Path) -> Made:
    return read(put(folder, "# Ward report\n# exported 2024-03-01\n" + body()))


@variant("text: 'sep=;' in the first line", "same", why="Excel writes it and hides it")
def excel_hint(folder: Path) -> Made:
    return read(put(folder, "sep=;\n" + body(sep=";")))


@variant("text: separator at the end of every line", "same")
def trailing(folder: Path) -> Made:
    return read(put(folder, body().replace("\n", ",\n")))


@variant(
    "text: separator at the end of rows only",
    "same or refused",
    "line|without a name|no name|unnamed",
    why="a refusal as ragged is right, and so is a note that the last field is always empty",
)
def trailing_rows(folder: Path) -> Made:
    header, *rows = body().splitlines()
    return read(put(folder, "\n".join([header, *(row + "," for row in rows)])))


@variant("text: line ends inside quotes", "same")
def quoted_ends(folder: Path) -> Made:
    frame = table()
    frame["ward"] = frame["ward"].replace("Ost", "Ost\nneu")
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("text: quotes inside quotes", "same")
def quotes_inside(folder: Path) -> Made:
    frame = table()
    frame["ward"] = frame["ward"].replace("Ost", 'die "Insel", neu')
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("text: a quote never closed", "refused", "quot")
def unclosed(folder: Path) -> Made:
    return read(put(folder, lines_with({30: body().splitlines()[29].replace(",", ',"', 1)})))


@variant("ragged: one long row", "refused", r"line.*\b57\b")
def long_row(folder: Path) -> Made:
    return read(put(folder, lines_with({57: body().splitlines()[56] + ",3"})))


@variant("ragged: two short rows", "refused", r"line.*\b20\b.*\b90\b")
def short_rows(folder: Path) -> Made:
    lines = body().splitlines()
    short = {n: lines[n - 1].rsplit(",", 1)[0] for n in (20, 90)}
    return read(put(folder, lines_with(short)))


@variant("ragged: decimal comma in a comma file", "refused", r"line.*\b2\b")
def decimal_comma_unquoted(folder: Path) -> Made:
    rows = texts()
    rows["temp"] = [v.replace(".", ",") for v in rows["temp"]]
    return read(put(folder, str(rows.to_csv(index=False)).replace('"', "")))


@variant("header: none, said", "same")
def no_header(folder: Path) -> Made:
    frame = table()
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    options = {"label": "x8", "group": "x0"}
    return read(write(folder, header=False), header=False, **options), read(frame, **options)


@variant("header: none, not said", "refused", "header")
def no_header_unsaid(folder: Path) -> Made:
    return read(write(folder, header=False))


@variant("header: years as names", "same", why="names that are numbers are names all the same")
def years(folder: Path) -> Made:
    frame = table().rename(columns={"temp": "2019", "cost": "2020", "größe": "2021"})
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("header: two columns of one name", "refused", "temp")
def twin_columns(folder: Path) -> Made:
    return read(put(folder, body().replace("größe", "temp", 1)))


@variant("header: nameless row numbers", "same", "row id|row number|unnamed|without a name")
def nameless(folder: Path) -> Made:
    return read(write(folder, index=True))


@variant("header: spaces, line ends and emoji", "same")
def odd_names(folder: Path) -> Made:
    new = {"temp": "body temp (°C)", "cost": "total\ncost", "größe": "größe 📏"}
    frame = table().rename(columns=new)
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("header: names like formulas", "same")
def formulas(folder: Path) -> Made:
    frame = table().rename(columns={"temp": "=cmd|' /C calc'!A0", "cost": "@SUM(1+1)"})
    return read(write(folder, rows=texts(frame))), read(frame)


@variant("header: label spelled in capitals", "refused", "Did you mean 'died'")
def other_case(folder: Path) -> Made:
    return read(write(folder), label="DIED")


@variant("archive: gz", "same")
def gz(folder: Path) -> Made:
    return read(put(folder, gzip.compress(body().encode()), "stays.csv.gz"))


@variant("archive: gz without .gz", "same or refused", why="told by its bytes")
def hidden_gz(folder: Path) -> Made:
    return read(put(folder, gzip.compress(body().encode())))


def packed(folder: Path, *names: str) -> Path:
    """Write a zip with the table under each name."""
    path = folder / "stays.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, body())
    return path


@variant("archive: zip of one table", "same")
def zip_one(folder: Path) -> Made:
    return read(packed(folder, "stays.csv"))


@variant("archive: zip of two tables", "refused", "(?=.*may.csv)(?=.*june.csv)(?=.*table)")
def zip_two(folder: Path) -> Made:
    return read(packed(folder, "may.csv", "june.csv"))


@variant("archive: zip of two tables, one said", "same")
def zip_chosen(folder: Path) -> Made:
    return read(packed(folder, "may.csv", "june.csv"), table="june.csv")


@variant("archive: zip with the Mac's extras", "same", why="__MACOSX files are no tables")
def zip_mac(folder: Path) -> Made:
    return read(packed(folder, "stays.csv", "__MACOSX/._stays.csv"))


@variant("place: standard input", "same")
def standard_input(folder: Path) -> Made:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(body().encode()), encoding="utf-8")
    try:
        return read("-")
    finally:
        sys.stdin = before


@variant("place: a folder of one file", "same")
def a_folder(folder: Path) -> Made:
    (folder / "export").mkdir()
    write(folder / "export")
    return read(folder / "export")


HTML = "<!DOCTYPE html><html><body><p>Sign in, please</p></body></html>"
FRIENDS = {
    "HTML": (HTML * 3, "HTML|web page"),
    "JSON": ('[{"age": 3, "died": 1},\n {"age": 4, "died": 0}]', "JSON"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" * 9, "PDF"),
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, "text|binary|picture|image|PNG"),
}
for _name, (_content, _says) in FRIENDS.items():

    @variant(f"false friend: {_name} named .csv", "refused", _says)
    def false_friend(folder: Path, content: str | bytes = _content) -> Made:
        return read(put(folder, content))


SMALL = {
    "an empty file": (0, "empty"),
    "a header and no rows": (1, "no rows"),
    "15 rows": (16, "at least 20"),
}
for _name, (_n, _says) in SMALL.items():

    @variant(f"too little: {_name}", "refused", _says)
    def too_little(folder: Path, n: int = _n) -> Made:
        return read(put(folder, "".join(body().splitlines(keepends=True)[:n])))


@variant("too little: one class", "refused", "two classes")
def one_class(folder: Path) -> Made:
    return read(write(folder, rows=texts(table().assign(**{LABEL: 1}))))


@variant("too little: nothing but label and group", "refused", "column that varies")
def no_features(folder: Path) -> Made:
    return read(write(folder, rows=texts()[[GROUP, LABEL]]))
