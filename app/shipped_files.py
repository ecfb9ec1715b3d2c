"""The files that the program reads besides its packages: migrations and examples."""

from pathlib import Path

_SHIPPED_FOLDER = Path(__file__).parent / "shipped"

PROJECT = _SHIPPED_FOLDER if _SHIPPED_FOLDER.is_dir() else Path(__file__).parents[1]
"""The folder that holds them: within the installed package, in a checkout the checkout itself."""

IS_CHECKOUT = PROJECT is not _SHIPPED_FOLDER
"""True where the program runs from a checkout, whose Makefile installs what is missing."""
