"""Folders of images: any size and mode, upright, grouped; bad files named and counted."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed (pip install '.[deep]')")

import datakin
from datakin import DatakinError, DatakinWarning
from datakin.deep import EncoderHeadScore, ResNet18, read_images
from datakin.deep.images import decode


def paint(path, colour=(200, 30, 30), size=(20, 16), mode="RGB", **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).convert(mode).save(path, **options)


@pytest.fixture
def folder(tmp_path):
    """Thirty images: dark and light ones, sizes and modes mixed."""
    rng = np.random.default_rng(0)
    for i in range(30):
        shade = int(rng.integers(0, 90)) + (150 if i % 2 else 0)
        name = f"{'light' if i % 2 else 'dark'}/{i:02d}.{'png' if i % 3 else 'jpg'}"
        modes = ("RGB", "L") if name.endswith("jpg") else ("RGB", "L", "RGBA", "P")
        size = (int(rng.integers(12, 40)), int(rng.integers(12, 40)))
        paint(tmp_path / "photos" / name, (shade, shade, i), size, modes[i % len(modes)])
    return tmp_path / "photos"


def test_classes_are_the_subfolders(folder):
    photos = read_images(folder, size=8)
    assert repr(photos) == "Dataset('photos': 30 rows x 1 columns, binary (dark, light))"
    assert np.bincount(photos.y).tolist() == [15, 15]
    batch = photos.features.contents.load(np.arange(5))
    assert batch.shape == (5, 3, 8, 8)
    assert batch.dtype == np.float32
    assert batch.min() >= 0
    assert batch.max() <= 1
    assert read_images(folder, channels=1, size=8).features.contents.load(np.arange(2)).shape == (
        2,
        1,
        8,
        8,
    )


def test_some_of_the_images(folder):
    photos = read_images(folder, size=8)
    some = photos.take(np.arange(10, 30))
    assert some.n_rows == 20
    np.testing.assert_array_equal(
        some.features.contents.load(np.array([0, 19])),
        photos.features.contents.load(np.array([10, 29])),
    )
    assert some.fingerprint != photos.fingerprint
    assert some.take(np.arange(5)).features.contents.load(np.arange(5)).shape == (5, 3, 8, 8)


def test_mixed_modes_become_one(folder):
    contents = read_images(folder, size=8).features.contents
    modes = set()
    for file in contents.values:
        with Image.open(file) as image:
            modes.add(image.mode)
    assert modes >= {"RGB", "L", "RGBA", "P"}
    assert contents.load(np.arange(30)).shape == (30, 3, 8, 8)


def test_exif_rotation_and_transparency(tmp_path):
    pixels = np.zeros((10, 20, 3), dtype=np.uint8)
    pixels[:, 10:] = 255
    image = Image.fromarray(pixels)
    exif = image.getexif()
    exif[274] = 6  # to be shown turned by a quarter, clockwise
    image.save(tmp_path / "turned.png", exif=exif)
    upright = decode(tmp_path / "turned.png", 10, 1)[0]
    assert upright.shape == (10, 10)
    assert upright[0].mean() < 0.1, "what was left is now on top"
    assert upright[-1].mean() > 0.9
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    assert (decode(tmp_path / "clear.png", 4, 3) == 1).all(), "transparent is white"


def test_the_centre_of_the_shorter_side_is_kept(tmp_path):
    pixels = np.zeros((10, 30), dtype=np.uint8)
    pixels[:, 10:20] = 255
    Image.fromarray(pixels).save(tmp_path / "wide.png")
    assert (decode(tmp_path / "wide.png", 10, 1) == 1).all()


def test_an_index_file_with_groups(folder):
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*"))
    table = pd.DataFrame({"file": files, "label": [f.split("/")[0] for f in files]})
    table["twin"] = ["a", "a", "", ""] + ["b"] * 2 + [""] * (len(files) - 6)
    table.to_csv(folder / "index.csv", index=False)
    photos = read_images(folder / "index.csv", group="twin")
    assert photos.name == "photos"
    assert photos.groups[0] == photos.groups[1]
    assert photos.groups[4] == photos.groups[5]
    assert len(np.unique(photos.groups)) == len(files) - 2, "rows without a group stand alone"
    with pytest.raises(DatakinError, match="must have the column 'twins'"):
        read_images(folder / "index.csv", group="twins")
    with pytest.raises(DatakinError, match="group names a column of an index file"):
        read_images(folder, group="twin")


def test_classes_are_paired_as_the_user_says(folder):
    plain = read_images(folder, classes={"dark": 0, "light": 1})
    swapped = read_images(folder, classes={"dark": 1, "light": 0}, name="swapped")
    assert plain.classes == swapped.classes == ("0", "1")
    assert (plain.y == 1 - swapped.y).all()
    with pytest.raises(DatakinError, match=r"must name classes of .*'dark', 'light'.* Got 'grey'"):
        read_images(folder, classes={"dark": 0, "grey": 1})
    with pytest.raises(
        DatakinError, match=r"two classes. .* names 'dark' and leaves out 'light' of .*photos; name"
    ):
        read_images(folder, classes={"dark": 0})


def write_index(folder, labels):
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*g"))
    table = pd.DataFrame({"file": files, "label": labels(files)})
    table.to_csv(folder / "index.csv", index=False)
    return folder / "index.csv"


def test_labels_of_an_index_may_be_numbers(folder):
    index = write_index(folder, lambda files: [i / 4 for i in range(len(files))])
    assert repr(read_images(index)) == "Dataset('photos': 30 rows x 1 columns, regression)"
    np.testing.assert_array_equal(read_images(index).y, np.arange(30) / 4)
    assert len(read_images(index, task="multiclass").classes) == 30
    index = write_index(folder, lambda files: [i % 3 for i in range(len(files))])
    assert read_images(index).classes == ("0", "1", "2"), "few whole numbers are classes"
    assert not read_images(index, task="regression").classes
    paired = read_images(index, classes={0: "a", 1: "b"})
    assert (paired.classes, paired.n_rows) == (("a", "b"), 20)
    with pytest.raises(DatakinError, match="'task' parameter must be one of"):
        read_images(index, task="ranking")
    with pytest.raises(DatakinError, match=r"regression label must hold numbers. Got 'dark', "):
        read_images(folder, task="regression")


def test_subfolders_called_by_numbers_are_classes(tmp_path):
    for i in range(36):
        paint(tmp_path / "digits" / str(i % 12) / f"{i}.png", (i, i, i))
    assert len(read_images(tmp_path / "digits").classes) == 12


def test_names_do_not_depend_on_where_one_stands(folder, monkeypatch):
    index = write_index(folder, lambda files: [file.split("/")[0] for file in files])
    monkeypatch.chdir(folder)
    assert read_images(".").name == read_images("index.csv").name == "photos"
    monkeypatch.chdir(folder / "dark")
    assert read_images("..").name == read_images("../index.csv").name == "photos"
    index.rename(folder / "summer.csv")
    assert read_images("../summer.csv").name == "summer"


def test_bad_files_are_named_counted_and_skipped_on_request(folder):
    whole = (folder / "dark" / "00.jpg").read_bytes()
    (folder / "dark" / "torn.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "light" / "text.png").write_text("no image")
    with pytest.raises(
        DatakinError, match=r"2 of 32 images .*dark/torn.jpg \(.*light/text.png \(not an image\)"
    ):
        read_images(folder)
    with pytest.warns(DatakinWarning, match=r"2 of 32 images cannot be read.*left out"):
        assert read_images(folder, on_error="skip").n_rows == 30
    for i in range(10):
        (folder / "light" / f"bad{i}.png").write_text("no image")
    with pytest.raises(DatakinError, match=r"12 of 42 images .*bad0.png.*bad8.png.* and 2 more"):
        read_images(folder)


def test_files_of_an_index_that_are_absent(folder):
    index = write_index(folder, lambda files: [file.split("/")[0] for file in files])
    (folder / "dark" / "00.jpg").unlink()
    with pytest.raises(DatakinError, match=r"1 of 30 images .*dark/00.jpg \(No such file or dir"):
        read_images(index)


def test_folders_that_will_not_do(tmp_path):
    with pytest.raises(DatakinError, match="one subfolder per class"):
        read_images(tmp_path)
    for i in range(25):
        paint(tmp_path / "only" / f"{i}.png")
    with pytest.raises(DatakinError, match="images of 'only' only"):
        read_images(tmp_path)
    with pytest.raises(DatakinError, match="a folder or from a csv file"):
        read_images(tmp_path / "absent")
    write_index(tmp_path, lambda files: ["only"] * len(files))
    with pytest.raises(DatakinError, match="only; name the class of each in the column 'label'"):
        read_images(tmp_path / "index.csv")
    with pytest.raises(DatakinError, match="'size' parameter must be a whole number of at least 1"):
        read_images(tmp_path, size=0)
    with pytest.raises(DatakinError, match="'channels' parameter must be 3 or 1"):
        read_images(tmp_path, channels=2)
    with pytest.raises(DatakinError, match="'on_error' parameter"):
        read_images(tmp_path, on_error="ignore")


def test_images_of_two_folders_are_compared(folder, tmp_path):
    rng = np.random.default_rng(1)
    for i in range(40):
        shade = int(rng.integers(0, 90)) + (150 if i % 2 else 0)
        name = f"{'light' if (i % 2 or i == 4) else 'dark'}/{i}.png"
        paint(tmp_path / "more" / name, (shade, i, shade), (10, 10))
    target, source = read_images(folder, size=16), read_images(tmp_path / "more", size=16)

    def brightness(batch):
        return np.asarray(batch).mean(axis=(2, 3))

    found = EncoderHeadScore(brightness, repeats=2).compare(target, source)
    assert abs(found.score) < 0.15
    grey = read_images(tmp_path / "more", size=16, channels=1, name="grey")
    with pytest.raises(
        DatakinError,
        match=r"'photos' has \(3, 16, 16\), 'grey' has \(1, 16, 16\); read both with the same size",
    ):
        EncoderHeadScore(brightness).compare(target, grey)
    net = ResNet18(width=4, small=True)
    trained = EncoderHeadScore(net, repeats=2, epochs=1, batch_size=16).compare(target, source)
    assert np.isfinite(trained.score)


def test_plain_scores_say_that_images_need_an_encoder(folder):
    photos = read_images(folder)
    swapped = read_images(folder, classes={"dark": "light", "light": "dark"}, name="swapped")
    with pytest.raises(DatakinError, match=r"images, which need an encoder: datakin.deep"):
        datakin.score(photos, swapped)
    with pytest.raises(DatakinError, match=r"images, which need an encoder: datakin.deep"):
        datakin.transfer_gain(photos, swapped)
    with pytest.raises(DatakinError, match=r"images, which need an encoder: datakin.deep"):
        datakin.distances.compare(photos, swapped, method="energy")
