"""The hinge of the house: who was trained on what, tested on what, and erred how much."""
