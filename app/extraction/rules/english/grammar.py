"""The small words by which a sentence is cut into clauses and its verbs find their ends,
one class to a row."""

from app.domain.scoring.stop_words import word_set

BE = word_set("is was are were be been being")
HAVE = word_set("has have had having")
ADVERBS = word_set(
    "also later then first soon originally recently subsequently eventually now still once again both has"
    " have had is was are were be been being and further next currently jointly thereby since already"
)
DETERMINERS = word_set("the a an its his her their this that one some several many all first new")
ARTICLES = word_set("the a an its his her their")
INDEFINITE = word_set("a an first")
PREPOSITIONS = word_set("""
    in at for with by from on to during after as about into under within between against through over toward
    towards among near via alongside like around outside behind per than upon
""")
MANNERS = word_set("part-time full-time freelance remotely closely directly")
"""Between "works" and "for" these change nothing."""
GOING_ON = word_set(
    "using supporting maintaining managing leading providing supplying heading chairing hosting"
)
"""Behind a form of "be" these say what somebody does; what is being bought is not owned yet."""
AT_PLACES = word_set("in at on to from of")
"""Before a place these say where something is."""
RELATIVE = word_set("who which that")
OBJECT_PRONOUNS = word_set("her him it them us me")
PEOPLE_PRONOUNS = word_set("he she")
KIN_PRONOUNS = word_set("his her")
DASHES = frozenset(("–", "—", "-"))
POSSESSIVES = frozenset(("'s", "’s", "'"))
COMPANIONS = word_set("others colleagues his her their partners friends students")
"""Behind "and" these add to a subject and are none of their own: "Ann Lee and others founded"."""
LINKS = BE | word_set("became becomes remained remains as ( – —")
"""Behind these a noun says what the subject is."""
OPENS_APPOSITION = DETERMINERS | word_set("who which")

BREAKS = word_set(
    "but while whereas although though because when where after before until whose since unless"
)
CLAUSE_ENDS = BREAKS | frozenset((";", ":"))
"""No verb is about a name on the other side of these."""
BOUNDARIES = word_set("""
    and but so , ; : - – — that which whom because while when where after before although though since as
    if then
    until whereas once or (
""")
"""Before a name that has a verb of its own, these open another clause."""

NEGATIONS = word_set("""
    not never without no neither nor cannot n't isn't wasn't weren't didn't doesn't don't hasn't hadn't won't
    isn’t wasn’t weren’t didn’t doesn’t don’t hasn’t hadn’t won’t couldn't wouldn't unlike except instead
    rather
""")
HEDGES = word_set("""
    would could might may should if whether unless supposedly allegedly reportedly rumored rumoured alleged
    claimed denied denies failed refused declined planned plans tried attempted wanted hoped considered
    hypothetically hopes intends intended proposed-to unable falsely wrongly mistakenly almost nearly
    will can must speculated
""")
DOUBTS = NEGATIONS | HEDGES
"""Between two names these leave what is said of them unstated."""
RUMOURS = word_set("rumour rumor rumours rumors unconfirmed unverified")
"""A sentence with one of these passes on what nobody vouches for."""
UNSURE = RUMOURS | word_set("""
    rumoured rumored allegedly reportedly supposedly purportedly falsely wrongly incorrectly mistakenly
    erroneously regret regrets misstated misreported
""")
"""So does one with one of these before its first name."""
BESIDE_COPULA = word_set("not n't never now still currently also no longer been")
"""Words beside "is" that leave "the CEO of Acme is Ann Lee" as it is."""
BEFORE_CLAUSE = word_set("that and but while since when because says said today now")
"""Behind one of these a subject may begin."""
ENDED = word_set("former ex onetime one-time then erstwhile")
"""Before a noun these say that somebody was it."""
NOT_HELD = ENDED | word_set("late next future incoming last alleged deputy acting")
"""Before a noun these say that nobody is it today."""
HEARSAY = word_set("""
    said believed thought claimed reputed presumed assumed supposed understood mistaken confused misidentified
""")
"""Before "to", "for" or "with" these pass on what others say: "is often said to be", "is mistaken for"."""
BELIEFS = word_set("""
    believe believes believed think thinks thought suspect suspects suspected assume assumes assumed guess
    guesses hope hopes expect expects expected claim claims allege alleges fear fears feared speculate
    speculates
""")
"""Before "that" these make what follows an opinion."""
DOUBTED_SPEECH = word_set("claimed alleged joked speculated guessed wondered asked insisted claims alleges")
"""Behind a quotation these leave it to who is quoted."""
DOUBTFUL_OPENINGS = word_set(
    "if suppose imagine whether assuming should could would does did do can what who why how rumours rumors"
)
"""A sentence that begins so is a question, a condition or a supposition."""
