"""What the paper defines can be had by public names, each with the number or word that it stands for."""

import numpy as np
import pytest

import datakin
from datakin import CrossErrors, Zone, ZoneDecision, paper

MODELS = ["logistic", "linear_svm"]
OPTIONS = {"models": MODELS, "cv": 3, "zones": "paper"}


@pytest.fixture(scope="module")
def pair():
    drawn = paper.settings()["lda"](0.9).sample(60, 60)
    return drawn.target, drawn.source


@pytest.fixture(scope="module")
def found(pair):
    return datakin.score(*pair, **OPTIONS)


def test_zones(pair, found):
    assert isinstance(found.zone, Zone)
    assert found.zone.code in {"PT", "AZ", "NT"}
    assert isinstance(found.decision, ZoneDecision)
    assert found.by_paper.zone is found.zone
    assert datakin.score(*pair, models=MODELS, cv=3).by_paper.zone is found.zone


def test_both_directions_and_their_weighted_score(pair, found):
    there, back = found.source_to_target, found.target_to_source
    assert found.score == pytest.approx((there + back) / 2, abs=1e-15)
    weighted = datakin.score(*pair, **OPTIONS, direction=0.8)  # CLS_w with w = 0.8
    assert weighted.score == pytest.approx(0.8 * there + 0.2 * back, abs=1e-15)


def test_averages_of_models(pair, found):
    for estimate in ("weighted", "unweighted"):
        averaged = datakin.score(*pair, **OPTIONS, estimate=estimate)
        assert averaged.estimate == estimate
        assert averaged.model_scores == found.model_scores
    assert averaged.score == pytest.approx(np.mean(list(found.model_scores.values())), abs=1e-12)


def test_the_limit_and_the_size_of_the_paper(pair, found):
    for size in ("paper", "matched", "limit"):
        assert datakin.score(*pair, **OPTIONS, size=size).score == found.sizes[size].value
    errors = CrossErrors.measure(list(pair), models=MODELS, cv=3)
    names = [dataset.name for dataset in pair]
    assert errors.score(*names, size="limit").score == found.sizes["limit"].value


def test_the_score_of_an_encoder_with_a_head(pair):
    pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
    from torch import nn

    from datakin.deep import EncoderHeadScore

    width = len(pair[0].features.numeric_names)
    compared = EncoderHeadScore(nn.Linear(width, 4), epochs=1, repeats=2).compare(*pair)
    assert np.isfinite([compared.score, compared.source_to_target, compared.target_to_source]).all()
