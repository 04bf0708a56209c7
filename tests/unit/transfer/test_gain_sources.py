"""Realised gain of several sources at once: what is learned from, tested on and said."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from datakin import DatakinError, DatakinWarning, Gain, as_dataset, from_json, plots, transfer_gain
from datakin.cli.showing import shown_text
from datakin.report.uncalled import gain_view

QUICK = {"methods": ["concatenate"], "repeats": 3}


@pytest.fixture(scope="module")
def trio(make_lda):
    """A target and two sources."""
    return make_lda(40, 1, name="home"), [
        make_lda(60, 2, name="near", angle=0.1),
        make_lda(50, 3, name="far", angle=1.5),
    ]


@pytest.fixture(scope="module")
def gain(trio):
    return transfer_gain(trio[0], trio[1], methods=["concatenate", "kin_weighted"], repeats=3)


class Spy(ClassifierMixin, BaseEstimator):
    """A method that keeps what it is given, and says the first class."""

    given: list = []  # noqa: RUF012

    def fit(self, X, y, *, sources=()):
        Spy.given.append((X, y, sources))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def spied(target, sources, **options):
    Spy.given = []
    transfer_gain(target, sources, methods={"spy": Spy()}, repeats=2, **options)
    return Spy.given


def test_every_method_gets_all_sources_at_once(trio):
    home, sources = trio
    given = spied(home, sources)
    assert len(given) == 2  # splits: one direction only
    for X, y, parts in given:
        assert X.shape == (28, 3)
        assert len(y) == 28
        assert [part.shape for part, _ in parts] == [(60, 3), (50, 3)]
        assert [len(labels) for _, labels in parts] == [60, 50]


def test_the_ways_to_pass_sources(trio, gain):
    home, sources = trio
    options = {"methods": ["concatenate", "kin_weighted"], "repeats": 3}
    assert transfer_gain(home, tuple(sources), **options) == gain
    assert transfer_gain(home, {s.name: s for s in sources}, **options) == gain
    arrays = [(s.features.numeric, s.y) for s in sources]
    named = transfer_gain(home, dict(zip(("near", "far"), arrays, strict=True)), **options)
    assert str(named) == str(gain)
    assert named.target_error == gain.target_error
    assert transfer_gain(home, arrays, **QUICK).sources == ("source 1", "source 2")
    one = transfer_gain(home, sources[:1], **QUICK)
    assert one.sources == ("near",)
    assert "Learned from near at once." in one.answer.caveats


def test_only_the_target_is_measured(gain, trio):
    assert gain.sources == ("near", "far")
    assert gain.source == "near, far"
    assert gain.sides == ("target",)
    assert np.isnan(gain.source_error)
    frame = gain.frame
    assert frame.filter(like="source_").isna().all(axis=None)
    assert frame.filter(like="average_").isna().all(axis=None)
    assert np.isfinite(frame.filter(like="target_")).all(axis=None)
    assert gain.best == frame.set_index("method").target_rer.idxmax()
    # The target's splits are those of one source.
    assert gain.target_error == transfer_gain(trio[0], trio[1][0], **QUICK).target_error
    assert set(gain.provenance.fingerprints) == {"home", "near", "far"}


def test_many_processes_give_the_same(trio, gain):
    again = transfer_gain(*trio, methods=["concatenate", "kin_weighted"], repeats=3, n_jobs=2)
    assert again == gain


def test_it_is_shown_and_comes_back_from_json(gain):
    again = Gain.from_json(gain.to_json())
    assert again == gain
    assert str(again) == str(gain)
    lines = str(gain).splitlines()
    assert lines[0].endswith("lowers the error of home with the 2 sources.")
    assert f"against {gain.target_error:.1%} with LogisticRegression on home alone." in " ".join(
        lines[1:3]
    )
    (head,) = [line for line in lines if line.startswith("method ")]
    assert head.split()[1:3] == ["error", "change"]
    assert {"- Means over 3 random splits.", "- Learned from near and far at once."} <= set(lines)
    assert "- The best of 2 methods was picked afterwards, so its gain flatters." in lines
    assert repr(gain).startswith("Gain(2 sources -> 'home': best ")
    assert "nan" not in str(gain) + repr(gain)


def test_results_of_earlier_versions_are_read(duo):
    gain = transfer_gain(*duo, **QUICK)
    data = json.loads(gain.to_json())
    for name in ("sources", "source_loss"):
        del data[name]
    old = from_json(json.dumps(data))
    assert (old.sources, old.source_loss) == ((), "")
    assert str(old) == str(gain)
    assert old.methods == gain.methods


def test_terminal_report_and_picture(gain):
    text = shown_text(gain, 80)
    assert "back: error" not in text
    assert "roles swapped" not in text
    assert "nan" not in text
    view = gain_view(gain)
    assert view["title"] == "2 sources for home"
    assert "2 sources" in view["verdict"]["head"]
    assert tuple(view["verdict"]["lines"]) == gain.answer.evidence
    assert "Learned from near and far at once." in view["notes"]
    (section,) = view["sections"]
    assert [c["key"] for c in section["columns"]] == [
        "method", "target_rer", "target_low", "target_error",
    ]  # fmt: skip
    assert len(section["chart"]["series"]) == 1
    assert {"label": "sources, used together", "value": "2"} in view["tiles"]
    ax = plots.gain(gain)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["on the target"]


# What they share.


def table(dataset, **columns):
    frame = pd.DataFrame(dataset.features.numeric, columns=["a", "b", "c"])
    return as_dataset(frame.assign(**columns), dataset.y, name=dataset.name)


def test_columns_that_all_have_are_used_and_notes_name_the_source(trio):
    home, (near, far) = trio
    rng = np.random.default_rng(0)
    home, near = table(home, d=rng.normal(size=40)), table(near, d=rng.normal(size=60))
    far = table(far)
    with pytest.warns(DatakinWarning, match="far: not used, absent from the source: 'd'"):
        given = spied(home, [near, far])
    assert given[0][0].shape[1] == 3
    with pytest.warns(DatakinWarning):
        notes = transfer_gain(home, [near, far], **QUICK).notes
    assert notes == ("far: not used, absent from the source: 'd'",)


def test_no_column_in_all(trio):
    home, (near, far) = trio

    def only(dataset, *names):
        frame = pd.DataFrame(dataset.features.numeric, columns=["a", "b", "c"])[list(names)]
        return as_dataset(frame, dataset.y, name=dataset.name)

    sources = [only(near, "a", "b"), only(far, "c")]
    with pytest.raises(DatakinError, match=r"must share at least one column.*'near', 'far'"):
        transfer_gain(only(home, "a", "b", "c"), sources, **QUICK)


def test_rows_in_the_target_and_any_source_are_left_out(make_lda):
    home, clean = make_lda(60, 1, name="home"), make_lda(60, 2, name="clean")
    X, y = make_lda(60, 3).features.numeric.copy(), make_lda(60, 3).y.copy()
    X[:20], y[:20] = home.features.numeric[:20], home.y[:20]
    mixed = as_dataset(X, y, name="mixed")
    with pytest.warns(DatakinWarning, match="mixed: 20 rows of the target also stand"):
        given = spied(home, [clean, mixed])
    assert [len(part) for part, _ in given[0][2]] == [60, 40]
    assert len(given[0][0]) == 28  # 70% of the 40 rows left
    with pytest.raises(DatakinError, match="'home' and 'copy' hold the same rows"):
        transfer_gain(home, [clean, home.renamed("copy")], **QUICK)
    part = as_dataset(home.features.numeric[:20], home.y[:20], name="part")
    with pytest.raises(DatakinError, match="All of 'part' do; leave it out"):
        transfer_gain(home, [clean, part], **QUICK)


def test_a_source_of_which_few_rows_are_left_is_used(make_lda):
    home, clean, other = (make_lda(60, seed, name=f"d{seed}") for seed in (1, 2, 3))
    X = np.vstack([home.features.numeric[:20], other.features.numeric[:3]])
    few = as_dataset(X, np.r_[home.y[:20], other.y[:3]], name="few")
    with pytest.warns(DatakinWarning, match="few: 20 rows of the target also stand"):
        given = spied(home, [clean, few])
    assert [len(part) for part, _ in given[0][2]] == [60, 3]


@pytest.mark.long
def test_classes_of_all_sources_can_be_predicted():
    rng = np.random.default_rng(0)

    def classes(n, labels, name):
        y = np.arange(n) % len(labels)
        return as_dataset(
            rng.standard_normal((n, 3)) + 2 * np.eye(3)[y], np.array(list(labels))[y], name=name
        )

    home = classes(40, "ab", "home")
    with pytest.warns(DatakinWarning, match="class missing from the target: 'c'"):
        gain = transfer_gain(
            home, [classes(50, "ab", "two"), classes(60, "abc", "three")], repeats=2
        )
    assert "three: class missing from the target: 'c'" in gain.notes
    assert list(gain.methods) == [
        "concatenate",
        "art",
        "kin_weighted",
        "kin_stack",
    ]  # three classes


def test_names_must_differ(trio):
    with pytest.raises(DatakinError, match="must have different names"):
        transfer_gain(trio[0], [trio[1][0], trio[1][0]], **QUICK)
