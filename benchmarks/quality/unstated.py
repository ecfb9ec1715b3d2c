"""How many claims rules and reader make of sentences that state nothing: what governs a clause takes it back,
or a bracket or quotation mark is missing.

Usage: python -m benchmarks.quality.unstated {governed,cut} --half {0,1} [--show N]

`governed` puts clauses of several tenses under what refutes, doubts or only passes them on (no claim is
right), and under what vouches for them (the claim is right). `cut` takes one bracket, quotation mark or comma
out of true sentences: a claim is wrong where the whole sentence does not make it. The halves differ in their
words: every second governor and sentence is kept back.
"""

import argparse
import re
import uuid
from collections.abc import Iterator
from dataclasses import replace

from app.extraction.chunk_extraction import extract_grounded_entities, extract_grounded_statements
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId

CLAUSES = (
    "Acme bought Globex",
    "Acme had bought Globex",
    "Acme has acquired Globex",
    "Acme owns Globex",
    "Globex was acquired by Acme",
    "Ann Lee founded Globex",
    "Ann Lee works for Acme",
    "Bob Stone is the CEO of Initech",
    "Falcon uses Redis",
    "Bob Stone was born in Leeds",
)
REFUTING = """
It was never true that {c}.
That {c} is a myth.
The rumour that {c} is false.
Nobody believes that {c}.
It is a lie to say that {c}.
There is speculation that {c}.
{C}, or so Carl Dunn imagines.
{C}, Carl Dunn claimed falsely.
The claim that {c} turned out to be false.
That {c} was never proven.
No one has shown that {c}.
What he dreamt was that {c}.
Carl Dunn was wrong to think that {c}.
Carl Dunn imagined {c}.
Carl Dunn doubts that {c}.
It would be a mistake to assume that {c}.
The judge held it unproven that {c}.
Believing that {c}, Carl Dunn left.
The suggestion that {c} is absurd.
Few people think {c}.
We were told {c}.
It seems that {c}.
It is hardly credible that {c}.
The tale that {c} was invented by a blogger.
Carl Dunn pretended that {c}.
They could not show that {c}.
Some say that {c}.
It is disputed whether {c}.
Carl Dunn would have us believe that {c}.
The theory that {c} has been abandoned.
A hoax said that {c}.
He lied when he said that {c}.
Had the deal closed, one could say that {c}.
Carl Dunn wished that {c}.
There is no evidence that {c}.
Contrary to the story that {c}, nothing happened.
It remains to be seen whether {c}.
Carl Dunn jokes that {c}.
It is untrue to claim {c}.
The film is set in a world in which {c}.
Neither side maintains that {c}.
It has been suggested that {c}.
Carl Dunn fears {c}.
The paper withdrew its report that {c}.
Imagine for a moment that {c}.
People wrongly concluded that {c}.
Hardly anybody knows whether {c}.
In her novel, {c}, but not in life.
The allegation, that {c}, was dropped.
It is by no means certain that {c}.
One reader insisted that {c}.
He made up the story that {c}.
Let us suppose {c}.
Carl Dunn predicted that one day people would say {c}.
Anyone who thinks that {c} is mistaken.
It cannot be confirmed that {c}.
"""
VOUCHING = """
Reuters reported that {c}.
Carl Dunn said that {c}.
It is known that {c}.
The company confirmed that {c}.
{C}, and prices rose.
In May the board announced that {c}.
The record shows that {c}.
Because {c}, prices rose.
Although {c}, nothing changed.
Carl Dunn, a lawyer, wrote that {c}.
She remembered that {c}.
{C}, Carl Dunn said.
When prices rose, {c}.
The paper reported on Monday that {c}.
Zeta Labs, which makes pumps, is older, but {c}.
Carl Dunn learned that {c}.
"""
TRUE = """
The towers (built by Acme) were sold to Globex.
Ann Lee, the founder of Acme, joined Globex in 2019.
"The Long Road" (a novel by Ann Lee) was published by Zeta Press.
Acme (owned by Globex) employs Bob Stone.
Bob Stone (born in Leeds) works for Acme, and Ann Lee works for Globex.
Acme, which bought Globex, is led by Ann Lee.
Ann Lee directed "The Quiet Sea", and Carl Dunn wrote "Red Hill".
Initech (a subsidiary of Globex) was founded by Ann Lee.
Carl Dunn, who was born in Oslo, married Ann Lee (a painter from Leeds).
The bridge (designed by Ann Lee) was built by Acme, not by Globex.
Falcon (written by Bob Stone) uses Redis, and Hawk uses Kafka.
Zeta Labs, a part of Acme, was bought by Initech (a firm in Oslo).
"Acme is a friend of Globex", said Bob Stone, the CEO of Initech.
Ann Lee (the sister of Bob Stone) studied at Leeds University.
The plant (which Acme owns) supplies Globex, and Initech supplies Zeta Labs.
Bob Stone, the son of Ann Lee, is the CEO of Acme (not of Globex).
Acme acquired Globex (from Initech) in 2019.
Ann Lee wrote "Red Hill" (directed by Carl Dunn) in Oslo.
Hawk (a fork of Falcon) depends on Redis, while Falcon depends on Kafka.
The museum (founded by Ann Lee) lies in Oslo, and the school (founded by Bob Stone) lies in Leeds.
Acme sold Zeta Labs (founded by Carl Dunn) to Globex.
Globex, once owned by Acme, was bought by Initech.
The song "Red Hill" was written by Ann Lee (a member of The Larks) and sung by Carl Dunn.
Carl Dunn (CEO of Acme from 2001 to 2010) founded Globex.
"""
_MARK = re.compile(r'[()",]')
_EXTRACTOR = RulesExtractor()
_VOCABULARY = replace(DEFAULT_VOCABULARY, statements=True)
Claims = frozenset[tuple[str, str, str]]


def make_claims(text: str) -> Claims:
    """What is asserted of a text, by rules and by the reader, with the names of the ends."""
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    (entities,) = extract_grounded_entities((_EXTRACTOR, _VOCABULARY), [chunk]).entities
    (relations, _), _ = extract_grounded_statements((_EXTRACTOR, _VOCABULARY), (chunk, entities))
    return frozenset(
        (entities[claim.from_entity].name, claim.relation_type, entities[claim.to_entity].name)
        for claim in relations
        if claim.polarity is Polarity.ASSERTED
    )


def list_half(lines: str, half: int) -> list[str]:
    """Every second line of a text that is not empty, from the first or the second."""
    return lines.split("\n")[1:-1][half::2]


def govern(template: str) -> Iterator[str]:
    """The clauses under a governor."""
    for clause in CLAUSES:
        yield template.format(c=clause, C=clause)


def remove_marks(sentence: str) -> Iterator[str]:
    """The sentence without one of its brackets, quotation marks or commas, each in turn."""
    for match in _MARK.finditer(sentence):
        yield sentence[: match.start()] + sentence[match.end() :]


def measure_governed(half: int, show: int) -> None:
    """Print how many clauses are claimed that are not vouched for, and how many of those that are."""
    for title, lines in (("refuted or doubted", REFUTING), ("vouched for", VOUCHING)):
        sentences = [sentence for line in list_half(lines, half) for sentence in govern(line)]
        claimed = [sentence for sentence in sentences if make_claims(sentence)]
        print(f"| {title} | claims of {len(claimed)} of {len(sentences)} sentences |")
        faults = claimed if lines is REFUTING else [text for text in sentences if text not in claimed]
        for sentence in faults[:show]:
            print("   ", sentence)


def measure_cut(half: int, show: int) -> None:
    """Print how many claims of sentences without one of their marks the whole sentences do not make."""
    wrong = total = whole = 0
    for sentence in list_half(TRUE, half):
        right = make_claims(sentence)
        whole += len(right)
        for broken in remove_marks(sentence):
            claims = make_claims(broken)
            total += len(claims)
            wrong += len(claims - right)
            if claims - right and show:
                print("   ", broken, sorted(claims - right))
    print(f"| whole sentences | {whole} claims |")
    print(f"| without one mark | {total} claims, {wrong} that the whole does not make |")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("kind", choices=("governed", "cut"))
    arguments.add_argument("--half", type=int, choices=(0, 1), required=True)
    arguments.add_argument("--show", type=int, default=0)
    options = arguments.parse_args()
    measure = measure_governed if options.kind == "governed" else measure_cut
    measure(options.half, options.show)


if __name__ == "__main__":
    main()
