"""Claims are judged by their tolerance and looked up in the results."""

import pandas as pd
import pytest

from datakin import DatakinError
from reproduction.claims import judge
from reproduction.studies import reproduce

CLAIMS = """# What is checked.

[[group]]
id = "diff"
statement = "Diff"
where = "Table 2"
file = "table-{setting}.csv"
unit = "absolute"
tolerance = 0.01
reason = "so"
claims = [
  { setting = "lda", column = "glm", paper = 0.02 },
  { setting = "lda", column = "svm", paper = 0.02, note = "kept" },
]
"""


@pytest.mark.parametrize(
    ("group", "claim", "verdict"),
    [
        ({"tolerance": 0.1}, {"paper": 1.0, "ours": 1.09}, "reproduced"),
        ({"tolerance": 0.1}, {"paper": 1.0, "ours": 0.8}, "differs"),
        ({"tolerance": 0.1}, {"paper": 1.0, "ours": 0.8, "tolerance": 0.3}, "reproduced"),
        ({"tolerance": 0.1, "better": "lower"}, {"paper": 1.0, "ours": 0.8}, "better"),
        ({"tolerance": 0.1, "better": "lower"}, {"paper": 1.0, "ours": 1.2}, "differs"),
        ({"tolerance": 0.1, "unit": "relative"}, {"paper": 20.0, "ours": 21.5}, "reproduced"),
        ({"tolerance": 0.1}, {"ours": 0.05}, "reproduced"),
        ({"tolerance": 0.1}, {"paper": 0.0, "ours": float("nan")}, "differs"),
        ({"tolerance": 0.1, "undefined": 0.0}, {"paper": 0.0, "ours": float("nan")}, "reproduced"),
        (
            {"tolerance": 2.0, "unit": "standard errors of the difference"},
            {"paper": 1.0, "ours": 1.27, "se": 0.1},
            "reproduced",
        ),
        (
            {"tolerance": 2.0, "unit": "standard errors of the difference"},
            {"paper": 1.0, "ours": 1.29, "se": 0.1},
            "differs",
        ),
    ],
)
def test_verdicts(group, claim, verdict):
    assert judge(group, claim) == verdict


def write(tmp_path, columns):
    (tmp_path / "claims.toml").write_text(CLAIMS)
    (tmp_path / "results").mkdir()
    table = pd.DataFrame({"setting": "lda", "column": columns, "ours": 0.023456, "se": 0.001})
    table.to_csv(tmp_path / "results" / "table-lda.csv", index=False)
    return tmp_path / "results"


def test_filled_from_the_results(tmp_path):
    folder = write(tmp_path, ["glm", "svm"])
    text = reproduce("claims", folder=folder).text
    assert "2 claims: 2 reproduced" in text
    filled = (tmp_path / "claims.toml").read_text().splitlines()
    assert filled[0] == "# What is checked."
    expected = 'paper = 0.02, ours = 0.02346, se = 0.001, verdict = "reproduced", note = "kept" },'
    assert filled[-2].endswith(expected)
    assert (folder / "claims.md").exists()
    before = (tmp_path / "claims.toml").read_text()
    reproduce("claims", folder=folder)
    assert (tmp_path / "claims.toml").read_text() == before


def test_a_claim_without_a_result_is_an_error(tmp_path):
    folder = write(tmp_path, ["glm", "other"])
    with pytest.raises(DatakinError, match=r"claim diff \(lda, svm\) needs one row .* Got 0"):
        reproduce("claims", folder=folder)
    (folder / "table-lda.csv").unlink()
    with pytest.raises(DatakinError, match=r"claim diff \(lda, glm\) needs .* does not exist"):
        reproduce("claims", folder=folder)
    (tmp_path / "claims.toml").unlink()
    with pytest.raises(DatakinError, match="claims are kept beside the results"):
        reproduce("claims", folder=folder)
