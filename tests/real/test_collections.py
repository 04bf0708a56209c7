"""Every loader of the decision benchmark gives domains that can be drawn from."""

import pytest

from benchmarks.decisions.collection import load_collection
from benchmarks.decisions.collections import HELD_OUT, OPEN
from benchmarks.decisions.draws import plan

pytestmark = pytest.mark.data


@pytest.mark.parametrize("name", [*OPEN, *HELD_OUT])
def test_loader(name, data_folder):
    collection = load_collection(name, data_folder)
    assert collection.about
    planned = plan(collection)
    assert len({target for target, _, _ in planned}) >= 3
    assert all(len(sources) >= 4 for _, _, sources in planned)
    assert all(len(sources) <= 8 for _, _, sources in planned)
