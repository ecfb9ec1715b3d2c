"""The language a document is written in, guessed from its beginning."""

from functools import cache

from py3langid.langid import LanguageIdentifier

# 2,000 characters cost 0.25 ms once the model is loaded (0.7 s, at the first call in a process).
_SAMPLE_CHARACTERS = 2_000
_LEAST_LETTERS = 20
_LEAST_CONFIDENCE = 0.5
_MODEL_FILE = "data/model.npz.xz"


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(_MODEL_FILE, norm_probs=True)


def preload() -> None:
    """Load the model now: before a fork it is loaded once for all children, and no job waits for it."""
    _identifier()


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the text's language, or None where it is too short or unsure.

    Looks at the first 2,000 characters, and wants at least 20 letters and a confidence of 0.5.
    """
    sample = text[:_SAMPLE_CHARACTERS]
    if sum(map(str.isalpha, sample)) < _LEAST_LETTERS:
        return None
    code, confidence = _identifier().classify(sample)
    return str(code) if len(code) == 2 and confidence >= _LEAST_CONFIDENCE else None
