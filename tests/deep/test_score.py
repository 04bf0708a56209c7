"""The encoder-head score against scikit-learn, and the promises all scores make."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")

from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from datakin import Comparison, DatakinWarning, Interrupted, Zone, as_dataset, from_json, score
from datakin.deep import EncoderHeadScore, as_items
from datakin.deep.heads import make_split


def small_net(p: int = 4) -> nn.Module:
    return nn.Sequential(nn.Linear(p, 12), nn.ReLU())


def by_hand(target, source, repeat, fit, loss):
    """Algorithm 3 with the encoder left out, in scikit-learn's words."""
    sides = []
    for d in (target, source):
        split = make_split(d, 0.3, 0, repeat)
        X = d.features.contents.values
        sides.append((X, d.y, split.train, split.test))
    models = [fit(X[train], y[train]) for X, y, train, _ in sides]
    errors = {
        (a, b): np.mean(loss(models[a], sides[b][0][sides[b][3]], sides[b][1][sides[b][3]]))
        for a in (0, 1)
        for b in (0, 1)
    }
    return errors


def zero_one(model, X, y):
    return model.predict(X) != y


def log_loss(model, X, y):
    return -np.log(np.clip(model.predict_proba(X)[np.arange(len(y)), y], 1e-3, 1.0))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("name", "loss"), [("zero_one", zero_one), ("log", log_loss)])
def test_identity_and_linear_head_are_scikit_learns_hold_out(make_rows, n_classes, name, loss):
    target = make_rows(120, 1, n_classes=n_classes)
    source = make_rows(200, 2, n_classes=n_classes, angle=0.6)

    def fit(X, y):
        logistic = LogisticRegression(tol=1e-12, max_iter=10_000)
        return make_pipeline(StandardScaler(), logistic).fit(X, y)

    found = EncoderHeadScore("identity", repeats=3, loss=name).compare(target, source)
    errors = [by_hand(target, source, r, fit, loss) for r in range(3)]
    mean = {key: np.mean([e[key] for e in errors]) for key in errors[0]}
    hand = 0.5 * (mean[1, 0] - mean[0, 0]) + 0.5 * (mean[0, 1] - mean[1, 1])
    assert found.score == pytest.approx(hand, abs=1e-6)
    assert found.own_errors[target.name] == pytest.approx(mean[0, 0], abs=1e-6)
    assert found.cross_errors[source.name] == pytest.approx(mean[1, 0], abs=1e-6)


def test_regression_is_scikit_learns_ridge(make_numbers):
    target, source = make_numbers(100, 1), make_numbers(150, 2, angle=0.8)
    found = EncoderHeadScore("identity", repeats=2).compare(target, source)

    def fit(X, y):
        return make_pipeline(StandardScaler(), Ridge(1.0)).fit(X, y)

    errors = [
        by_hand(target, source, r, fit, lambda m, X, y: (m.predict(X) - y) ** 2) for r in range(2)
    ]
    hand = np.mean([0.5 * (e[1, 0] - e[0, 0] + e[0, 1] - e[1, 1]) for e in errors])
    assert found.score == pytest.approx(hand, rel=1e-9)
    assert found.standardised == pytest.approx(
        np.mean([0.5 * (e[1, 0] - e[0, 0]) for e in errors]) / target.y.var()
        + np.mean([0.5 * (e[0, 1] - e[1, 1]) for e in errors]) / source.y.var()
    )
    assert found.zone is Zone.NEGATIVE


def test_tables_and_arrays_agree(make_rows):
    """The same numbers as a table: the house's own plain score sees the same kinship."""
    rows = [make_rows(150, seed, angle=angle) for seed, angle in ((1, 0.0), (2, 1.2))]
    tables = [as_dataset(d.features.contents.values, d.y, name=d.name) for d in rows]
    method = EncoderHeadScore("identity", repeats=5)
    by_rows, by_tables = method.compare(*rows), method.compare(*tables)
    assert by_rows.score == pytest.approx(by_tables.score, abs=1e-12)
    plain = score(*tables, models=["logistic"], zones="paper")
    assert abs(plain.score - by_rows.score) < 3 * np.hypot(
        plain.standard_error, by_rows.standard_error
    )
    assert plain.zone is by_rows.zone is Zone.NEGATIVE


@pytest.mark.parametrize("head", ["linear", "mlp"])
@pytest.mark.parametrize("encoder", ["identity", "net"])
def test_symmetric_and_repeatable(make_rows, head, encoder):
    made = small_net() if encoder == "net" else encoder
    options = {"head": head, "repeats": 2, "epochs": 2, "random_state": 3}
    a, b = make_rows(80, 1), make_rows(90, 2)
    one = EncoderHeadScore(made, **options).compare(a, b)
    other = EncoderHeadScore(made, **options).compare(b, a)
    assert one.score == other.score
    assert one.interval == other.interval
    assert one.source_to_target == other.target_to_source
    assert EncoderHeadScore(made, **options).compare(a, b).to_json() == one.to_json()
    moved = EncoderHeadScore(made, **{**options, "random_state": 4}).compare(a, b)
    assert moved.score != one.score


def test_the_result_is_the_same_record_as_for_tables(make_rows):
    found = EncoderHeadScore("identity", repeats=2).compare(make_rows(seed=1), make_rows(seed=2))
    assert isinstance(found, Comparison)
    assert from_json(found.to_json()) == found
    assert found.estimate == "linear head"
    low, high = found.interval
    assert low < found.score < high
    assert set(found.curves) == {"rows 1", "rows 2"}
    assert sum(found.zone_probabilities.values()) == pytest.approx(1)
    assert found.n_rows == {"rows 1": 120, "rows 2": 120}


def test_twins_are_kin_and_opposites_are_not(make_rows):
    method = EncoderHeadScore("identity", repeats=5)
    target = make_rows(200, 1, name="target")
    sources = {"twin": make_rows(300, 2), "turned": make_rows(300, 3, angle=np.pi / 2)}
    sources["opposite"] = make_rows(300, 4, angle=np.pi)
    ranking = method.rank(target, sources)
    assert [c.source for c in ranking] == ["twin", "turned", "opposite"]
    assert ranking["twin"].zone is not Zone.NEGATIVE
    assert ranking["turned"].zone is ranking["opposite"].zone is Zone.NEGATIVE
    assert ranking.first["twin"] > 0.99
    assert ranking["twin"].score == pytest.approx(
        method.compare(target, ranking_twin(sources)).score
    )


def ranking_twin(sources):
    return sources["twin"].renamed("twin")


def test_intervals_cover_the_truth():
    """Two samples of one distribution: the 95% interval holds 0 in nearly all of 60 draws."""
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(60):
        X = rng.standard_normal((260, 3))
        y = (X[:, 0] + rng.standard_normal(260) > 0).astype(int)
        method = EncoderHeadScore("identity", repeats=3)
        low, high = method.compare((X[:100], y[:100]), (X[100:], y[100:])).interval
        covered.append(low <= 0 <= high)
    # The binomial's 0.1% quantile at 95% of 60 is 51.
    assert sum(covered) >= 51


def test_one_embedding_per_dataset_when_the_encoder_is_kept(make_rows):
    seen = []

    def embed(batch):
        seen.append(len(batch))
        return np.asarray(batch)[:, :2]

    members = [make_rows(60, seed) for seed in (1, 2, 3)]
    method = EncoderHeadScore(embed, repeats=3, batch_size=50)
    matrix = method.matrix(members)
    assert sum(seen) == 3 * 60, "each row once, for three pairs and three repeats"
    assert max(seen) <= 50, "never more than a batch"
    assert matrix.n_fits == 3 * 3 * 6
    assert matrix.scores[0, 1] == method.compare(members[0], members[1]).score
    assert (matrix.scores == matrix.scores.T).all()
    assert not np.isnan(matrix.errors).any()


def test_a_source_more_changes_no_other_number(make_rows):
    target, first, second = (make_rows(80, seed) for seed in (1, 2, 3))
    method = EncoderHeadScore(small_net(), repeats=2, epochs=2)
    alone = method.compare(target, first)
    with pytest.warns(DatakinWarning, match="4 encoders are trained, up to 2 epochs"):
        both = method.rank(target, [first, second])
    assert both[first.name].score == alone.score
    single = EncoderHeadScore(small_net(), repeats=1, epochs=1)
    with pytest.warns(DatakinWarning, match="one repeat: the interval does not know"):
        single.compare(target, first)


def test_training_does_not_touch_the_users_module_or_seed(make_rows):
    import torch

    net = small_net()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    EncoderHeadScore(net, repeats=2, epochs=2).compare(make_rows(60, 1), make_rows(60, 2))
    assert torch.equal(torch.rand(1), expected)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_checkpoints_resume_with_the_same_numbers(make_rows, tmp_path, monkeypatch):
    a, b = make_rows(80, 1), make_rows(90, 2)

    def method(folder):
        return EncoderHeadScore(small_net_fixed(), repeats=3, epochs=2, checkpoint=folder)

    whole = method(None).compare(a, b)
    calls = []
    from datakin.deep import run

    real = run.fit_network

    def stops(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(run, "fit_network", stops)
    with pytest.raises(Interrupted, match="goes on from its checkpoints"):
        method(tmp_path / "kept").compare(a, b)
    units = tmp_path / "kept" / "units"
    assert len(list(units.glob("*.parquet"))) == 2
    torn = next(units.glob("*.parquet"))
    torn.write_bytes(torn.read_bytes()[:100])
    with pytest.warns(DatakinWarning, match="1 file.s. of the checkpoint are torn"):
        resumed = method(tmp_path / "kept").compare(a, b)
    assert len(calls) == 3 + 2, "the torn repeat and the missing one"
    assert resumed.to_json() == whole.to_json()
    other = EncoderHeadScore(small_net_fixed(), repeats=3, epochs=3, checkpoint=tmp_path / "kept")
    other.compare(a, b)
    assert len(calls) == 5 + 3, "other options, other checkpoints"


def test_an_interrupted_run_promises_only_what_was_kept(make_rows, tmp_path, monkeypatch):
    from datakin.deep import run

    def stops(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "fit_network", stops)
    method = EncoderHeadScore(small_net(), repeats=2, checkpoint=tmp_path)
    with pytest.raises(Interrupted, match=r"before the pair was finished\.$"):
        method.compare(make_rows(80, 1), make_rows(90, 2))


def small_net_fixed():
    import torch

    torch.manual_seed(0)
    return small_net()


def test_groups_stay_on_one_side(make_rows):
    rows = make_rows(100, 1)
    group = np.arange(100) // 4
    grouped = as_items(rows.features.contents.values, rows.y, name="grouped", group=group)
    for repeat in range(5):
        split = make_split(grouped, 0.3, 0, repeat)
        assert not set(group[split.train]) & set(group[split.test])
        assert len(split.train) + len(split.test) == 100
    found = EncoderHeadScore("identity", repeats=2).compare(grouped, make_rows(90, 2))
    assert np.isfinite(found.score)


def test_a_dataset_against_itself_is_zero(make_rows):
    rows = make_rows(60, 1)
    with pytest.warns(DatakinWarning, match="0 by definition"):
        found = EncoderHeadScore("identity").compare(rows, rows)
    assert found.score == 0


def test_rows_in_both_are_left_out(make_rows):
    one, two = make_rows(80, 1), make_rows(80, 2)
    X = np.concatenate([two.features.contents.values, one.features.contents.values[:30]])
    mixed = as_items(X, np.concatenate([two.y, one.y[:30]]), name="mixed")
    with pytest.warns(DatakinWarning, match=r"30 rows of the target also stand in the source"):
        found = EncoderHeadScore("identity", repeats=2).compare(one, mixed)
    assert found.n_shared_rows == 30
    own = found.errors.frame.query("trained_on == 'rows 1' and tested_on == 'rows 1'")
    assert (own["rows"] < 24).all(), "30% of 80 rows, less those that stand in both"


def test_different_classes_are_aligned_by_name(make_rows):
    three = make_rows(120, 1, n_classes=3)
    two = make_rows(120, 2, n_classes=2)
    with pytest.warns(DatakinWarning, match="class"):
        found = EncoderHeadScore("identity", repeats=2).compare(three, two)
    assert found.cross_errors["rows 2"] > 0.25, "a head of two classes never names the third"


def test_zones_by_gain_are_no_calls(make_rows):
    """Nothing is tried with encoders; scores are still said."""
    method = EncoderHeadScore("identity", repeats=2, zones="gain")
    both = make_rows(60, 1), make_rows(200, 2, angle=np.pi)
    found = method.compare(*both)
    assert (found.decision.rule, found.zone) == ("none", Zone.UNTRIED)
    assert found.by_paper.zone is Zone.NEGATIVE
    matrix = method.matrix(both)
    assert matrix.zones[0][1] is Zone.UNTRIED
    assert matrix.clusters() == {"rows 1": 1, "rows 2": 2}


def test_rows_in_common_with_one_source_change_no_other():
    """Own errors belong to a pair: rows that both datasets hold are left out of them."""
    rng = np.random.default_rng(0)
    X, X1 = rng.standard_normal((120, 3)), rng.standard_normal((100, 3))
    y, y1 = ((x[:, 0] + 0.5 * rng.standard_normal(len(x)) > 0).astype(int) for x in (X, X1))
    both = np.concatenate([X[:40], X1[:80]]), np.concatenate([y[:40], y1[:80]])
    method = EncoderHeadScore("identity", repeats=2)
    alone = method.compare((X, y), (X1, y1))
    with pytest.warns(DatakinWarning):
        ranking = method.rank((X, y), {"source": (X1, y1), "overlaps": both})
    assert ranking["source"].to_json() == alone.to_json()
    with pytest.warns(DatakinWarning):
        found = method.matrix({"target": (X, y), "source": (X1, y1), "overlaps": both})
    assert np.isnan(found.errors[0, 0]), "it differs from pair to pair"
    assert found.n_fits == 36
