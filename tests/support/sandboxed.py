"""Functions for a sandbox: some go wrong on a word, as a fault of ours would, and others look around."""

import os
import time

from app.documents.isolated_parsing import UnparsedDocument, parse_and_split_document
from app.errors import InvalidInput
from app.extraction.reader.languages import load_pipeline


def go_wrong(text: str) -> None:
    """Do what the first word in capitals that is one of these says."""
    for word in text.split():
        match word.strip(".,"):
            case "LOOPS":
                while True:
                    pass
            case "RAISES":
                raise IndexError("a word of the text")
            case "RECURS":
                go_wrong(text)
            case "EATS":
                time.sleep(len(bytearray(1 << 36)))
            case "CRASHES":
                os._exit(3)


def work(common: str, item: str) -> str:
    """Join the two, unless the item says otherwise."""
    go_wrong(item)
    return common + item


def rest(_common: None, seconds: float) -> None:
    """Take so many seconds."""
    time.sleep(seconds)


def refuse(_common: None, item: str) -> None:
    """Raise an expected error."""
    raise InvalidInput(f"{item} is not liked.", code="bad_value")


def look_around(_common: None, _item: None) -> tuple[int, list[str], dict[str, str]]:
    """The process, what it has open, and its environment."""
    links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return os.getpid(), [os.readlink(link) for link in links if os.path.exists(link)], dict(os.environ)


def answer_with_code(_common: None, _item: None) -> object:
    """Something to be called."""
    return os.system


def seconds_of_reading(_common: None, text: str) -> float:
    """Processor time in which this process reads a text and parses its words."""
    begun = time.process_time()
    parse_and_split_document(None, UnparsedDocument(text.encode(), "text"))
    pipeline = load_pipeline("en")
    assert pipeline is not None
    list(pipeline.parse([text.split()]))
    return time.process_time() - begun
