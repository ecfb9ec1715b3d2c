"""Words of titles that name no topic: kinds of writing, version marks, finite verbs."""

from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.lexicon import PERSON_VERBS, SUBJECT_VERBS

WRITING_NOUNS = split_into_word_set("""
    note notes draft drafts final copy readme index untitled document documents doc docs report reports
    minutes meeting meetings summary summaries overview chapter page pages part section introduction intro
    changelog faq agenda todo list misc miscellaneous appendix preface contents guide tutorial manual memo
    letter email mail transcript interview presentation slides attachment scan version
    revision update updates weekly
    monthly daily quarterly annual standup retro retrospective checklist template example examples sample
    test tests data file files text texts article post blog home main new old input output record records
    file file1 v1 v2 v3 q1 q2 q3 q4 welcome hello about contact help info information start getting started
""")
"""A title of only these words, numbers and dates names no topic."""

SENTENCE_OPENERS = split_into_word_set(
    "how why what when where who whom whose which is are can should do does from"
)
"""Words that, before lower case, make a title a descriptive heading."""

FINITE_VERBS = (
    SUBJECT_VERBS
    | PERSON_VERBS
    | split_into_word_set("""
        is are was were be been has have had do does did can could will would shall should must may might
        am isn't aren't wasn't weren't don't doesn't didn't can't won't isn’t aren’t wasn’t weren’t don’t
        acquires buys joins moves announces launches becomes gets makes made takes took gives gave says wins
        replaces creates includes requires needs helps shows introduces leaves left sells loses lost begins
        works uses employs hires fires appoints names meets met comes came goes went runs ran
    """)
) - split_into_word_set("released written born lives sold built designed released")
"""Finite verbs: a title with one of them is a sentence, not a name."""
