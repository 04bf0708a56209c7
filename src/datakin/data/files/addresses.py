"""Which tables a path, folder, glob, URL or ``FILE#NAME`` names; nothing is read here."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from datakin._core.addresses import after_password, is_url, printable, told, without_password
from datakin._core.exceptions import DatakinError, listed, suggest
from datakin.data.files.archives import STDIN
from datakin.data.files.formats import FOLDER_SUFFIXES, PARQUET, suffix_of

FILE_URL = re.compile(r"(sqlite|duckdb|file)(\+\w+)?://([^?]*)(\?.*)?", re.DOTALL | re.IGNORECASE)
PAGES = ("http://", "https://", "ftp://", "s3://", "gs://", "az://", "abfs://", "hdfs://")


@dataclass(frozen=True, repr=False)
class TableFiles(os.PathLike[str]):
    """Where one table is: a file, the Parquet part files of it, or a database.

    Looked up once, then passed on.
    """

    path: str  # the path, folder, glob or URL as it was given
    files: tuple[str, ...]  # that it names; of a database on a server, its URL
    table: str | None = None  # the sheet, table or member that was named behind a #
    name: str | None = None  # what its user calls it; None for the name of the file or table

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"TableFiles({without_password(self.path)!r})"

    @property
    def is_server(self) -> bool:
        """Whether it is a database on a server, whose address may hold a password."""
        return is_url(self.files[0]) and not os.path.exists(self.files[0])

    @property
    def kept_path(self) -> str | None:
        """The path to read it from again; None for a server and for standard input."""
        if self.is_server or self.files[0] == STDIN:
            return None
        if FILE_URL.fullmatch(self.path) and not os.path.exists(self.path):
            return os.path.abspath(self.files[0]) + (f"#{self.table}" if self.table else "")
        return os.path.abspath(self.path)

    def is_same(self, other: TableFiles) -> bool:
        """Return whether both are the same table."""
        if self.table != other.table or len(self.files) != len(other.files):
            return False
        pairs = list(zip(self.files, other.files, strict=True))
        if all(os.path.exists(file) for pair in pairs for file in pair):
            return all(os.path.samefile(*pair) for pair in pairs)
        return self.files == other.files


def stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a table: the file's without folder and suffix, or what stands behind a ``#``.

    Of a glob it is the part without wildcards, of a URL the name of the database.

    Examples
    --------
    >>> stem("wards/icu.csv.gz")
    'icu'
    >>> stem("sales/*.parquet")
    'sales'
    >>> stem("postgresql://ann:secret@host:5432/clinic?sslmode=require")
    'clinic'
    """
    text = os.fspath(path)
    if text == STDIN:
        return "stdin"
    if is_url(text) and not os.path.exists(text):
        base, name = _url_and_name(text)
        place = after_password(base).partition("?")[0].rstrip("/")
        last = unquote(place.rpartition("/")[2]) or "database"
        return printable(name or (stem(last) if FILE_URL.fullmatch(base) else last))
    name = Path(text).name or Path(text).resolve().name
    wild = glob.has_magic(name) and not os.path.exists(text)
    if not os.path.isdir(text) or name.lower().endswith(FOLDER_SUFFIXES):
        name = name[: len(name) - len(suffix_of(name))] or name
    if wild:
        name = re.sub(r"\[[^]]*\]|[*?]", "", name).strip("-_. ") or Path(text).parent.name
    return printable(name)


def find_files(pattern: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path, folder or glob names, sorted."""
    text = os.fspath(pattern)
    _check_address(text)
    if os.path.isdir(text):
        tables = (name for name in _names_in(text) if name.lower().endswith(FOLDER_SUFFIXES))
        found = sorted(str(Path(text) / n) for n in tables if not n.startswith((".", "~$")))
        if not found:
            raise DatakinError(
                f"The folder {text!r} holds no .csv, .tsv, .xlsx, .sqlite, .parquet, .feather "
                f"file{_below(text)}."
            )
        return found
    if os.path.exists(text):
        return [text]
    found = _matches(text)
    if not found:
        folder = os.path.dirname(text) or "."
        known = _names_in(folder) if os.path.isdir(folder) else []
        near = suggest(os.path.basename(text), known, cutoff=0.8)
        raise DatakinError(f"No file matches {told(text)!r}.{near}")
    return found


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise DatakinError(
            f"The folder {folder!r} could not be listed: {error.strerror}. Name its files one by one."
        ) from None


def _check_address(text: str) -> None:
    if "\0" in text or not text:
        raise DatakinError(f"A path must be a name of a file, folder or glob. Got {told(text)!r}.")
    if text.lower().startswith(PAGES) and not os.path.exists(text):
        raise DatakinError(
            f"A table must be a file or a database. Got the web address {without_password(text)!r}; "
            f"download it and give the file."
        )


def _matches(pattern: str) -> list[str]:
    """Return what a glob matches; signs of a glob in the name of its folder mean themselves."""
    folder, base = os.path.split(pattern)
    if glob.has_magic(folder) and os.path.isdir(folder):
        return sorted(os.path.join(folder, name) for name in glob.glob(base, root_dir=folder))
    return sorted(glob.glob(pattern))


def _below(folder: str) -> str:
    deep = glob.glob("**/*.parquet", root_dir=folder, recursive=True)
    if not deep:
        return ""
    pattern = os.path.join(folder, *["*"] * deep[0].count(os.sep), "*.parquet")
    return f" itself; for those in its folders say {pattern!r}"


def _url_and_name(url: str) -> tuple[str, str | None]:
    """Return a URL and the table behind its ``#``; one in a password belongs to the password."""
    tail = after_password(url) or url.rpartition("@")[2]
    base, _, name = tail.partition("#")
    return url.removesuffix(tail) + base, name or None


def _locate(address: str) -> tuple[list[str], str | None]:
    """Return the files, or the URL, that an address names, and the table inside that it names."""
    if address == STDIN:
        return [STDIN], None
    if is_url(address) and not os.path.exists(address):
        url, name = _url_and_name(address)
        as_file = FILE_URL.fullmatch(url)
        if as_file is None:
            _check_address(address)
            return [url], name
        return find_files(_path_of(as_file, url)), name
    if "#" in address and not os.path.exists(address) and not _matches(address):
        base, _, name = address.rpartition("#")
        if name and (os.path.isfile(base) or _matches(base)):
            return find_files(base), name
    return find_files(address), None


def _path_of(url: re.Match[str], shown: str) -> str:
    """Return the path in ``sqlite:///relative.db`` or ``sqlite:////absolute.db``."""
    scheme, place = url[1].lower(), url[3]
    path = unquote(place[1:] if scheme != "file" and place.startswith("/") else place)
    if not place.startswith("/") or path in ("", "/", ":memory:"):
        raise DatakinError(
            f"The address of a {scheme} file must be {scheme}:///relative/path or "
            f"{scheme}:////absolute/path. Got {without_password(shown)!r}; or give the path alone."
        )
    return path


def _are_parts(files: Sequence[str]) -> bool:
    """Whether the files may be the parts of one table: only Parquet files are."""
    return all(file.lower().endswith(PARQUET) for file in files)


def find_table(path: str | os.PathLike[str]) -> TableFiles:
    """Return the file, or the Parquet part files, of the one table that a path names."""
    if isinstance(path, TableFiles):
        return path
    files, table = _locate(os.fspath(path))
    if len(files) > 1 and not _are_parts(files):
        raise DatakinError(
            f"read_table reads one file, or the Parquet part files of one table. "
            f"{os.fspath(path)!r} names {len(files)}: {listed(files)}; use read_tables."
        )
    return TableFiles(os.fspath(path), tuple(files), table)


def find_tables(
    paths: Sequence[str | os.PathLike[str]], *, together: bool = False
) -> list[TableFiles]:
    """Return the tables that paths, folders, globs and URLs name.

    Each file of a glob is a table, and so is each file of a folder that is given alone; a folder of
    Parquet files among several paths is one table in parts. With `together` the Parquet files of
    the only path are one table, too.
    """
    tables: list[TableFiles] = []
    for path in paths:
        if isinstance(path, TableFiles):
            tables.append(path)
            continue
        text = os.fspath(path)
        files, table = _locate(text)
        is_folder = os.path.isdir(text)
        if _are_parts(files) and (together if len(paths) == 1 else is_folder):
            tables.append(TableFiles(text, tuple(files), table))
        elif len(files) == 1 and not is_folder and not os.path.isdir(files[0]):
            is_plain = table is None and not is_url(text) and text != STDIN
            tables.append(TableFiles(files[0] if is_plain else text, (files[0],), table))
        else:  # things that a glob names: files, or folders of part files
            tables += [
                find_table(file)
                if os.path.isdir(file)
                else TableFiles(file if table is None else f"{file}#{table}", (file,), table)
                for file in files
            ]
    return tables
