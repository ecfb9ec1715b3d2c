"""Links by names alone, for the ranking: names that hold one another."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.scoring.stop_words import STOP_WORDS

MOST_HOLDERS = 20
"""A name that more names hold ("John", "County") tells nothing about them."""

Integers = npt.NDArray[np.int64]


def names_within_names(names: Sequence[str]) -> tuple[Integers, Integers]:
    """Positions (short, long), each (k), where the normalised name at `long` holds the one at `short` as
    words.

    "Fredericton" stands within "Diocese of Fredericton": different things, and one leads to the other. A
    stop word and a name that more than 20 others hold have no kin. In order of `short`, then `long`.
    """
    holders: dict[str, list[int]] = defaultdict(list)
    split = [name.split() for name in names]
    for place, words in enumerate(split):
        for word in words:
            holders[word].append(place)
    short, long = [], []
    for place, words in enumerate(split):
        # Whoever holds the name holds its rarest word, which most often no other name does.
        likely = _fewest([holders[word] for word in words])
        name = names[place]
        if len(likely) < 2 or (len(words) == 1 and name in STOP_WORDS):
            continue
        within = f" {name} "
        held = [
            other
            for other in dict.fromkeys(likely)
            if len(names[other]) > len(name) and within in f" {names[other]} "
        ]
        if len(held) <= MOST_HOLDERS:
            short.extend([place] * len(held))
            long.extend(held)
    return np.array(short, np.int64), np.array(long, np.int64)


def _fewest(lists: list[list[int]]) -> list[int]:
    fewest: list[int] = []
    for each in lists:
        if len(each) == 1:
            return each
        if not fewest or len(each) < len(fewest):
            fewest = each
    return fewest
