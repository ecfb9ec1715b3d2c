"""What more data would bring: python -m benchmarks.reader.curve DATA --language ja [--share .125 …].

Trains a language by its recipe on shares of its sentences, and scores names on the development split, in the
text as written. Nothing is written beside the figures.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import torch

from app.extraction.reader.network import Network
from app.extraction.reader.pipeline import Pipeline
from benchmarks.reader.languages import RECIPES
from benchmarks.reader.score import score_names_in_text
from benchmarks.reader.train import make_weights


def main() -> None:
    """Print one line for each share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    languages = sorted(language for language, recipe in RECIPES.items() if recipe.dev is not None)
    parser.add_argument("--language", required=True, choices=languages)
    parser.add_argument("--share", action="append", type=float)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    recipe = RECIPES[arguments.language]
    assert recipe.dev is not None
    dev = recipe.dev(arguments.data)
    for share in arguments.share or (0.125, 0.25, 0.5, 1.0):
        with tempfile.TemporaryDirectory() as folder:
            path = make_weights(arguments.language, arguments.data, Path(folder), share=share)
            pipeline = Pipeline(Network(dict(np.load(path))))
        score_names_in_text(f"{arguments.language}, {share:g} of the sentences", pipeline, dev)


if __name__ == "__main__":
    main()
