"""Words that ask for what a text says in others: who asks for a wife reads that two married; pure."""

from app.scoring.keywords import stems

# Each line is one relation, in the words of questions and of texts.
_GROUPS = """
born birth birthplace native hometown
die died death dead killed buried
marry married marriage wife husband spouse widow partner
direct director directed
father mother parent son daughter child children brother sister sibling
study studied education educated attend attended graduate graduated university college school
work worked works employ employed employer job serve served join joined staff quit left leave
lead leads leader head headed chief executive ceo president chairman director manager run runs
write wrote written writer author novel book
found founded founder establish established form formed create created creator start started
develop developed developer design designed designer build built maker make made
locate located location based headquarters office lie lies lay situated region country state county city
own owned owner acquire acquired bought buy purchase purchased
star starred starring cast appear appeared actor actress play played
perform performed performer singer band record recorded song
compose composed composer music
nationality country citizenship citizen
release released publish published publisher
host hosted presenter
population inhabitants census people
use used uses run runs depend depends need needs based
cost costs price priced paid pay worth
name named called known renamed
begin began begun start started open opened launch launched
end ended close closed stop stopped
"""
RELATED: dict[str, frozenset[str]] = {}
"""For each stem of a group the stems of all groups that hold it."""
for _line in _GROUPS.strip().splitlines():
    _group = stems(_line)
    for _word in _group:
        RELATED[_word] = RELATED.get(_word, frozenset()) | _group


def answered_by(asked: frozenset[str]) -> dict[str, str]:
    """Return for each related stem the asked one that it stands for; the asked ones are not among them."""
    return {
        other: word for word in sorted(asked) for other in sorted(RELATED.get(word, ())) if other not in asked
    }
