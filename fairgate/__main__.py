"""``python -m fairgate`` is the same command as ``fairgate``."""

import sys

from fairgate.cli import main

if __name__ == "__main__":
    sys.exit(main())
