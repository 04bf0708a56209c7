"""CrossErrors, CrossLearningScore, score, rank and matrix: measure once, then look."""

from datakin.cross_learning.errors import CrossErrors
from datakin.cross_learning.score import CrossLearningScore, matrix, rank, score

__all__ = ["CrossErrors", "CrossLearningScore", "matrix", "rank", "score"]
