"""Stage 1: a shared encoder repairs what plain scores call a mismatch; training stops early."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
from torch import nn

from datakin import Interrupted, Zone, from_json
from datakin.deep import EncoderHeadScore, ResNet18, as_items, fine_tune_gain
from datakin.deep.training import Training, fit_network, seeded


def two_views(n, seed, *, other):
    """The class is written in the first two columns, or in the last two with another sign."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = 0.5 * rng.standard_normal((n, 4))
    X[:, 2 if other else 0] += np.where(y, -1, 1) if other else np.where(y, 1, -1)
    return as_items(X, y, name="other view" if other else "one view")


def test_a_trained_encoder_repairs_another_view():
    target, source = two_views(120, 1, other=False), two_views(240, 2, other=True)
    plain = EncoderHeadScore("identity", repeats=3).compare(target, source)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 8))
    learned = EncoderHeadScore(net, repeats=3, epochs=30, lr=1e-2).compare(target, source)
    assert plain.zone is Zone.NEGATIVE
    assert plain.score > 0.3
    assert learned.zone is not Zone.NEGATIVE
    assert learned.score < 0.05


def test_early_stopping_keeps_the_best_weights():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5)).astype(np.float32)
    y = rng.integers(0, 2, 200)  # nothing to learn: every epoch makes it worse
    passes = []

    class Counting(nn.Linear):
        def forward(self, x):
            if self.training:
                passes.append(len(x))
            return super().forward(x)

    def run(patience):
        passes.clear()
        with seeded(0):
            net = nn.Sequential(Counting(5, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
            options = Training(100, 32, 1e-2, patience, torch.device("cpu"))
            fit_network(net, None, lambda rows: X[rows], y, np.arange(200), n_classes=2,
                        training=options, seed=0)  # fmt: skip
        return sum(passes)

    assert run(3) < 20 * 170, "stopped long before the hundredth epoch"
    assert run(3) <= run(10)
    assert max(passes) <= 32


def test_regression_with_a_trained_encoder(make_numbers):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 16), nn.ReLU())
    method = EncoderHeadScore(net, repeats=2, epochs=20, lr=1e-2)
    found = method.compare(make_numbers(150, 1), make_numbers(150, 2))
    assert found.losses == {"numbers 1": "squared", "numbers 2": "squared"}
    assert found.own_errors["numbers 1"] < 0.5 * 25, "below the response's variance"
    assert abs(found.standardised) < 0.2


def test_images_of_any_shape_train_a_resnet():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.random((60, 1, 8, 8)) * 0.3
    X[y == 1, :, :4] += 0.7
    X[7], X[38] = X[8], X[39]  # two wrong labels
    sets = [
        as_items(X[k * 30 : k * 30 + 30], y[k * 30 : k * 30 + 30], name=f"h{k}") for k in (0, 1)
    ]
    net = ResNet18(channels=1, width=4, small=True)
    found = EncoderHeadScore(net, repeats=2, epochs=4, batch_size=16, lr=1e-2).compare(*sets)
    assert abs(found.score) <= 0.2
    assert max(found.own_errors.values()) <= 0.3


def crossed(n, seed, name):
    """The class is the sign of a product: features have to be learned."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return as_items(X, (X[:, 0] * X[:, 1] > 0).astype(int), name=name)


def test_fine_tuning_gain_both_ways(tmp_path):
    target, source = crossed(60, 1, "few"), crossed(400, 2, "many")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU())
    options = {"epochs": 15, "batch_size": 16, "lr": 1e-2, "checkpoint": tmp_path}
    gain = fine_tune_gain(target, source, net, **options)
    found = gain.methods["fine-tune"]
    assert gain.repeats == 5
    assert str(gain).startswith("fine-tune lowers the error of few with many.\n")
    assert "Means over 5 folds." in gain.answer.caveats
    assert from_json(gain.to_json()) == gain
    older = gain.to_json().replace(', "split": "fold"', "")
    assert from_json(older).split == "random split", "as results were before folds had a word"
    assert found.target_rer == pytest.approx(1 - found.target_error / gain.target_error)
    assert found.target_rer > 0.3, "400 more rows of the same kind help"
    assert found.average_rer == pytest.approx((found.target_rer + found.source_rer) / 2)
    assert len(list(tmp_path.glob("units/*.parquet"))) == 20
    again = fine_tune_gain(target, source, net, **options)
    assert again == gain
    swapped = fine_tune_gain(source, target, net, **options)
    assert swapped.methods["fine-tune"].source_rer == found.target_rer
    assert len(list(tmp_path.glob("units/*.parquet"))) == 20, "swapped roles need no training"
    kept = fine_tune_gain(target, source, net, **options, head="kept")
    assert kept.methods["fine-tune"].target_error <= found.target_error
    assert kept.target_error == gain.target_error


def test_an_interrupted_gain_promises_only_what_was_kept(tmp_path, monkeypatch):
    from datakin.deep import gain

    real, calls = gain.fit_network, []

    def stops_at(k):
        def fit(*arguments, **options):
            calls.append(1)
            if len(calls) == k:
                raise KeyboardInterrupt
            return real(*arguments, **options)

        calls.clear()
        monkeypatch.setattr(gain, "fit_network", fit)

    target, source, net = crossed(40, 1, "few"), crossed(60, 2, "many"), nn.Linear(2, 4)
    options = {"epochs": 1, "cv": 3}
    stops_at(1)
    with pytest.raises(Interrupted, match=r"with 0 of 12 trainings finished\.$"):
        fine_tune_gain(target, source, net, **options, checkpoint=tmp_path)
    stops_at(2)
    with pytest.raises(Interrupted, match=r"with 1 of 12 trainings finished\.$"):
        fine_tune_gain(target, source, net, **options)
    stops_at(2)
    with pytest.raises(Interrupted, match=r"1 of 12 .* The same call goes on from its checkpoints"):
        fine_tune_gain(target, source, net, **options, checkpoint=tmp_path)
