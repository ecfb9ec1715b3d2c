"""What a sentence states, sentence by sentence: true claims, and claims that must not be made."""

import uuid

import pytest

from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.validity import Polarity
from app.ids import ChunkId, DocumentId


def triples(text: str, title: str = "") -> set[tuple[str, str, str]]:
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), title, text)
    extractor = RulesExtractor()
    found = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)
    entities, _ = keep_entities_named_in_chunk(chunk, found[0], DEFAULT_VOCABULARY)
    relations = extractor.extract_relations([chunk], [tuple(entities)], DEFAULT_VOCABULARY)[0]
    kept, drops = keep_relations_stated_in_chunk(chunk, entities, relations, DEFAULT_VOCABULARY)
    assert drops.total == 0
    return {
        (entities[edge.from_entity].name, edge.relation_type, entities[edge.to_entity].name)
        for edge in kept
        if edge.polarity is Polarity.ASSERTED
    }


STATED = """
The Falcon is an ALA Notable Children's Book written by Ann Lee. | Ann Lee, created, Falcon
Through her marriage to Tom Lee, Ann Lee was a sister-in-law of Bob Stone. | Ann Lee, married_to, Tom Lee
Kestrel Freight Ltd. moved its headquarters to Bergen. | Kestrel Freight Ltd., headquartered_in, Bergen
Michael Stonebraker created Ingres. | Michael Stonebraker, created, Ingres
Ingres was created by Michael Stonebraker. | Michael Stonebraker, created, Ingres
Michael Stonebraker and Eugene Wong created Ingres. | Michael Stonebraker, created, Ingres; Eugene Wong, created, Ingres
Ingres was developed by Michael Stonebraker and Eugene Wong. | Eugene Wong, created, Ingres
Larry Ellison founded Oracle Corporation. | Larry Ellison, created, Oracle Corporation
Larry Ellison, Bob Miner and Ed Oates founded Oracle. | Bob Miner, created, Oracle; Ed Oates, created, Oracle
Oracle was co-founded by Larry Ellison in 1977. | Larry Ellison, created, Oracle
Oracle acquired Sun Microsystems in 2010. | Oracle, owns, Sun Microsystems
Sun Microsystems was acquired by Oracle. | Oracle, owns, Sun Microsystems
MySQL is owned by Oracle. | Oracle, owns, MySQL
Instagram is a subsidiary of Facebook. | Facebook, owns, Instagram
Microsoft bought GitHub in 2018. | Microsoft, owns, GitHub
PostgreSQL replaced Ingres. | PostgreSQL, replaces, Ingres
Ingres was superseded by PostgreSQL. | PostgreSQL, replaces, Ingres
PostgreSQL is the successor to Ingres. | PostgreSQL, replaces, Ingres
MariaDB is a fork of MySQL. | MariaDB, depends_on, MySQL
MariaDB was forked from MySQL. | MariaDB, depends_on, MySQL
Greenplum is based on PostgreSQL. | Greenplum, depends_on, PostgreSQL
PostgreSQL is written in C++. | PostgreSQL, uses, C++
Instagram uses PostgreSQL. | Instagram, uses, PostgreSQL
PostgreSQL is used by Instagram. | Instagram, uses, PostgreSQL
Kafka depends on Zookeeper. | Kafka, depends_on, Zookeeper
Django relies on Python. | Django, depends_on, Python
Cassandra requires Java. | Cassandra, depends_on, Java
PostGIS is an extension for PostgreSQL. | PostGIS, part_of, PostgreSQL
Citus integrates with PostgreSQL. | Citus, integrates_with, PostgreSQL
Npgsql is compatible with PostgreSQL. | Npgsql, integrates_with, PostgreSQL
E. F. Codd worked at IBM. | E. F. Codd, works_for, IBM
Grace Hopper joined Remington Rand Corporation. | Grace Hopper, works_for, Remington Rand Corporation
Jim Gray was employed by Microsoft. | Jim Gray, works_for, Microsoft
Satya Nadella is the CEO of Microsoft. | Satya Nadella, works_for, Microsoft; Satya Nadella, head_of, Microsoft
Microsoft hired Jim Gray. | Jim Gray, works_for, Microsoft
Oracle CEO Larry Ellison spoke first. | Larry Ellison, works_for, Oracle
Oracle's founder Larry Ellison spoke first. | Larry Ellison, created, Oracle
Larry Ellison, the founder of Oracle, spoke first. | Larry Ellison, created, Oracle
Michael Stonebraker is a professor at the University of California, Berkeley. | Michael Stonebraker, works_for, University of California, Berkeley
Oracle is headquartered in Austin, Texas. | Oracle, headquartered_in, Austin; Austin, within, Texas
Microsoft is based in Redmond. | Microsoft, located_in, Redmond
Paris is the capital of France. | Paris, capital_of, France
Berlin is located in Germany. | Berlin, located_in, Germany
Tim Berners-Lee was born in London. | Tim Berners-Lee, born_in, London
Grace Hopper lived in Virginia. | Grace Hopper, lives_in, Virginia
IBM was founded in New York. | IBM, located_in, New York
Michael Stonebraker worked with Eugene Wong. | Michael Stonebraker, knows, Eugene Wong
Eugene Wong was a student of John Thomas. | Eugene Wong, knows, John Thomas
Ada Lovelace married William King. | Ada Lovelace, married_to, William King
Charles Babbage was the mentor of Ada Lovelace. | Charles Babbage, knows, Ada Lovelace
Tom Lane maintains PostgreSQL. | Tom Lane, works_on, PostgreSQL
Bruce Momjian contributed to PostgreSQL. | Bruce Momjian, works_on, PostgreSQL
Linus Torvalds leads Linux. | Linus Torvalds, works_on, Linux
Amazon provides Aurora. | Amazon, provides, Aurora
Aurora is offered by Amazon. | Amazon, provides, Aurora
Google released Kubernetes. | Google, provides, Kubernetes
Windows 95 was shipped by Microsoft. | Microsoft, provides, Windows 95
Pgcrypto is part of PostgreSQL. | Pgcrypto, part_of, PostgreSQL
Bavaria is part of Germany. | Bavaria, part_of, Germany
France is a member of NATO. | France, member_of, NATO
The Ingres project led to Postgres. | Ingres, causes, Postgres
World War I led to the Russian Revolution. | World War I, causes, Russian Revolution
Oracle deprecated Solaris. | Oracle, deprecates, Solaris
Java was designed by James Gosling. | James Gosling, created, Java
Guido van Rossum invented Python. | Guido van Rossum, created, Python
Bjarne Stroustrup, who created C++, was born in Denmark. | Bjarne Stroustrup, created, C++
Ingres, a database developed by Michael Stonebraker, ran on Unix. | Michael Stonebraker, created, Ingres
In 1995, James Gosling designed Java. | James Gosling, created, Java
Michael Stonebraker joined Informix Corporation in 1996 and founded Vertica. | Michael Stonebraker, works_for, Informix Corporation; Michael Stonebraker, created, Vertica
Jane Austen wrote Emma Woodhouse Returns. | Jane Austen, created, Emma Woodhouse Returns
Citus was built on PostgreSQL. | Citus, depends_on, PostgreSQL
Netezza was derived from PostgreSQL. | Netezza, depends_on, PostgreSQL
Barman runs on Linux. | Barman, depends_on, Linux
Cobalt was based on the published version of Ingres. | Cobalt, depends_on, Ingres
Ann Lee is a committer of PostgreSQL who has worked at Oracle and IBM. | Ann Lee, works_for, Oracle; Ann Lee, works_for, IBM
Ann Lee and others founded Oracle. | Ann Lee, created, Oracle
They liked Cobalt, which Oracle bought in 2010. | Oracle, owns, Cobalt
Ann Lee founded Oracle, and Bob Ray founded IBM. | Ann Lee, created, Oracle; Bob Ray, created, IBM
IBM created System R; Ann Lee and Bob Ray created Ingres. | Ann Lee, created, Ingres; Bob Ray, created, Ingres
libfoo_x is a library. Ann Lee created libfoo_x. | Ann Lee, created, libfoo_x
The work went on. pgthing depends on PostgreSQL. | pgthing, depends_on, PostgreSQL
Ann Lee is the sister of Bob Ray. | Ann Lee, sibling_of, Bob Ray
Ann Lee's brother Bob Ray founded Oracle. | Bob Ray, sibling_of, Ann Lee; Bob Ray, created, Oracle
Ann Lee is the mother of Bob Ray. | Ann Lee, parent_of, Bob Ray
Ann Lee's son Bob Ray founded Oracle. | Ann Lee, parent_of, Bob Ray
Bob Ray was the son of Tom Lane and Ann Lee. | Tom Lane, parent_of, Bob Ray; Ann Lee, parent_of, Bob Ray
Bob Ray was the younger brother of Tom Lane, father of Ann Lee, and cousin of Jim Gray. | Bob Ray, sibling_of, Tom Lane; Bob Ray, parent_of, Ann Lee; Bob Ray, relative_of, Jim Gray
Tom Lane founded Oracle with his wife Ann Lee. | Tom Lane, created, Oracle; Ann Lee, married_to, Tom Lane
Tom Lane knows Ann Lee. | Tom Lane, knows, Ann Lee
Tom Lane died in Vienna. | Tom Lane, died_in, Vienna
Tom Lane (born 6 April 1953, Berlin) is a composer. | Tom Lane, born_in, Berlin
Tom Lane (6 June 1906, Graz – 2 November 1994, Paris) was a director. | Tom Lane, born_in, Graz; Tom Lane, died_in, Paris
Tom Lane (born May 4, 1947 in Detroit, Michigan) works for Oracle. | Tom Lane, born_in, Detroit; Detroit, within, Michigan; Tom Lane, born_in, Michigan; Tom Lane, works_for, Oracle
Ann Lee is an Austrian composer. | Ann Lee, citizen_of, Austria
Ann Lee, a French engineer, joined Oracle. | Ann Lee, citizen_of, France; Ann Lee, works_for, Oracle
The album was liked by American singer Ann Lee. | Ann Lee, citizen_of, United States
Sirius is a Canadian radio station. | Sirius, located_in, Canada
Red Sky is a 1987 French film. | Red Sky, originates_in, France
Red Sky is a film directed by Ann Lee, written by Bob Ray and starring Tom Lane. | Ann Lee, created, Red Sky; Bob Ray, created, Red Sky; Tom Lane, acted_in, Red Sky
Red Sky is a film starring Tom Lane, Jim Gray and Ann Lee, and released by Oracle. | Ann Lee, acted_in, Red Sky; Oracle, provides, Red Sky
Red Sky is an album by Ann Lee. | Ann Lee, created, Red Sky
Jim Gray won the Turing Award. | Jim Gray, received_award, Turing Award
Jim Gray graduated from Yale University. | Jim Gray, educated_at, Yale University
Ann Lee fought in World War II. | Ann Lee, took_part_in, World War II
Ann Lee is the president of France. | Ann Lee, head_of, France
Oracle's president Ann Lee spoke first. | Ann Lee, head_of, Oracle; Ann Lee, works_for, Oracle
Goght is a village in the province of Kotayk in Armenia. | Goght, located_in, Armenia
Kiruna is a mountain in northern Sweden. | Kiruna, located_in, Sweden
Goght is a village in the Kotayk Province of Armenia. | Goght, located_in, Kotayk Province
Universum is a band consisting of Tom Lane, Ann Lee and Jim Gray. | Ann Lee, member_of, Universum
Tom Lane was the guitarist of the band Universum. | Tom Lane, member_of, Universum
The president of France, Ann Lee, spoke first. | Ann Lee, head_of, France
Ann Lee is a Danish malacologist. | Ann Lee, citizen_of, Denmark
Ann Lee is a judoka from Cuba. | Ann Lee, citizen_of, Cuba
They know Ann Lee — a retired British actress. | Ann Lee, citizen_of, United Kingdom
They met at the Kalmar Omega in Germany. | Kalmar Omega, located_in, Germany
The other is the Kalmar Omega in Edmonton, Alberta. | Kalmar Omega, located_in, Edmonton; Kalmar Omega, located_in, Alberta
Ann Lee attended Yale University in Fredericton, New Brunswick. | Fredericton, within, New Brunswick
Ann Lee served in World War II. | Ann Lee, took_part_in, World War II
The Australian state of Victoria is large. | Victoria, located_in, Australia
They met in the U.S. state of Michigan. | Michigan, within, U.S.
Red Sky is a 2010 South Korean film. | Red Sky, originates_in, South Korea
They moved from Bely, Tver Oblast, Russia. | Bely, within, Tver Oblast; Bely, within, Russia
Red Sky is a 1973 Technicolor horror film directed by Ann Lee. | Ann Lee, created, Red Sky
Red Sky is a 1998 book of cuisine by the celebrity cook Ann Lee. | Ann Lee, created, Red Sky
Red Sky is a 1999 film by Quebec film director Ann Lee. | Ann Lee, created, Red Sky
Red Sky is the album by American rapper Tom Lane, released in 2012, by Def Records. | Def Records, provides, Red Sky
Red Sky was a film broadcast by Oracle. | Oracle, provides, Red Sky
Ann Lee is known for her role as Mia Roe in the film "Red Sky". | Ann Lee, acted_in, Red Sky
Ann Lee is best known as one of the stars of the film "Red Sky". | Ann Lee, acted_in, Red Sky
Ann Lee appeared in Bob Ray's film "Red Sky". | Ann Lee, acted_in, Red Sky
Oracle bought IBM's database Ingres. | Oracle, owns, Ingres
Tom Lane was a racing driver and runner-up in the 1999 World Championship. | Tom Lane, took_part_in, World Championship
Tom Lane plays as a central defender for F.C. Ajax. | Tom Lane, works_for, F.C. Ajax
Ann Lee was the founder and chief executive of Oracle Corporation. | Ann Lee, created, Oracle Corporation; Ann Lee, head_of, Oracle Corporation
Ann Lee married Bob Ray, founder of Oracle Corporation. | Bob Ray, created, Oracle Corporation
Ann Lee pursued a career after graduating from Yale University. | Ann Lee, educated_at, Yale University
Ann Lee was married to Governor of Alabama Robert Ray. | Ann Lee, married_to, Robert Ray; Robert Ray, head_of, Alabama
Ann Lee is a singer from Portland, Oregon. | Ann Lee, originates_in, Portland; Ann Lee, originates_in, Oregon
Ann Lee is an editor at Oracle. | Ann Lee, works_for, Oracle
Lisbon is the capital and the largest city of Portugal. | Lisbon, capital_of, Portugal; Lisbon, located_in, Portugal
Ann Lee, known as Lia Roe, is an Austrian composer. | Ann Lee, citizen_of, Austria
Red Sky (also known as Dawn) is a film directed by Ann Lee. | Ann Lee, created, Red Sky
"""  # noqa: E501


@pytest.mark.parametrize("line", STATED.strip().splitlines())
def test_a_stated_relation_is_found(line: str) -> None:
    text, _, expected = line.partition(" | ")
    assert set(expected.split("; ")) <= {", ".join(triple) for triple in triples(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Ingres was not created by Larry Ellison.",
        "Larry Ellison never worked at IBM.",
        "Larry Ellison would have founded Oracle.",
        "Oracle failed to acquire PeopleSoft Corporation.",
        "Did Larry Ellison create Ingres?",
        "If Larry Ellison created Ingres, the story would end.",
        "Oracle planned to buy Ingres.",
        "Eugene Wong denied that he created Oracle.",
        "He created it. They founded it.",
        "Larry Ellison created a stir at Oracle's rival Informix.",
        "Oracle no longer owns Ingres.",
        "Michael Stonebraker may have joined Oracle.",
        "Suppose IBM acquired Oracle.",
        "Larry Ellison wrote about Ingres.",
        "Michael Stonebraker. Ingres.",
    ],
)
def test_what_is_denied_or_only_supposed_is_not_claimed(text: str) -> None:
    assert {triple for triple in triples(text) if triple[1] != "related_to"} == set()


WRONG = """
The Falcon is an ALA Notable Children's Book written by Ann Lee. | Ann Lee, created, ALA Notable Children's Book
Rumours say that Ann Lee works for Acme Corporation. | Ann Lee, works_for, Acme Corporation
It is rumoured that Ann Lee works for Acme Corporation. | Ann Lee, works_for, Acme Corporation
Ann Lee is a committer of PostgreSQL who had worked at Oracle. | PostgreSQL, works_for, Oracle
Sun Microsystems acquired Ingres, and Oracle acquired Sun Microsystems. | Ingres, owns, Sun Microsystems
Sun Microsystems acquired Ingres, and Oracle acquired Sun Microsystems. | Sun Microsystems, owns, Oracle
Ann Lee and Bob Ray worked on R*, the distributed successor of Ingres. | Ann Lee, replaces, Ingres
Ann Lee moved to Tandem Computers. | Ann Lee, located_in, Tandem Computers
Wall Street liked it, and many banks used PostgreSQL. | Wall Street, uses, PostgreSQL
They lived in Berkeley, Oakland, San Francisco, Boston, London. | Berkeley, located_in, Oakland
IBM built System R in San Jose, and Berkeley built Ingres. | IBM, located_in, Berkeley
IBM built System R in San Jose, and Berkeley built Ingres. | IBM, created, Ingres
IBM built a laboratory in San Jose. | IBM, located_in, San Jose
Ann Lee created the optimizer of PostgreSQL. | Ann Lee, created, PostgreSQL
Microsoft owned a leading extension of PostgreSQL. | Microsoft, part_of, PostgreSQL
Ann Lee created Ingres, and Bob Ray is a founder of Oracle. | Ann Lee, created, Bob Ray
Ann Lee created Ingres, and Bob Ray is a founder of Oracle. | Ingres, created, Oracle
Maps are loaded into Ingres by Oracle: the program Foo integrates with PostgreSQL. | Oracle, integrates_with, PostgreSQL
IBM made her an IBM Fellow. | IBM, created, IBM Fellow
Oracle sold the first SQL database in 1979. | Oracle, provides, SQL
Ann Lee met the relational model of Bob Ray. | Ann Lee, knows, Bob Ray
Ann Lee worked on software for a ship of IBM that used Informix. | IBM, uses, Informix
Tim Berners-Lee was born in London. | Tim Berners-Lee, located_in, London
Ada Lovelace married William King. | Ada Lovelace, knows, William King
Ann Lee has offices in Brussels, Copenhagen and Shanghai. | Brussels, within, Copenhagen
Ann Lee worked across the United States, Canada, and in Europe. | United States, within, Canada
Tom Lane (born Aimee Springer on 2 June 1975) is a singer. | Tom Lane, born_in, Aimee Springer
Tom Lane (born 15 January 1778, and died 28 August 1851 in Paris) was a poet. | Tom Lane, born_in, Paris
Camp Kaves was a training camp north of the city of Rockhampton, Australia. | Camp Kaves, located_in, Rockhampton
Ann Lee won the hearts of Paris. | Ann Lee, received_award, Paris
He is buried in St. Joseph's Cemetery, Keyport, New Jersey. | Keyport, located_in, St. Joseph
Red Sky is a 2010 South Korean film starring Ann Lee. | Ann Lee, citizen_of, South Korea
Red Sky is a 2010 South Korean film starring Im Soo-jung. | Im Soo-jung, originates_in, South Korea
Red Sky is a 1999 film by Quebec film director Ann Lee. | Ann Lee, head_of, Quebec
Red Sky is the album by American rapper Tom Lane, released in 2012, by Def Records. | Def Records, provides, Tom Lane
Ann Lee appeared in Bob Ray's film "Red Sky". | Bob Ray, acted_in, Red Sky
Oracle bought IBM's database Ingres. | Oracle, owns, IBM
Ann Lee married Bob Ray, founder of Oracle Corporation. | Ann Lee, created, Oracle Corporation
Ann Lee was married to Governor of Alabama Robert Ray. | Ann Lee, head_of, Alabama
They fly from Santos Dumont Airport, Galeo Airport and Bely in Brazil. | Santos Dumont Airport, within, Galeo Airport
Boundaries of the Heart was shot near Steamboat Springs. | Boundaries of the Heart, related_to, Steamboat Springs
"""  # noqa: E501


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_a_verb_is_not_bound_to_the_wrong_names(line: str) -> None:
    text, _, wrong = line.partition(" | ")
    assert wrong not in {", ".join(triple) for triple in triples(text)}


PART_OF_FALCON = [
    f"The {part} {preposition} {name} {passive} by {agent}."
    for part, preposition in (
        ("burner", "of"), ("engine", "of"), ("interface", "to"), ("firmware", "for"), ("third module", "of"),
    )
    for name in ("Falcon", "the LR-7", "Oracle")
    for passive, agent in (("was built", "Ann Lee"), ("was written", "Kestrel Freight Ltd."))
]  # fmt: skip


@pytest.mark.parametrize("text", PART_OF_FALCON)
def test_who_made_a_part_did_not_make_the_whole(text: str) -> None:
    assert not triples(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A version of Falcon was built by Ann Lee.", ("Ann Lee", "created", "Falcon")),
        ("The sister of Tom Lee founded Oracle.", None),
    ],
)
def test_a_version_is_the_thing_and_a_relative_is_not_the_person(
    text: str, expected: tuple[str, str, str] | None
) -> None:
    assert triples(text) == ({expected} if expected else set())


@pytest.mark.parametrize("verb", ["supplies", "supplied", "serves", "invoices"])
@pytest.mark.parametrize("first", ["employs 600 people", "uses two mills", "owns a farm"])
def test_the_object_of_a_second_verb_is_not_that_of_the_first(first: str, verb: str) -> None:
    assert not triples(f"Kestrel Freight Ltd. {first} and {verb} Polestar.")


def test_who_is_provided_with_something_is_not_provided() -> None:
    assert not triples("Kestrel Freight Ltd. provides Polestar with pumps.")
    assert triples("Kestrel Freight Ltd. provides Falcon 7.") == {
        ("Kestrel Freight Ltd.", "provides", "Falcon 7")
    }


@pytest.mark.parametrize("verb", ["sold", "later sold", "resold"])
def test_what_was_sold_on_has_another_owner(verb: str) -> None:
    text = f"Ann Lee founded Kestrel Freight Ltd., which she {verb} to Oracle in 2016."
    assert triples(text) == {
        ("Ann Lee", "created", "Kestrel Freight Ltd."),
        ("Oracle", "owns", "Kestrel Freight Ltd."),
    }


def test_where_somebody_grew_up_need_not_be_home() -> None:
    assert not triples("Ann Lee grew up in Berkeley.")
    assert not triples("Ann Lee was raised in Berkeley.")
    assert triples("Ann Lee was born and raised in Berkeley.") == {("Ann Lee", "born_in", "Berkeley")}


def test_a_denial_whose_names_all_stand_in_brackets_states_nothing() -> None:
    assert triples("It is not true that they never met (Ann Lee, Bob Ray, 1907).") == set()


def test_the_cells_of_a_table_state_nothing() -> None:
    assert triples("pg_cron | Ann Lee | Ann Lee created PostgreSQL") == set()


def test_a_pronoun_stands_for_the_title_and_weighs_less() -> None:
    text = "Larry Ellison is a businessman. He founded Oracle in 1977."
    assert ("Larry Ellison", "created", "Oracle") in triples(text, "Larry Ellison")
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "Larry Ellison", text)
    extractor = RulesExtractor()
    found = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)
    edges = extractor.extract_relations([chunk], found, DEFAULT_VOCABULARY)[0]
    assert [(edge.quote, edge.confidence) for edge in edges] == [("He founded Oracle in 1977.", 0.6)]


def test_a_company_is_what_the_text_before_was_about() -> None:
    text = "Oracle is a company in Texas. The company acquired Sun Microsystems."
    assert ("Oracle", "owns", "Sun Microsystems") in triples(text)


def test_a_relation_stated_twice_is_seen_twice() -> None:
    text = "Larry Ellison founded Oracle. Everyone knows it. Oracle was founded by Larry Ellison."
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    extractor = RulesExtractor()
    found = extractor.extract_entities([chunk], DEFAULT_VOCABULARY)
    edges = extractor.extract_relations([chunk], found, DEFAULT_VOCABULARY)[0]
    assert [(edge.relation_type, edge.times_seen) for edge in edges] == [("created", 2)]


def test_a_sentence_wrapped_over_lines_stays_whole_and_a_heading_stays_outside() -> None:
    text = (
        "# Databases\nSome text came first. The IBM\nResearch Laboratory is located in San\nJose and was"
        " small."
    )
    chunk = ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "", text)
    found = RulesExtractor().extract_entities([chunk], DEFAULT_VOCABULARY)
    edges = RulesExtractor().extract_relations([chunk], found, DEFAULT_VOCABULARY)[0]
    assert {edge.quote for edge in edges} == {
        "The IBM\nResearch Laboratory is located in San\nJose and was small."
    }


def test_a_letter_at_the_end_of_a_name_is_no_initial() -> None:
    assert triples("IBM created System R. DB2 came later.") == {("IBM", "created", "System R")}


def test_the_mark_of_a_list_item_is_no_part_of_its_quote() -> None:
    chunk = ChunkText(
        ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "",
        "Products:\n- Oracle Corporation created PL/SQL.\n2. MySQL is owned by Oracle Corporation.",
    )  # fmt: skip
    extractor = RulesExtractor()
    entities, _ = keep_entities_named_in_chunk(
        chunk, extractor.extract_entities([chunk], DEFAULT_VOCABULARY)[0], DEFAULT_VOCABULARY
    )
    (relations,) = extractor.extract_relations([chunk], [tuple(entities)], DEFAULT_VOCABULARY)
    quotes = {
        relation.quote
        for relation in keep_relations_stated_in_chunk(chunk, entities, relations, DEFAULT_VOCABULARY)[0]
    }
    assert quotes == {"Oracle Corporation created PL/SQL.", "MySQL is owned by Oracle Corporation."}


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (
            "The Midnight Sky",
            "The Midnight Sky is a 2014 Hong Kong comedy film directed by Fred Chan.",
            {
                ("Fred Chan", "created", "The Midnight Sky"),
                ("The Midnight Sky", "originates_in", "Hong Kong"),
            },
        ),
        (
            "The Jade Ring",
            "The Jade Ring is a 2001 film. The cast also features Helen Hunt.",
            {("Helen Hunt", "acted_in", "The Jade Ring")},
        ),
        (
            "The Jade Ring",
            "The Jade Ring is a 2001 film. It starred Helen Hunt and Bob Ray.",
            {("Helen Hunt", "acted_in", "The Jade Ring"), ("Bob Ray", "acted_in", "The Jade Ring")},
        ),
        (
            "Summer Rain",
            '"Summer Rain" is a song with music by George Gershwin and lyrics by Ira Gershwin.',
            {("George Gershwin", "created", "Summer Rain"), ("Ira Gershwin", "created", "Summer Rain")},
        ),
        (
            "Peter Netzer",
            "Peter Netzer (born 1975) is a director. Born in Berlin to a family of singers, Netzer left.",
            {("Peter Netzer", "born_in", "Berlin")},
        ),
        (
            "Buyende",
            "Buyende is a town in the Eastern Region of Uganda.",
            {("Eastern Region", "within", "Uganda"), ("Buyende", "located_in", "Uganda")},
        ),
        (
            "Shringarpur",
            "Shringarpur is a village in Ratnagiri district, Maharashtra state, India.",
            {("Ratnagiri", "within", "Maharashtra"), ("Maharashtra", "within", "India")},
        ),
        (
            "Battle of Mine Creek",
            "The Battle of Mine Creek occurred on October 25, 1864, in Kansas.",
            {("Battle of Mine Creek", "located_in", "Kansas")},
        ),
        (
            "Dick Humbert",
            "Dick Humbert (December 31, 1918 – May 23, 2007) was a professional. He lived in Ohio.",
            {("Dick Humbert", "lives_in", "Ohio")},
        ),
    ],
)
def test_what_an_article_says_of_its_topic_is_found(
    title: str, text: str, expected: set[tuple[str, str, str]]
) -> None:
    assert expected <= triples(text, title)


def test_the_city_of_a_name_is_no_part_of_the_topic() -> None:
    assert ("Israel", "within", "Beersheba") not in triples("The city of Beersheba has a center.", "Israel")


def test_a_persons_longer_name_is_the_title() -> None:
    text = "Antonio Pujol Jiménez (born 1913) was a painter. He died in Mexico City."
    assert triples(text, "Antonio Pujol") == {("Antonio Pujol", "died_in", "Mexico City")}


def test_another_spelling_is_an_alias() -> None:
    text = "Kim Jong-chul, sometimes spelled Kim Jong Chol, is a son of Supreme Leader Kim Jong-il."
    assert ("Kim Jong-il", "parent_of", "Kim Jong-chul") in triples(text, "Kim Jong-chul")
