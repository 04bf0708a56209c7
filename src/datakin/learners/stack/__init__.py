"""The stack: learners for small data, their candidates, and the weights that mix them."""
