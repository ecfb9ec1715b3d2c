"""Words in a name that state its kind."""

from app.domain.scoring.stop_words import split_into_word_set

AWARDS = split_into_word_set("""
    award awards prize prizes medal oscar oscars emmy grammy order trophy fellowship cup championship honour
    honor laureate title bafta tony goldie pulitzer cross star decoration scholarship
""")


LEAGUES = split_into_word_set(
    "league championship division conference nba nfl nhl mlb mls wnba afl bundesliga cup"
)
