"""The kind of a name by a linear classifier: its words, the words beside it, and the vectors of both.

Trained by `benchmarks/reader/kinds.py`; see docs/decisions/0185-kinds-of-names-by-a-classifier.md.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from app.extraction.reader.embedding_features import describe_word_shape
from app.extraction.reader.names_in_documents import CONTEXT_SIZE, NameInDocument, NameUse
from app.extraction.reader.network import Floats

OTHER_KIND = "Other"
"""The class of names of other kinds: awards, languages, peoples."""
_EDGE = "<edge>"
_MAX_VOTE = 3.0
_LIST_SEPARATORS = frozenset((",", "and", ", and", "&", "or", ", or"))


class KindClassifier:
    """A logistic regression over hashed features of a name and means of word vectors.

    `embed_words` returns one vector for each word of a sequence.
    """

    def __init__(
        self, arrays: Mapping[str, NDArray[Any]], embed_words: Callable[[Sequence[str]], Floats]
    ) -> None:
        self.kinds: list[str] = [str(kind) for kind in arrays["kinds"]]
        self._feature_weights = arrays["features"] * arrays["features.scale"].astype(np.float32)
        self._vector_weights = arrays["vectors"].astype(np.float32)
        self._bias = arrays["bias"].astype(np.float32)
        self._embed_words = embed_words

    def compute_probabilities(self, names: Sequence[NameInDocument]) -> list[dict[str, float]]:
        """Return the probability of each kind for each name; they add up to 1."""
        if not names:
            return []
        logits = combine_vectors(names, self._embed_words) @ self._vector_weights + self._bias
        for row, name in enumerate(names):
            slots, values = hash_features(name, len(self._feature_weights))
            logits[row] += values @ self._feature_weights[slots]
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = exponentials / exponentials.sum(axis=1, keepdims=True)
        return [dict(zip(self.kinds, row, strict=True)) for row in probabilities.tolist()]


def hash_features(name: NameInDocument, slot_count: int) -> tuple[NDArray[np.intp], Floats]:
    """Return the slots of a name's features and their values."""
    features = list(_list_features(name))
    slots = np.fromiter(
        (crc32(feature.encode()) % slot_count for feature, _ in features), np.intp, len(features)
    )
    return slots, np.fromiter((value for _, value in features), np.float32, len(features))


def combine_vectors(
    names: Sequence[NameInDocument], embed_words: Callable[[Sequence[str]], Floats]
) -> Floats:
    """Return a row for each name: mean vectors of its words, of its last and first one, and of words beside
    it.
    """
    word_groups = [words for name in names for words in _list_word_groups(name)]
    distinct_words = list(dict.fromkeys(word for words in word_groups for word in words))
    vectors = embed_words(distinct_words)
    row_by_word = {word: row for row, word in enumerate(distinct_words)}
    means = np.zeros((len(word_groups), vectors.shape[1]), np.float32)
    for group_index, words in enumerate(word_groups):
        if words:
            means[group_index] = vectors[[row_by_word[word] for word in words]].mean(axis=0)
    return means.reshape(len(names), -1)


def _list_word_groups(name: NameInDocument) -> list[list[str]]:
    return [
        list(name.words),
        list(name.words[-1:]),
        list(name.words[:1]),
        [word for use in name.uses for word in use.words_before[-1:]],
        [word for use in name.uses for word in use.words_after[:1]],
        [word for use in name.uses for word in use.words_before[-3:]],
        [word for use in name.uses for word in use.words_after[:3]],
    ]


def _list_features(name: NameInDocument) -> Iterator[tuple[str, float]]:
    """Yield the features of a name; those of its uses by the root of their share of the uses."""
    lower_words = [word.lower() for word in name.words]
    last_word, first_word = lower_words[-1], lower_words[0]
    yield f"length={min(len(lower_words), 5)}", 1.0
    yield f"last={last_word}", 1.0
    yield f"first={first_word}", 1.0
    for word in lower_words[1:-1]:
        yield f"middle={word}", 1.0
    for size in (2, 3, 4):
        yield f"suffix={last_word[-size:]}", 1.0
    yield f"prefix={last_word[:3]}", 1.0
    if len(lower_words) > 1:
        yield f"first suffix={first_word[-3:]}", 1.0
        yield f"first shape={describe_word_shape(name.words[0])}", 1.0
    yield "shape=" + " ".join(describe_word_shape(word) for word in name.words[:4]), 1.0
    yield "name=" + " ".join(lower_words), 1.0
    if lower_words == list(name.title_words):
        yield "is title", 1.0
    elif set(lower_words) <= set(name.title_words):
        yield "in title", 1.0
    if name.has_ordinary_last_word:
        yield "ordinary last word", 1.0
    for kind, strength in name.votes.items():
        yield f"votes={kind}", min(strength, _MAX_VOTE) / _MAX_VOTE
    uses = name.uses
    yield f"uses={min(len(uses), 4)}", 1.0
    counts = Counter(feature for use in uses for feature in _list_features_of_use(use))
    for feature, count in counts.items():
        yield feature, (count / len(uses)) ** 0.5


def _list_features_of_use(use: NameUse) -> Iterator[str]:
    before = ([_EDGE] * CONTEXT_SIZE + list(use.words_before))[-CONTEXT_SIZE:]
    after = (list(use.words_after) + [_EDGE] * CONTEXT_SIZE)[:CONTEXT_SIZE]
    yield f"before={before[-1]}"
    yield f"two before={before[-2]} {before[-1]}"
    yield f"second before={before[-2]}"
    yield f"third before={before[-3]}"
    yield f"after={after[0]}"
    yield f"two after={after[0]} {after[1]}"
    yield f"second after={after[1]}"
    yield f"third after={after[2]}"
    yield f"around={before[-1]} {after[0]}"
    yield f"suffix before={before[-1][-3:]}"
    yield f"suffix after={after[0][-3:]}"
    yield from (f"near before={word}" for word in before)
    yield from (f"near after={word}" for word in after)
    for neighbor in use.neighbors:
        side = "before" if neighbor.is_before else "after"
        yield f"name {side}={neighbor.words_between}"
        yield f"kind {side}={neighbor.words_between} {neighbor.kind}"
        if neighbor.words_between in _LIST_SEPARATORS:
            yield f"kind in list={neighbor.kind}"
