"""Real datasets lie outside the repository: in ``../shared/data``, or where DATAKIN_DATA says."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    beside = Path(__file__).parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("DATAKIN_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}; DATAKIN_DATA names another place")
    return folder
