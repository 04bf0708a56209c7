"""The hinge of the house: fitted plans -> losses row by row -> the cross-error table.

Everything before this room is expensive and done once per dataset; everything after it is a pure
view of what is computed here.
"""

from datakin.errors.predictions import Predictions
from datakin.errors.records import Errors, Learner, kept_weights, least_error
from datakin.errors.table import ErrorTable

__all__ = ["ErrorTable", "Errors", "Learner", "Predictions", "kept_weights", "least_error"]
