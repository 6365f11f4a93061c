"""`python -m spillview`."""

from __future__ import annotations

import sys

from spillview.cli import main

if __name__ == "__main__":
    sys.exit(main())
