"""What of an output is not the same in the next run, and what stands for it in a golden file."""

import re

_MASKS = (
    # A uuid v7 holds the millisecond of its making. Which one it is shows in the names beside it.
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"), "<id>"),
    # The clock, of which only dates that a text states are the product's own: those have no seconds.
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?"), "<time>"),
    # The day on which a run counts what it used.
    (re.compile(r'(?<="day": ")\d{4}-\d\d-\d\d(?=")'), "<day>"),
    # Secrets of keys and webhooks.
    (re.compile(r"\b(cg|whsec)_[\w.+/=-]{12,}"), r"\1_<secret>"),
    # What is drawn for a key, and what stands for a version of a row, whose id and time are part of it.
    (re.compile(r'(?<=key_id": ")\w+(?=")|(?<=if_match": ")\w+(?=")'), "<drawn>"),
    # How long a run took.
    (re.compile(r'(?<=_ms": )[\d.]+|(?<=seconds": )[\d.]+'), "<duration>"),
)
_DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?(?![\w.])")


def masked(text: str) -> str:
    """The output without ids, times, secrets and durations, its decimals with three significant digits.

    The last of a processor's digits depend on the order in which its libraries add, and what is rated by its
    age is worth a hundred-thousandth less in a run that takes a minute longer.
    """
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return _DECIMAL.sub(lambda match: f"{float(match.group()):.3g}", text)
