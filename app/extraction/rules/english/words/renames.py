"""Words that declare two names to be of one thing, and which of them is the current one."""

import re

OLD_NAME = (
    r"(?:former|old|new|original|previous|legal|full|real|birth|maiden|stage|pen|trade|trading|brand|present"
    r"|current|official|common) name"
)
_UNDER_ANOTHER_NAME = r"under (?:the|his|her|a) (?:pen name|pseudonym|stage name|alias|moniker|name)(?: of)?"
_THEN = "(?:has |later |then |since )*"
KNOWN_ABBREVIATIONS = re.compile(
    r"(?:[,(] |, who is |, which (?:is|was) )?(?:is |was )?(?:used to be )?(?:(?:also|better|formerly"
    r"|previously|originally|commonly|sometimes|often|later|now|today|once|nowadays|officially|professionally|popularly"
    r"|simply|widely|best|internationally|more commonly|credited|released) )*"
    r"(?:known(?: \w+)? as|known by (?:his|her|their|its|the)(?: \w+){1,2}(?: of)?|released as|credited as"
    r"|called|named|abbreviated as|abbreviated to|abbreviated|short for"
    r"|nicknamed|codenamed|code-named|aka|a\.k\.a|a\.k\.a\.|a\.k\.a \.|alias|née|d/b/a|dba|t/a)"
    r"(?: the| “| \"| '| just)?"
    r"|[,(] (?:also |sometimes |often |alternatively )?(?:spelled|spelt|written|stylized as|stylised as"
    r"|romanized as|romanised as|transliterated as)(?: the| \")?"
    r"|is (?:commonly |often |usually )?abbreviated (?:to|as)(?: the)?"
    r"|[,(] (?:formerly|originally|previously|officially|or|or simply|i\.e|i\.e\.)(?: the)?"
    r"|(?:[,(] (?:which )?|who )?(?:(?:was|has been|is|were) )?(?:(?:later|then|subsequently|now|since) )*"
    r"(?:renamed|rebranded)(?: as| to)?(?: the)?"
    rf"|{_THEN}(?:renamed|rebranded|restyled) (?:itself|himself|herself|themselves)"
    r"(?: as| to)?"
    rf"|{_THEN}rebranded (?:as|to)(?: the)?"
    rf"|{_THEN}changed (?:its|his|her|their)(?: corporate| legal| company| trading| official)?"
    r" name (?:to|from)(?: the)?"
    rf"|{_THEN}(?:took|taken|adopted|assumed) the (?:new )?name(?: of)?"
    r"|[,(] (?:now|today)(?: the)?"
    r"|(?:[,(] )?(?:is |was |now )*(?:trading|trades|traded|operating|operates|doing business)"
    r" (?:as|under the name(?: of)?)"
    r"|[,(] born|was born"
    rf"|(?:is|was) the {OLD_NAME} (?:of|for)"
    rf"|['’]s? {OLD_NAME} (?:is|was)|[,(] {OLD_NAME}(?: is| was| :)?"
    rf"|(?:[,(] )?(?:who )?(?:also )?(?:wrote|writes|writing|published|publishes|performs|performed|recorded"
    rf"|records|performing) {_UNDER_ANOTHER_NAME}"
    r"|(?:also )?(?:goes|went) by(?: the name(?: of)?)?"
)
"""The whole text between two names of one thing; "(" is followed by a space, since words are joined by
spaces.
"""
RENAMING_OF_SUBJECT = re.compile(
    r"(?:(?:in|since|by|on) (?:[a-z]+ )?(?:\d{1,2} ,? ?)?\d{4} ,? ?)?(?P<who>it|he|she|the [a-z]+)"
    r" (?P<said>[a-z].*)"
    rf"|(?P<whose>its|his|her) {OLD_NAME} (?:is|was)"
)
"""A new name of the previous sentence's subject, "In 2021 it was renamed Zenith"; `said` is a text of
KNOWN_AS.
"""
RENAMING = re.compile(
    r"\b(?:renamed|rebranded|name to|name from|the (?:new )?name|used to be|formerly|originally)\b"
)
"""Words of KNOWN_AS for a new name, not only an additional one."""
PRONOUNS_OF_PEOPLE = frozenset(("he", "she", "his", "her"))
FIRST_NAME_IS_FORMER = re.compile(
    r"\b(?:renamed|rebranded|restyled|now|today|(?:took|taken|adopted|assumed) the|name to|is the former"
    r"|is the old)\b"
)
"""Words that make the first of the two names the former one."""
SECOND_NAME_IS_FORMER = re.compile(
    r"\b(?:formerly|previously|originally|once|used to|born|née|name from|is the (?:new|present|current))\b"
    r"|^['’]s? (?!new|present|current)\w+ name"
)
"""Words that make the second one the former one."""
WORDS_BEFORE_SOLE_NAME = re.compile(
    r"[,(] (?:now|today)(?: the)?|[,(] born|was born|[,(] (?:formerly|previously)(?: the)?"
)
"""Words that must be followed by the name alone, since "now" and "born" introduce other things too."""
BORN_AS = frozenset((", born", "( born", "was born"))
RENAMING_OF_OTHER = re.compile(r"(?:(?:later|then|subsequently|now|since) )*(?:renamed|rebranded)(?: the)?")
"""Words between two names of two things: "Acme renamed Falcon"."""
RENAME_VERBS = frozenset(("renamed", "renames", "rebranded", "rebrands"))
WORDS_BEFORE_FORMER_NAME = (["renamed", "from"], ["name", "from"], ["rebranded", "from"])
"""Words before the first of two names joined by "to"."""
PHRASES_BEFORE_SHORT_NAME = (["for", "short"], ["in", "short"])
