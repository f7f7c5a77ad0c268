"""`python -m duologue`: the command line of this Python, where no script `duologue` is on the path."""

from __future__ import annotations

from duologue.cli.main import main

if __name__ == "__main__":
    main()
