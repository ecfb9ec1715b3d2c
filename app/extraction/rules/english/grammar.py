"""Function words that delimit clauses and connect verbs to their ends, one class to a row."""

from app.domain.scoring.stop_words import split_into_word_set

BE = split_into_word_set("is was are were be been being")
FORMS_OF_HAVE = split_into_word_set("has have had having")
ADVERBS = split_into_word_set(
    "also later then first soon originally recently subsequently eventually now still once again both has"
    " have had is was are were be been being and further next currently jointly thereby since already"
)
DETERMINERS = split_into_word_set("the a an its his her their this that one some several many all first new")
ARTICLES = split_into_word_set("the a an its his her their")
INDEFINITE_WORDS = split_into_word_set("a an first")
PREPOSITIONS = split_into_word_set("""
    in at for with by from on to during after as about into under within between against through over toward
    towards among near via alongside like around outside behind per than upon
""")
EMPLOYMENT_ADVERBS = split_into_word_set("part-time full-time freelance remotely closely directly")
"""Words between "works" and "for" that do not change the meaning."""
CURRENT_ACTIVITIES = split_into_word_set(
    "using supporting maintaining managing leading providing supplying heading chairing hosting"
)
"""Participles after "be" that state a current activity; what is being bought is not owned yet."""
LOCATION_PREPOSITIONS = split_into_word_set("in at on to from of")
"""Prepositions that introduce a location before a place."""
CONTAINING_PREPOSITIONS = split_into_word_set("in at on within")
"""Prepositions of a place that holds what is there."""
RELATIVE_PRONOUNS = split_into_word_set("who which that")
OBJECT_PRONOUNS = split_into_word_set("her him it them us me")
PEOPLE_PRONOUNS = split_into_word_set("he she")
KIN_PRONOUNS = split_into_word_set("his her")
POSSESSIVE_DETERMINERS = KIN_PRONOUNS | split_into_word_set("my our your its their")
DASHES = frozenset(("–", "—", "-"))
POSSESSIVES = frozenset(("'s", "’s", "'"))
COMPANIONS = split_into_word_set("others colleagues his her their partners friends students")
"""Words after "and" that extend a subject without being one: "Ann Lee and others founded"."""
LINKING_WORDS = BE | split_into_word_set("became becomes remained remains as ( – —")
"""Words after which a noun describes the subject."""
OPENS_APPOSITION = DETERMINERS | split_into_word_set("who which")

CLAUSE_BREAKS = split_into_word_set(
    "but while whereas although though because when where after before until whose since unless"
)
CLAUSE_ENDS = CLAUSE_BREAKS | frozenset((";", ":"))
"""Words and marks across which no verb refers to a name."""
CLAUSE_BOUNDARIES = split_into_word_set("""
    and but so , ; : - – — that which whom because while when where after before although though since as
    if then
    until whereas once or (
""")
"""Words before a name with its own verb that open another clause."""

NEGATIONS = split_into_word_set("""
    not never without no neither nor cannot n't isn't wasn't weren't didn't doesn't don't hasn't hadn't won't
    isn’t wasn’t weren’t didn’t doesn’t don’t hasn’t hadn’t won’t couldn't wouldn't unlike except instead
    rather
""")
HEDGES = split_into_word_set("""
    would could might may should if whether unless supposedly allegedly reportedly rumored rumoured alleged
    claimed denied denies failed refused declined planned plans tried attempted wanted hoped considered
    hypothetically hopes intends intended proposed-to unable falsely wrongly mistakenly almost nearly
    will can must speculated
""")
DOUBTS = NEGATIONS | HEDGES
"""Words between two names that leave their relation unstated."""
RUMOURS = split_into_word_set("rumour rumor rumours rumors unconfirmed unverified")
"""Words that make a sentence a rumour."""
WORDS_OF_UNCERTAINTY = RUMOURS | split_into_word_set("""
    rumoured rumored allegedly reportedly supposedly purportedly falsely wrongly incorrectly mistakenly
    erroneously regret regrets misstated misreported
""")
"""Words that make a sentence a rumour if they precede its first name."""
BESIDE_COPULA = split_into_word_set("not n't never now still currently also no longer been")
"""Words beside "is" that do not change "the CEO of Acme is Ann Lee"."""
BEFORE_CLAUSE = split_into_word_set("that and but while since when because says said today now")
"""Words after which a subject may begin."""
FORMER_ROLE_WORDS = split_into_word_set("former ex onetime one-time then erstwhile")
"""Words before a noun for a former role."""
VACANT_ROLE_WORDS = FORMER_ROLE_WORDS | split_into_word_set(
    "late next future incoming last alleged deputy acting"
)
"""Words before a noun for a role that nobody holds now."""
HEARSAY = split_into_word_set("""
    said believed thought claimed reputed presumed assumed supposed understood mistaken confused misidentified
""")
"""Words before "to", "for" or "with" that report hearsay: "is often said to be", "is mistaken for"."""
DOUBTED_SPEECH = split_into_word_set(
    "claimed alleged joked speculated guessed wondered asked insisted claims alleges"
)
"""Verbs after a quotation that do not vouch for it."""
DOUBTFUL_OPENINGS = split_into_word_set(
    "if suppose imagine whether assuming should could would does did do can what who why how rumours rumors"
)
"""First words of a question, a condition or a supposition."""
