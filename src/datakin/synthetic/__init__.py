"""Data with known truth. This room makes datasets; it never fits or scores anything."""

from datakin.synthetic.demo import DemoSource, make_demo

__all__ = ["DemoSource", "make_demo"]
