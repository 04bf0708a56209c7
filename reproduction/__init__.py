"""Every study behind a claim, as code that can be run again: ``python -m reproduction NAME``.

It stands beside the package and uses its public names only. A study draws data, calls the library
and summarises; it computes nothing that a user could not. Here are no imports, so that benchmarks
can use `reproduction.harness` without loading every study.
"""
