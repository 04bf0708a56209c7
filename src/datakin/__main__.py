"""``python -m datakin`` is the same as ``datakin``."""

from datakin.cli import main

if __name__ == "__main__":
    main()
