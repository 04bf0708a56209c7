"""Pictures of results: what is drawn is what the result holds."""

import subprocess
import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")

from matplotlib.axes import Axes  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

import datakin  # noqa: E402
from datakin import DatakinError, plots  # noqa: E402
from datakin.plots.canvas import CALLS, COLOURS  # noqa: E402
from tests.unit.explain.planted import planted  # noqa: E402

FAST = {"models": ["logistic"], "cv": 3}


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def results(make_lda):
    home = make_lda(60, 1, name="home")
    sources = [make_lda(60, 2, name="kin"), make_lda(60, 3, name="cost in $ of\n$x", angle=1.5)]
    ranking = datakin.rank(home, sources, **FAST)
    return {
        "ranking": ranking,
        "comparison": ranking.best,
        "by paper": datakin.rank(home, sources, zones="paper", **FAST),
        "matrix": datakin.matrix([home, *sources], **FAST),
        "gain": datakin.transfer_gain(home, sources[0], methods=["concatenate", "art"], repeats=3),
        "untried": datakin.CrossErrors.measure([home, *sources], **FAST).rank("home"),
        "distances": datakin.distances.rank(home, sources, method="energy"),
        "distance": datakin.distances.compare(home, sources[0], method="energy"),
        "choice": datakin.choose(home, sources, learners=["linear"], repeats=1),
        "lonely": datakin.choose(home, learners=["linear"], repeats=1),
        "distance matrix": datakin.distances.matrix([home, *sources], method="energy"),
        "explanation": datakin.explain(*planted("rule", 0)),
        "copies": datakin.explain(home, home),
    }


DRAWN = {
    "ranking": ["ranking", "comparison", "distances", "by paper", "untried"],
    "zones": ["ranking", "comparison", "by paper"],
    "matrix": ["matrix", "distance matrix"],
    "map": ["matrix", "distance matrix"],
    "learning_curve": ["ranking", "comparison"],
    "gain": ["gain"],
    "choice": ["choice", "lonely"],
    "explanation": ["explanation", "copies"],
    "effects": ["explanation"],
}


@pytest.mark.parametrize(("name", "kind"), [(n, k) for n, kinds in DRAWN.items() for k in kinds])
def test_every_picture_is_drawn_on_the_axes_given(results, ax, name, kind, tmp_path):
    assert getattr(plots, name)(results[kind], ax=ax) is ax
    assert plots.save(ax, tmp_path / "p.png").stat().st_size > 2000


def test_every_public_picture_is_tried():
    assert set(DRAWN) | {"save"} == set(plots.__all__)


def test_without_axes_new_ones_are_made(results):
    from matplotlib import pyplot

    before = dict(matplotlib.rcParams)
    found = plots.ranking(results["ranking"])
    assert isinstance(found, Axes)
    assert dict(matplotlib.rcParams) == before
    pyplot.close(found.figure)


def test_ranking_draws_the_frame(results, ax):
    plots.ranking(results["ranking"], ax=ax)
    frame = results["ranking"].frame
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linewidth() > 1]
    assert [tuple(line.get_xdata()) for line in lines] == list(
        zip(frame.low, frame.high, strict=True)
    )
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [float(dot.get_xdata()[0]) for dot in dots] == list(frame.score)
    assert [to_hex(dot.get_color()) for dot in dots] == [COLOURS[z].lower() for z in frame.zone]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["kin", r"cost in \$ of \$x"]
    # The first source stands on top.
    low, high = ax.get_ylim()
    assert low > high


def test_choice_draws_gains_calls_and_shares(results, ax):
    choice = results["choice"]
    plots.choice(choice, ax=ax)
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    frame = choice.frame
    decides = frame.pooled.where(frame.call == "hurts", frame.gain)
    assert [float(dot.get_xdata()[0]) for dot in dots] == pytest.approx(list(100 * decides))
    assert [to_hex(dot.get_color()) for dot in dots] == [CALLS[c].lower() for c in frame.call]
    texts = [text.get_text() for text in ax.texts]
    for each, text in zip(choice.choices, texts, strict=False):
        assert text == (f"{100 * each.share:.0f}%" if each.share else "not used")
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert r"cost in \$ of \$x" in names
    assert ("The choice" in names) == bool(choice.used)


def test_parts_of_an_explanation_follow_each_other(results, ax):
    found = results["explanation"]
    plots.explanation(found, ax=ax)
    share = 100 / found.loss_alone
    starts = [bar.get_x() for bar in ax.patches]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert ends[0] == pytest.approx(share * found.excess)
    assert starts[1:] == pytest.approx([ends[0], *ends[1:-1]])
    assert ends[-1] == pytest.approx(0, abs=1e-9)
    inks = [to_hex(bar.get_facecolor()) for bar in ax.patches[1:]]
    named = [ink == CALLS["hurts"].lower() for ink in inks]
    assert named == [part.flagged for part in found.parts]
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["The whole", *(part.name.capitalize() for part in found.parts)]


def test_effects_stand_side_by_side(results, ax):
    found = results["explanation"]
    plots.effects(found, ax=ax)
    pairs = [pair for each in found.columns for pair in each.effects]
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    sides = [pair.here for pair in pairs] + [pair.there for pair in pairs]
    assert [float(dot.get_xdata()[0]) for dot in dots] == sides
    assert ax.get_legend_handles_labels()[1] == ["in target", "in source"]
    with pytest.raises(DatakinError, match=r"plots.effects needs effects of columns"):
        plots.effects(results["copies"], ax=ax)


def test_zone_bands_end_at_the_thresholds_where_the_paper_decides(results, ax):
    plots.ranking(results["by paper"], ax=ax)
    bands = [bar for bar in ax.patches if bar.get_alpha()]
    assert len(bands) == 3 * len(results["by paper"])
    for comparison, ambiguous in zip(results["by paper"], bands[1::3], strict=True):
        zone = comparison.by_paper
        assert ambiguous.get_x() == pytest.approx(zone.low)
        assert ambiguous.get_x() + ambiguous.get_width() == pytest.approx(zone.high)
    other = Figure().add_subplot()
    plots.ranking(results["ranking"], ax=other)
    assert not [bar for bar in other.patches if bar.get_alpha()]


@pytest.mark.parametrize(("name", "kind"), [(n, kinds[0]) for n, kinds in DRAWN.items()])
def test_every_picture_has_a_title_and_says_what_its_axis_is(results, ax, name, kind):
    getattr(plots, name)(results[kind], ax=ax)
    assert ax.get_title(loc="left")
    assert ax.get_xlabel() or name == "matrix"  # whose columns have names


def test_colours_are_those_of_the_calls_and_explained(results, ax):
    ranking = results["ranking"]
    plots.ranking(ranking, ax=ax)
    handles, names = ax.get_legend_handles_labels()
    assert set(names) == {c.call for c in ranking}
    inks = dict(zip(names, (to_hex(handle.get_color()) for handle in handles), strict=True))
    assert inks == {call: CALLS[call].lower() for call in inks}
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [float(dot.get_xdata()[0]) for dot in dots] == pytest.approx(list(ranking.frame.score))


def test_zones_fill_the_line(results, ax):
    plots.zones(results["ranking"], ax=ax)
    n = len(results["ranking"])
    widths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, n)
    assert widths.sum(axis=0) == pytest.approx(1)


def test_matrix_draws_the_square_in_the_order_of_the_tree(results, ax):
    matrix = results["matrix"]
    plots.matrix(matrix, ax=ax)
    names = [t.get_text() for t in ax.get_yticklabels()]
    order = [
        i
        for name in names
        for i, known in enumerate(matrix.names)
        if plots.canvas.label(known) == name
    ]
    drawn = np.asarray(ax.images[0].get_array())
    assert drawn == pytest.approx(np.maximum(matrix.scores[np.ix_(order, order)], 0))


def test_learning_curve_passes_through_its_points(results, ax):
    plots.learning_curve(results["ranking"], ax=ax)
    curve = results["comparison"].curves["home"]
    line = max(ax.lines, key=lambda line: len(line.get_xdata()))
    assert line.get_ydata()[-1] == pytest.approx(curve.error_at(line.get_xdata()[-1]))


def test_wrong_input_is_told(results, ax, tmp_path):
    with pytest.raises(
        DatakinError, match=r"plots.matrix draws a Matrix or DistanceMatrix. Got Ranking"
    ):
        plots.matrix(results["ranking"], ax=ax)
    wanted = "Ranking, Comparison or DistanceRanking"
    with pytest.raises(DatakinError, match=f"plots.ranking draws a {wanted}. Got Distance"):
        plots.ranking(results["distance"], ax=ax)
    with pytest.raises(DatakinError, match="None was tried here"):
        plots.zones(results["untried"], ax=ax)
    for draw in (plots.zones, plots.learning_curve):
        with pytest.raises(DatakinError, match=r"draws a Ranking.*Got DistanceRanking"):
            draw(results["distances"], ax=ax)
    with pytest.raises(DatakinError, match=r"must end in one of .*png.*Got"):
        plots.save(ax, tmp_path / "p.xyz")
    with pytest.raises(DatakinError, match="could not be written"):
        plots.save(ax, tmp_path / "missing" / "p.png")


def test_without_matplotlib_there_is_a_sentence():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from datakin import distances, plots, DatakinError\n"
        "from datakin.synthetic import make_demo\n"
        "t, s = make_demo(40, 40)\n"
        "try: plots.map(distances.matrix([t, s[0].dataset], method='energy'))\n"
        "except DatakinError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "Drawing needs the package 'matplotlib'. It is not installed: pip install 'datakin[report]'."
    )
