"""A call for every public name and option of the rooms beside the package itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

import datakin
from tests.golden.data import numbers
from tests.public.data import (
    SCORING,
    choice,
    comparison,
    errors,
    explanation,
    gain,
    kept,
    sources,
    take,
    target,
)
from tests.public.use import Use


def transfers(use: Use) -> None:
    """The transfer methods."""
    from sklearn.linear_model import LogisticRegression, Ridge

    X, y = target().features.numeric, target().y
    beside = [(each.features.numeric, each.y) for each in sources()]
    measured = numbers(60, 1)
    boosting = {"rounds": 3, "target_share": 0.5}
    room = "datakin.transfer"
    made = [
        use(f"{room}.Concatenate", estimator=LogisticRegression(), random_state=1),
        use(
            f"{room}.TrAdaBoost",
            estimator=LogisticRegression(),
            voting="soft",
            random_state=1,
            **boosting,
        ),
        use(
            f"{room}.DynamicTrAdaBoost",
            estimator=LogisticRegression(),
            voting="soft",
            random_state=1,
            **boosting,
        ),
        use(
            f"{room}.ART",
            estimator=LogisticRegression(),
            sharpness=2.0,
            repeats=3,
            tolerance=1e-3,
            weighting="paper",
            random_state=1,
        ),
        use(
            f"{room}.KinWeighted",
            estimator=LogisticRegression(),
            cv=3,
            grid=(0.0, 1.0),
            random_state=1,
        ),
        use(
            f"{room}.KinStack",
            learners=["linear"],
            task="classification",
            loss="brier",
            repeats=1,
            pools=False,
            random_state=1,
        ),
    ]
    for each in made:
        more = {"groups": None, "weights": None} if type(each).__name__ == "KinStack" else {}
        use.on(each, "fit", X=X, y=y, sources=beside, **more)
        use.on(each, "predict", X=X)
        use.on(each, "predict_proba", X)
        use.on(each, "score", X=X, y=y, sample_weight=np.ones(60))
        use.read(each)
    r2 = use(
        f"{room}.TrAdaBoostR2",
        estimator=Ridge(),
        rounds=2,
        stages=2,
        folds=3,
        target_share=0.5,
        random_state=1,
    )
    use.on(
        r2,
        "fit",
        X=measured.features.numeric,
        y=measured.y,
        sources=[(measured.features.numeric, measured.y)],
    )
    use.on(r2, "predict", X=measured.features.numeric)
    use.on(r2, "score", X=measured.features.numeric, y=measured.y, sample_weight=np.ones(60))
    use.read(r2)
    use(f"{room}.transfer_gain", target(), sources()[0], methods=["concatenate"], repeats=2)


def paper(use: Use) -> None:
    """The leaf: what older rooms do not name, and that their names are its own."""
    room = "datakin.paper"
    leaf = import_module(room)
    use(f"{room}.as_in_paper", client=None, checkpoint=None, **SCORING)
    use(
        f"{room}.score", target(), sources()[0], model="logistic", client=None, checkpoint=None,
        **{**SCORING, "models": ["logistic"]},
    )  # fmt: skip
    use(f"{room}.relative_reduction", base=np.ones(2), errors=np.ones(2), overlap=0.5)
    assert len(leaf.MODELS) == 4
    assert leaf.OPTIONS["models"] == "paper"
    use.seen |= {f"{room}.{name}" for name in leaf.__all__}


LEVELS: dict[str, dict[str, Any]] = {
    "LDA": {"cosine": 0.5, "variant": "text"},
    "Logistic": {"cosine": 0.5},
    "Probit": {"cosine": 0.5},
    "Mixture": {"alpha": 0.5},
    "QDA": {},
    "PolynomialLogistic": {},
    "Radial": {},
    "LinearRegression": {"cosine": 0.5, "variant": "text"},
    "NonlinearRegression": {"cosine": 0.5, "variant": "text"},
    "FourClass": {"cosine": 0.5},
}


def made_up(use: Use) -> None:
    """Data whose truth is known."""
    room = "datakin.synthetic"
    rng = np.random.default_rng(0)
    for name, options in LEVELS.items():
        use.read(use(f"{room}.{name}", **options), f"{room}.Setting")
        use.read(type(datakin.synthetic.settings()["lda"](0.5)), f"{room}.SettingClass")
        setting = use(f"{room}.{name}", **options)
        X, _ = use.on(
            setting, "draw", rng=rng, vector=setting.target_vector, n=20, protocol=f"{room}.Setting"
        )
        use.on(setting, "bayes_rule", vector=setting.target_vector, X=X, protocol=f"{room}.Setting")
        use.on(setting, "oracle", protocol=f"{room}.Setting")
        drawn = use.on(
            setting,
            "sample",
            n_target=20,
            n_source=20,
            random_state=1,
            n_test=20,
            protocol=f"{room}.Setting",
        )
        if hasattr(setting, "terms"):
            use.on(setting, "terms", X=X)
    use.read(drawn)
    _, demo = use(f"{room}.make_demo", n_target=40, n_source=40, random_state=1, draw=1)
    use.read(demo[0])
    use(f"{room}.settings")
    one, two, noise = (
        np.array([1.0, 0.5]),
        np.array([0.5, 1.0]),
        {"noise_target": 0.1, "noise_source": 0.2},
    )
    use(f"{room}.lda_cls", mu_target=one, mu_source=two, direction=0.3)
    use(
        f"{room}.probit_cls",
        beta_target=one,
        beta_source=two,
        cov_target=np.eye(2),
        cov_source=np.eye(2),
        direction=0.3,
        **noise,
    )
    use.read(use(f"{room}.probit_small_noise", beta_target=one, beta_source=two, **noise))


DISTANCES: dict[str, dict[str, Any]] = {
    "MMD": {"bandwidth": 1.0, "unbiased": False, "scaling": "pooled", "random_state": 1},
    "OTDD": {
        "inner": "gaussian",
        "debias": True,
        "splits": 2,
        "scaling": "pooled",
        "random_state": 1,
    },
    "Energy": {"unbiased": True, "scaling": "pooled"},
    "JensenShannon": {},
    "KLDivergence": {"density": "gaussian", "floor": 1e-3},
    "ProxyADistance": {"cv": 3, "C": 0.5, "random_state": 1},
    "Wasserstein": {
        "method": "sliced",
        "n_projections": 20,
        "scaling": "pooled",
        "random_state": 1,
    },
}


def distances(use: Use) -> None:
    """The distances between features."""
    room = "datakin.distances"
    others = list(sources())
    for name, options in DISTANCES.items():
        made = use.read(use(f"{room}.{name}", **options))
        use.on(made, "between", target=target(), source=others[0])
        use.on(made, "compare", target=target(), source=others[0])
        use.on(made, "rank", target=target(), sources=others, on_result=take)
        use.on(made, "matrix", datasets=[target(), *others])
    use.on(datakin.distances.MMD(), "p_value", target=target(), source=others[0], permutations=20)
    pair = kept(
        use,
        use(f"{room}.compare", target=target(), source=others[0], method="energy", unbiased=True),
    )
    use.on(pair, "row")
    kept(
        use,
        use(
            f"{room}.rank",
            target=target(),
            sources=others,
            method="energy",
            on_result=take,
            unbiased=True,
        ),
    )
    square = kept(
        use, use(f"{room}.matrix", datasets=[target(), *others], method="energy", unbiased=True)
    )
    use.on(square, "clusters", n=2)


def plots(use: Use) -> None:
    """The pictures."""
    from matplotlib.figure import Figure

    def axes() -> Any:
        return Figure().add_subplot()

    room = "datakin.plots"
    square = errors().matrix()
    shown = {
        "choice": choice(),
        "effects": explanation(),
        "explanation": explanation(),
        "gain": gain(),
        "learning_curve": comparison(),
        "map": square,
        "matrix": square,
        "ranking": errors().rank(target().name),
        "zones": comparison(),
    }
    for name, result in shown.items():
        drawn = use(f"{room}.{name}", result=result, ax=axes())
    use(f"{room}.save", ax=drawn, path=use.folder / "zones.png", dpi=50)


def deep(use: Use) -> None:
    """Encoder and head."""
    import torch
    from PIL import Image

    room = "datakin.deep"
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
    training = {
        "epochs": 1,
        "batch_size": 32,
        "lr": 1e-2,
        "patience": 1,
        "device": "cpu",
        "random_state": 1,
    }
    cls = use(
        f"{room}.EncoderHeadScore", encoder=net, head="mlp", freeze=True, test_size=0.4, repeats=1,
        weights=None, loss="zero_one", zones="gain", scale="whole", C=0.5, hidden=4,
        checkpoint=use.folder / "deep", **training,
    )  # fmt: skip
    use.on(cls, "compare", target=target(), source=sources()[0])
    use.on(cls, "rank", target=target(), sources=list(sources()))
    use.on(cls, "matrix", datasets=[target(), *sources()])
    use.on(cls, "cost", n_pairs=3)
    use(f"{room}.fine_tune_gain", target=target(), source=sources()[0], encoder=net, cv=3, head="kept",
        weights=None, checkpoint=use.folder / "tuned", **training)  # fmt: skip
    small = use(f"{room}.ResNet18", channels=1, width=4, small=True)
    use.on(small, "forward", x=torch.zeros(2, 1, 16, 16))
    with suppress(datakin.DatakinError):  # the package of its weights may be missing
        use(f"{room}.pretrained", name="efficientnet_lite0")
    X, y = target().features.numeric, np.arange(60) % 2
    use(
        f"{room}.as_items",
        X=X,
        y=y,
        name="mine",
        task="binary",
        group=np.arange(60) // 2,
        classes={0: "a", 1: "b"},
    )
    frame = pd.DataFrame(
        {"text": [f"word {i}" for i in range(40)], "y": [0, 1] * 20, "who": np.arange(40) // 2}
    )
    use(
        f"{room}.read_texts",
        source=frame,
        text="text",
        label="y",
        group="who",
        name="mine",
        task="binary",
        classes={0: "a", 1: "b"},
    )
    for i in range(24):
        place = use.folder / "images" / "ab"[i % 2] / f"{i // 2}_{i}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.new("L", (8, 8), 10 * i).save(place)
    use(
        f"{room}.read_images",
        source=use.folder / "images",
        classes={"a": "x", "b": "z"},
        group=None,
        name="mine",
        size=8,
        channels=1,
        task="binary",
        on_error="skip",
    )
    use.read(use(f"{room}.TorchMissing", "no torch"))


CALLS: dict[str, Callable[[Use], None]] = {
    each.__name__: each for each in (transfers, made_up, paper, distances, plots, deep)
}
