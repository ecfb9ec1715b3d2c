"""Adjectives of nationality: their countries, and the relations that they state for each kind of thing."""

from app.domain.relation_types import RELATION_TYPES
from app.domain.scoring.stop_words import split_into_word_set

_COUNTRIES = """
    american: United States| british: United Kingdom| english: England| french: France| german: Germany
    | italian: Italy| spanish: Spain| russian: Russia| chinese: China| japanese: Japan| indian: India
    | canadian: Canada| australian: Australia| austrian: Austria| dutch: Netherlands| belgian: Belgium
    | swiss: Switzerland| swedish: Sweden| norwegian: Norway| danish: Denmark| finnish: Finland
    | polish: Poland| czech: Czech Republic| hungarian: Hungary| romanian: Romania| bulgarian: Bulgaria
    | greek: Greece| turkish: Turkey| irish: Ireland| scottish: Scotland| welsh: Wales
    | portuguese: Portugal| brazilian: Brazil| mexican: Mexico| argentine: Argentina
    | argentinian: Argentina| chilean: Chile| colombian: Colombia| egyptian: Egypt| israeli: Israel
    | iranian: Iran| iraqi: Iraq| vietnamese: Vietnam| thai: Thailand| indonesian: Indonesia
    | malaysian: Malaysia| filipino: Philippines| philippine: Philippines| pakistani: Pakistan
    | ukrainian: Ukraine| serbian: Serbia| croatian: Croatia| slovak: Slovakia| slovenian: Slovenia
    | slovene: Slovenia| estonian: Estonia| latvian: Latvia| lithuanian: Lithuania| icelandic: Iceland
    | cuban: Cuba| peruvian: Peru| nigerian: Nigeria| kenyan: Kenya| ethiopian: Ethiopia
    | moroccan: Morocco| syrian: Syria| lebanese: Lebanon| afghan: Afghanistan| bosnian: Bosnia
    | albanian: Albania| armenian: Armenia| belarusian: Belarus| kazakh: Kazakhstan
    | mongolian: Mongolia| nepalese: Nepal| nepali: Nepal| maltese: Malta| taiwanese: Taiwan
    | zambian: Zambia| ghanaian: Ghana| beninese: Benin| venezuelan: Venezuela| ecuadorian: Ecuador
    | bolivian: Bolivia| uruguayan: Uruguay| paraguayan: Paraguay| algerian: Algeria
    | tunisian: Tunisia| libyan: Libya| sudanese: Sudan| somali: Somalia| tanzanian: Tanzania
    | ugandan: Uganda| cameroonian: Cameroon| senegalese: Senegal| angolan: Angola
    | zimbabwean: Zimbabwe| namibian: Namibia| jamaican: Jamaica| haitian: Haiti| cypriot: Cyprus
    | saudi: Saudi Arabia| yemeni: Yemen| kuwaiti: Kuwait| jordanian: Jordan| cambodian: Cambodia
    | burmese: Myanmar| bangladeshi: Bangladesh| singaporean: Singapore| macedonian: Macedonia
    | moldovan: Moldova| azerbaijani: Azerbaijan| uzbek: Uzbekistan| panamanian: Panama
    | guatemalan: Guatemala| honduran: Honduras| nicaraguan: Nicaragua| luxembourgish: Luxembourg
    | south korean: South Korea| north korean: North Korea| sri lankan: Sri Lanka| trinidadian: Trinidad
    | costa rican: Costa Rica| puerto rican: Puerto Rico| south african: South Africa
    | bahamian: Bahamas| fijian: Fiji| samoan: Samoa| malagasy: Madagascar| rwandan: Rwanda
"""
COUNTRY_BY_ADJECTIVE = {
    adjective.strip(): country.strip()
    for adjective, _, country in (pair.partition(":") for pair in _COUNTRIES.split("|"))
}
"""Adjectives of one country each; "Jewish", "Western" and "Soviet" people come from many."""

COUNTRIES = frozenset(country.lower() for country in COUNTRY_BY_ADJECTIVE.values()) | frozenset(
    """
    u.s.|u.s|us|usa|uk|u.k.|united states of america|great britain|britain|the netherlands|soviet union|ussr
    |yugoslavia|czechoslovakia|prussia|south korea|north korea|south africa|new zealand|papua new guinea
    |sri lanka|costa rica|el salvador|dominican republic|puerto rico|trinidad and tobago|botswana|zambia
    |mozambique|congo|mali|niger|chad|gabon|liberia|sierra leone|gambia|guinea|togo|burundi|eritrea
    |djibouti|mauritius|seychelles|madagascar|malawi|lesotho|swaziland|eswatini|oman|qatar|bahrain
    |united arab emirates|turkmenistan|tajikistan|kyrgyzstan|laos|brunei|east timor|bhutan|maldives|georgia
    |kosovo|montenegro|north macedonia|monaco|andorra|liechtenstein|san marino|vatican city|belize|guyana
    |suriname|barbados|grenada|dominica|saint lucia|cape verde|burkina faso|ivory coast|russian federation
    |people's republic of china|west germany|east germany|korea
    """.replace("\n    ", "")
    .strip()
    .split("|")
) - {"georgia"}

LAST_WORDS_OF_SMALL_PLACES = split_into_word_set("""
    airport river creek road street avenue boulevard highway bridge station lake falls mountain canal tunnel
    dam hotel church cathedral stadium arena tower cemetery monument lighthouse
""")
"""Last words of places that contain no other place."""

CONTINENTS = frozenset(("europe", "asia", "africa", "north america", "south america", "antarctica"))

REGIONS = (
    COUNTRIES
    | CONTINENTS
    | frozenset(
        """
    alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho
    |illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota
    |mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york
    |north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina
    |south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|wyoming
    |ontario|quebec|british columbia|alberta|manitoba|saskatchewan|nova scotia|new brunswick
    |newfoundland|newfoundland and labrador|prince edward island|new south wales|queensland|victoria
    |south australia|western australia|tasmania|northern territory|northern ireland|bavaria|saxony
    |hesse|brandenburg|thuringia|westphalia|north rhine-westphalia|lower saxony|tuscany|lombardy|sicily
    |sardinia|normandy|brittany|provence|catalonia|andalusia|galicia|silesia|bohemia|moravia
    |transylvania|kerala|punjab|maharashtra|tamil nadu|west bengal|uttar pradesh|gujarat|rajasthan
    |karnataka|bihar|odisha|assam|kent|surrey|sussex|essex|yorkshire|lancashire|cornwall|devon|norfolk
    |suffolk|cambridgeshire|oxfordshire|hampshire|cumbria|siberia|crimea|zealand|tyrol|istria|dalmatia|flanders|wallonia|hokkaido
    |england|scotland|wales|d.c.
    """.replace("\n    ", "")
        .strip()
        .split("|")
    )
)
"""Places that contain others: after a comma they locate the place before them."""

NATIONALITY_RELATION_BY_KIND = {
    adjective: relation_type.name
    for relation_type in RELATION_TYPES
    for adjective in relation_type.nationality_of
}
"""The relation that an adjective of nationality states, by the kind of the thing."""
