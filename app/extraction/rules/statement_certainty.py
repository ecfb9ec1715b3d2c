"""How sure a statement is, by the parser's confidence in the trees with and without names."""

MIN_PARSE_CONFIDENCE = 0.3
"""Minimum joint confidence of the parser in all arcs of a statement (p below)."""
_CERTAINTY_INTERCEPT, _CERTAINTY_SLOPE = 0.5, 0.4
"""A statement is right with probability 0.5 + 0.4 p: a line fitted to judged samples (records 93 and 95)."""
MIN_CONFIDENCE_WITHOUT_NAMES = 0.85
"""Minimum confidence of the tree without names if the tree with names disagrees."""


def compute_certainty(confidence: float, confidence_with_names: float | None) -> float | None:
    """Return the confidence in a statement of the tree without names; None if the trees are not sure enough.

    `confidence_with_names` is that of the tree with names, None if it disagrees.
    """
    if confidence_with_names is not None:
        confidence = min(confidence, confidence_with_names)
    if confidence < (MIN_CONFIDENCE_WITHOUT_NAMES if confidence_with_names is None else MIN_PARSE_CONFIDENCE):
        return None
    return estimate_certainty(confidence)


def estimate_certainty(parse_confidence: float) -> float:
    """Return the probability that a statement is right if the parser is this sure of its arcs."""
    return round(_CERTAINTY_INTERCEPT + _CERTAINTY_SLOPE * parse_confidence, 2)
