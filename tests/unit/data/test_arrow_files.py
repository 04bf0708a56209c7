"""A folder or glob of Parquet files: one table in parts, or one dataset per file."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datakin import DatakinError, DatakinWarning, read_table, read_tables
from datakin.data.files.opening import stem
from datakin.data.files.reading import choose_rows


@pytest.fixture
def parts(tmp_path, wards_of):
    """A frame of 1000 rows, and a folder with its rows in three files of different sizes."""
    frame = wards_of(1000)
    folder = tmp_path / "hospital"
    folder.mkdir()
    for i, (start, stop) in enumerate([(0, 100), (100, 130), (130, 1000)]):
        frame.iloc[start:stop].to_parquet(folder / f"part-{i}.parquet", row_group_size=64)
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    (folder / "._part-0.parquet").write_bytes(b"what a file manager leaves behind")
    return frame, folder


def write_parts(folder, **tables):
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        pq.write_table(pa.table(table), folder / f"{name}.parquet")
    return folder


def rows(n=40, **columns):
    """Columns x (float) and y, with others in their place."""
    rng = np.random.default_rng(n)
    return {"x": rng.normal(size=n), "y": np.arange(n) % 2, **columns}


def test_a_folder_or_glob_of_parts_is_one_table(parts, same):
    frame, folder = parts
    for source in (folder, f"{folder}/", folder / "*.parquet", folder / "part-[0-9].parquet"):
        same(read_table(source, label="died"), read_table(frame, label="died"))
    assert read_table(folder, label="died").name == "hospital"
    assert read_table(folder / "*.parquet", label="died").name == "hospital"
    assert read_table(folder / "part-*.parquet", label="died").name == "part"


def test_rows_are_drawn_across_the_parts(parts, same):
    frame, folder = parts
    with pytest.warns(DatakinWarning, match=r"^hospital: 1,000 rows in 3 files; 300 drawn at rand"):
        drawn = read_table(folder, label="died", read_rows=300)
    same(drawn, read_table(frame.iloc[choose_rows(1000, 300)], label="died"))


def test_folders_among_several_paths_are_one_dataset_each(parts, same, small, tmp_path):
    frame, folder = parts
    frame.to_csv(tmp_path / "other.csv", index=False)
    with pytest.warns(DatakinWarning, match="hospital: 3 Parquet files of the folder read as one"):
        read = read_tables([tmp_path / "other.csv", folder], label="died")
    assert list(read) == ["other", "hospital"]
    same(read["hospital"], read["other"])
    named = read_tables({"a": folder, "b": tmp_path / "other.csv"}, label="died")
    same(named["a"], named["b"])


def test_a_glob_or_a_folder_alone_stays_one_dataset_per_file(parts):
    _, folder = parts
    for source in (folder, [folder], folder / "*.parquet"):
        read = read_tables(source, label="died")
        assert [(name, d.n_rows) for name, d in read.items()] == [
            ("part-0", 100),
            ("part-1", 30),
            ("part-2", 870),
        ]


def test_a_glob_may_name_folders_of_parts(tmp_path):
    for name in ("a.parquet", "b.parquet"):  # what Spark calls a table
        write_parts(tmp_path / name, p1=rows(), p2=rows(50))
    with pytest.warns(DatakinWarning, match="2 Parquet files of the folder"):
        read = read_tables(tmp_path / "*.parquet", label="y")
    assert [(name, d.n_rows) for name, d in read.items()] == [("a", 90), ("b", 90)]


def test_domain_splits_a_table_in_parts(parts):
    frame, folder = parts
    prints = []
    for source in (folder, folder / "*.parquet", frame):
        with pytest.warns(DatakinWarning, match="rows have no 'ward'"):
            read = read_tables(source, label="died", domain="ward")
        prints.append({name: d.fingerprint for name, d in read.items()})
    assert len(prints[0]) == 3
    assert prints[0] == prints[1] == prints[2]


def test_parts_may_order_columns_differently_and_hold_no_row(tmp_path):
    first, empty = rows(), rows(0)
    swapped = dict(reversed(rows(50).items()))
    folder = write_parts(tmp_path / "t", a=empty, b=first, c=swapped)
    read = read_table(folder, label="y")
    np.testing.assert_array_equal(
        read.features.numeric[:, 0], np.concatenate([first["x"], swapped["x"]])
    )


UNIFIED = {
    "int and double": (np.arange(40), np.arange(40) + 0.5),
    "float and double": (np.arange(40, dtype=np.float32), np.arange(40) * 1.0),
    "small and unsigned int": (np.arange(40, dtype=np.int8), np.arange(40, dtype=np.uint64)),
    "text and large text": (
        pa.array(["u", "v"] * 20),
        pa.array(["w", "u"] * 20, pa.large_string()),
    ),
    "text and categories": (
        pa.array(["u", "v"] * 20),
        pa.array(["w", "u"] * 20).dictionary_encode(),
    ),
    "categories that differ": (
        pa.array(["u", "v"] * 20).dictionary_encode(),
        pa.array(["w", "u"] * 20).dictionary_encode(),
    ),
    "seconds and nanoseconds": (
        pa.array([1, 2] * 20, pa.timestamp("s")),
        pa.array([1, 2] * 20, pa.timestamp("ns")),
    ),
    "no value at all and text": (pa.nulls(40), pa.array(["u", "u", "v", "v"] * 10)),
    "no value at all and numbers": (pa.nulls(40), np.arange(40)),
}


@pytest.mark.parametrize("kind", UNIFIED)
@pytest.mark.parametrize("read_rows", [None, 50])
@pytest.mark.filterwarnings("ignore:.*drawn at random")
def test_types_that_mean_the_same_are_unified(tmp_path, same, kind, read_rows):
    one, other = UNIFIED[kind]
    folder = write_parts(tmp_path / "t", a=rows(z=one), b=rows(41, z=_longer(other)))
    frames = [pd.read_parquet(f) for f in sorted(folder.iterdir())]
    together = pd.DataFrame(
        {
            name: [value for frame in frames for value in frame[name].tolist()]
            for name in ("x", "y", "z")
        }
    )
    if read_rows is not None:
        together = together.iloc[choose_rows(81, read_rows)]
    same(read_table(folder, label="y", read_rows=read_rows), read_table(together, label="y"))


def _longer(values):
    array = pa.array(values)
    return pa.concat_arrays([array, array.slice(0, 1)])


CHANGED = {
    "a column less": (
        {"z": np.arange(40)},
        {},
        r"same columns.*a\.parquet' has a column 'z', .*b\.parquet' has none; .*ignore=\['z'\]",
    ),
    "a column more": (
        {},
        {"z": np.arange(40)},
        r"same columns.*b\.parquet' has a column 'z', .*a\.parquet' has none",
    ),
    "number and text": (
        {"z": np.arange(40)},
        {"z": ["u", "v"] * 20},
        r"'z' must have one type.*int64 in .*a\.parquet' and string in .*b\.parquet'; convert",
    ),
    "text and categories of numbers": (
        {"z": ["u", "v"] * 20},
        {"z": pa.array([1, 2] * 20).dictionary_encode()},
        r"'z' must have one type.*string in .*a\.parquet' and int64 in .*b\.parquet'",
    ),
    "number and date": (
        {"z": np.arange(40)},
        {"z": pa.array([1] * 40, pa.date32())},
        r"'z' must have one type.*int64 in .*a\.parquet' and date32.* in .*b\.parquet'",
    ),
    "with and without time zone": (
        {"z": pa.array([1] * 40, pa.timestamp("s"))},
        {"z": pa.array([1] * 40, pa.timestamp("s", "UTC"))},
        r"'z' must have one type.*timestamp",
    ),
}


@pytest.mark.parametrize("change", CHANGED)
def test_parts_whose_schema_changes_are_refused(tmp_path, change):
    one, other, message = CHANGED[change]
    folder = write_parts(tmp_path / "t", a=rows(**one), b=rows(**other), c=rows())
    with pytest.raises(DatakinError, match=message) as caught:
        read_table(folder, label="y")
    assert "\n" not in str(caught.value)


def test_a_change_is_told_between_the_two_files_that_differ(tmp_path):
    folder = write_parts(
        tmp_path / "t",
        a=rows(z=pa.nulls(40)),
        b=rows(z=pa.nulls(40)),
        c=rows(z=np.arange(40)),
        d=rows(z=["u"] * 40),
    )
    with pytest.raises(DatakinError, match=r"int64 in .*c\.parquet' and string in .*d\.parquet'"):
        read_table(folder, label="y")


def test_an_ignored_column_may_change(tmp_path):
    folder = write_parts(
        tmp_path / "t", a=rows(z=np.arange(40)), b=rows(50, z=["u"] * 50), c=rows(60, w=["v"] * 60)
    )
    assert read_table(folder, label="y", ignore=["z", "w"]).n_rows == 150


def test_an_index_of_pandas_in_some_parts_is_no_column(tmp_path):
    frame = pd.DataFrame(rows(200))
    folder = tmp_path / "t"
    folder.mkdir()
    frame[:40].to_parquet(folder / "a.parquet")
    late = frame[40:].query("x > 0")  # keeps the numbers of its rows
    late.to_parquet(folder / "b.parquet")
    assert any("__index" in name for name in pq.read_schema(folder / "b.parquet").names)
    assert read_table(folder, label="y").columns == ("x",)
    assert read_table(folder / "b.parquet", label="y").columns == ("x",)


@pytest.mark.parametrize("content", [b"PAR1 nonsense", b"", None], ids=["junk", "empty", "cut"])
def test_a_corrupt_part_is_named(parts, content):
    _, folder = parts
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:900] if content is None else content)
    with pytest.raises(
        DatakinError, match=r"part-1\.parquet' (is empty|could not be read as a parq)"
    ):
        read_table(folder, label="died")


def test_a_part_whose_values_are_damaged_is_named(parts):
    _, folder = parts
    path = folder / "part-2.parquet"
    content = bytearray(path.read_bytes())
    content[4:4000] = bytes(3996)  # the description at the end of the file is left whole
    path.write_bytes(content)
    for read_rows in (None, 300):
        with pytest.raises(DatakinError, match=r"part-2\.parquet' could not be read as a parquet"):
            read_table(folder, label="died", read_rows=read_rows)


def test_folders_that_hold_no_parts(tmp_path, small):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "notes.txt").write_text("nothing here")
    with pytest.raises(
        DatakinError, match=r"folder .*empty' holds no .*\.parquet, \.feather file\.$"
    ):
        read_table(empty, label="y")
    with pytest.raises(DatakinError, match="holds no"):
        read_tables([empty, empty], label="y")
    deep = tmp_path / "deep"
    deep.mkdir()
    write_parts(deep / "year=2020", a=rows())
    with pytest.raises(DatakinError, match=r"no .* file itself; .*say '.*deep/\*/\*\.parquet'"):
        read_table(deep, label="y")
    assert read_table(deep / "*" / "*.parquet", label="y").n_rows == 40


def test_files_other_than_parquet_are_no_parts(tmp_path, small):
    for name in ("a.csv", "b.csv"):
        small.to_csv(tmp_path / name, index=False)
    with pytest.raises(
        DatakinError, match=r"one file, or the Parquet part files.*names 2.*read_tables"
    ):
        read_table(tmp_path, label="y")
    small.to_parquet(tmp_path / "c.parquet")
    with pytest.raises(DatakinError, match="names 3"):
        read_table(tmp_path, label="y")
    assert list(read_tables([tmp_path, tmp_path / "c.parquet"][:1], label="y")) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("a/2020-*.parquet", "2020"),
        ("a/*.parquet", "a"),
        ("a/x_[0-9]?.pq", "x"),
        ("sales.parquet", "sales"),
    ],
)
def test_names_of_tables_in_parts(pattern, name):
    assert stem(pattern) == name
