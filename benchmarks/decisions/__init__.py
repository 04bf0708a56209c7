"""Which score tells best what a source will do for a small target? Measured on many collections.

``python -m benchmarks.decisions`` runs everything; ``--collection path/to/loader.py`` runs one more.
"""
