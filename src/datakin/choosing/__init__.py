"""From a target and its sources to a model: what `choose` ends with, its card and its file.

- `model`: KinModel, which predicts tables as they are
- `card`: what a model was learned from, and the error it should have
- `model_file`, `model_parts`, `trees`, `estimators`, `archive`: the file of a model, read with care
- `predictions`: what `datakin predict` gives
- `later_rows`: a choice held against rows that it was not learned from
"""

from datakin.choosing.act import choose
from datakin.choosing.card import CardSource, ModelCard
from datakin.choosing.labels import label_type_of
from datakin.choosing.later_rows import check_test, tell_test
from datakin.choosing.model import KinModel
from datakin.choosing.model_file import load_model, save_model
from datakin.choosing.predictions import Predictions, predict_table

__all__ = [
    "CardSource",
    "KinModel",
    "ModelCard",
    "Predictions",
    "check_test",
    "choose",
    "label_type_of",
    "load_model",
    "predict_table",
    "save_model",
    "tell_test",
]
