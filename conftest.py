"""For pytest: doctests of the deep room need torch."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/datakin/deep"]
