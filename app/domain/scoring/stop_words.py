"""Function words and pronouns, which do not name anything and occur in every text."""


def split_into_word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set; keeps long lists readable."""
    return frozenset(text.split())


PRONOUNS = split_into_word_set(
    """
        i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
        she her hers herself it its itself they them their theirs themselves this that these those who
        whom whose which what one ones someone somebody something anyone anybody anything everyone
        everybody everything nobody none nothing each other others another both either neither such same
        here there
    """
)
STOP_WORDS = split_into_word_set(
    """
        a an the and or but nor so yet if then else when while where why how as at by for from in into of
        off on onto out over per to up via with within without about above across after against along
        alongside amid amidst among amongst around atop before behind below beneath beside besides
        between beyond despite down during except inside like near outside past since through
        throughout toward towards under until unlike upon
        versus vs is am are was were be been being do does did done doing have has had having will would
        shall should can could may might must not no yes also again all any because both every few further
        however just less least many more most much only other own rather same several some still than
        that therefore though thus too very whether although almost already always ever never often once
        perhaps quite sometimes soon usually instead meanwhile nevertheless moreover furthermore otherwise
        etc ie eg et al ok okay
    """
)
