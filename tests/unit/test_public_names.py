"""Every public name can be had, and the lazy table agrees with ``__all__``."""

import datakin


def test_every_name_loads():
    assert sorted(datakin.__all__) == sorted([*datakin._HOME_OF, *datakin._ROOMS])
    for name in datakin.__all__:
        value = getattr(datakin, name)
        assert value.__name__.rpartition(".")[2] == name
        assert value.__doc__


def test_unknown_name_is_an_attribute_error():
    assert not hasattr(datakin, "scores")
