"""The vocabulary of the rules: sentence openers, nouns for kinds of things, well-known places."""

from app.domain.scoring.stop_words import PRONOUNS, STOP_WORDS, split_into_word_set
from app.extraction.rules.english.nations import COUNTRY_BY_ADJECTIVE
from app.graph.names import MONTHS_AND_DAYS

# Ordinary words that often open a sentence, where their capital makes them look like names.
SENTENCE_STARTERS = (
    split_into_word_set("""
        according additionally afterwards ago altogether apart arguably aside based beginning being born built
        called compared consequently considered conversely currently depending developed due early earlier
        easily eventually everyone finally first firstly following formerly founded fourth generally given
        hence hereby historically including indeed initially interestingly lately later like likewise located
        long mainly many modern most mostly much named new newer next nonetheless notably note notably now
        number occasionally old one originally overall part particularly people possibly presently presumably
        previously primarily prior probably published recent recently regarding related respectively
        second secondly see similar similarly simply since specifically starting subsequently such suddenly
        supposedly surprisingly third thereafter thereby together traditionally two three four five six seven
        eight nine ten hundreds thousands ultimately unfortunately unlike unless using various well what
        whatever whenever whereas wherever work works written yet half users people researchers scientists
        critics members students developers engineers fighting let please today remember suppose imagine
        assume say think get make use take run set try start stop add remove open close read write call send
        keep put show former current late young senior junior chief big small large great good bad best
        several different certain whole main major minor total average additional example examples
        table figure chapter section page appendix introduction conclusion summary abstract overview
        background
        contents references notes history plot reception cast career life biography legacy usage features
        design architecture development releases licensing licence license see versions version
        starring featuring retired incumbent
        yes no hello thanks hi dear question answer queries query data
        fyi btw nb ps pps re fw fwd ok okay sorry actually reminder correction erratum errata corrigendum
        retraction clarification replacing succeeding afaik iirc tldr
    """)
    | STOP_WORDS
    | PRONOUNS
    | MONTHS_AND_DAYS
)

HONORIFICS = split_into_word_set("""
    mr mrs ms miss dr prof professor sir dame lord lady king queen prince princess president senator governor
    chancellor captain colonel general major lieutenant sergeant admiral pope bishop archbishop father saint
    emperor empress duke duchess baron count judge justice reverend rev mayor congressman congresswoman
    ambassador secretary premier commander marshal cardinal minister
""")
ROLES = split_into_word_set("""
    ceo cto cfo coo founder co-founder cofounder chairman chairwoman chairperson president director
    professor engineer researcher scientist employee executive manager spokesman spokeswoman spokesperson
    architect developer author creator inventor maintainer programmer analyst mathematician physicist
    secretary head boss chief producer editor leader
""")
GIVEN_NAMES = split_into_word_set("""
    aaron ada adam adele adrian alan albert alex alexander alexandra alfred alice alison allen amy ana andrea
    andreas andrei andrew andy angela anita ann anna anne anthony antonio arthur barack barbara ben benjamin
    bernard bill bjarne bob brad brendan brian bruce carl carlos carol caroline catherine charles charlie
    charlotte chris christian christina christine christoph christopher claire claude colin craig ed edgar
    gene dan daniel
    dave david dean deborah dennis derek diana diane donald donna doug douglas edgar edmund edward edwin
    eileen
    elaine elena eliot elizabeth ellen emily emma eric erik ernest eugene eva evan felix florence frances
    francis frank franklin fred frederick gary geoffrey george gerald gilbert giulio gordon grace graham greg
    gregory guido gustav hans harold harry heather hector heinrich helen henry herbert howard hugh hugo ian
    igor ingrid irene isaac isabel ivan jack jacob jacques james jamie jay jan jane janet jason jay jean jeff
    jeffrey jennifer jeremy jerry jessica jill jim jimmy joan joe joel johann johannes john jon jonathan jose
    joseph joshua juan judith julia julian julie karen karl kate katherine kathleen kathryn keith ken kenneth
    kevin kim konrad kurt larry laura lawrence lee leo leon leonard leslie lewis linda linus lisa liz lois lou
    louis louise lucas lucy luis luke lynn marc marcel margaret maria marie marion mark martha martin marvin
    mary matt matthew maurice max michael michel michelle miguel mike mohammed monica nancy nathan neil nelson
    nicholas nick nicolas nicole nigel nikolai noah noam norman olga oliver oscar otto pamela patricia patrick
    paul pedro peter phil philip philippe phillip rachel ralph ray raymond rebecca richard rick rita rob
    robert
    roberto robin rodney roger roland ron ronald rosa rose ross roy rudolf rudyard russell ruth ryan sally sam
    samuel sandra sara sarah satya scott sean sebastian sergei sergey seymour sharon shirley simon sophia
    sophie stanley stefan stephanie stephen steve steven stewart stuart sue sundar susan sylvia ted teresa
    terry theodore theresa thomas tim timothy tom tony vera vernon victor victoria viktor vincent virginia
    vladimir walter wayne wendy werner wilhelm will william winston wolfgang yann yukihiro
""")

# Kinds by head word: "a relational database", "the University of", "Lake Erie".
_KINDS = {
    "Person": """
        professor scientist politician engineer mathematician physicist programmer author writer singer actor
        actress musician composer player footballer businessman businesswoman entrepreneur economist historian
        philosopher poet novelist lawyer journalist artist painter architect inventor researcher chemist
        biologist astronomer theologian general soldier officer king queen emperor prince princess president
        senator governor minister bishop director producer screenwriter guitarist drummer rapper dancer model
        chef surgeon physician doctor nurse pilot astronaut explorer teacher educator designer man woman boy
        girl son daughter brother sister father mother wife husband character coach athlete academic critic
        empress duke duchess earl sultan
        activist diplomat judge pioneer developer founder creator co-founder ceo cto cfo coo chairman
        chairwoman graduate student
        committer maintainer contributor fellow
        cyclist swimmer wrestler boxer sprinter comedian presenter playwright sculptor photographer
        skier sportsman sportsperson jurist statesman banker missionary monk nun priest rabbi violinist
        pianist bassist vocalist songwriter singer-songwriter conductor golfer jockey fencer rower
        gymnast skater judoka weightlifter sailor filmmaker animator cinematographer illustrator
        essayist translator personality philanthropist industrialist businessperson magnate financier
        merchant geologist botanist zoologist entomologist paleontologist archaeologist anthropologist
        sociologist psychologist psychiatrist linguist philologist geographer cartographer attorney
        barrister solicitor magistrate parliamentarian congressman legislator revolutionary nobleman
        noblewoman cricketer goalkeeper defender midfielder striker quarterback linebacker pitcher
        outfielder infielder shortstop sprinter hurdler
        cook chef restaurateur
        secretary treasurer accountant receptionist trainee apprentice bookkeeper trustee paramedic midwife
        electrician headteacher headmaster headmistress
        organist cellist trumpeter saxophonist choreographer ballerina curator librarian
    """,
    "Organization": """
        company corporation firm startup start-up organization organisation university college institute
        school
        agency bank band group party foundation association society club team committee council ministry
        department laboratory lab label publisher newspaper magazine broadcaster airline manufacturer retailer
        vendor nonprofit charity union league federation army navy church museum hospital subsidiary division
        consortium maker reseller employer board bureau commission orchestra dynasty regiment brigade
        squadron battalion government
        parliament senate congress court authority alliance coalition academy conglomerate brewery network
        station channel studio studios
        ensemble quartet trio duo franchise choir troupe cooperative
    """,
    "Location": """
        city town village country state province county district region river lake mountain island islands bay
        sea ocean valley peninsula municipality suburb neighborhood neighbourhood capital continent desert
        forest street road highway bridge airport park square building castle tower palace commune
        borough parish township settlement port harbour harbor creek canyon hill canal strait headquarters
        area
        territory kingdom empire republic hamlet glacier volcano reservoir stadium arena cathedral community
        community-area subdistrict prefecture
        abbey monument cemetery mansion hotel theatre theater temple mosque shrine chapel basilica priory
        monastery plaza mall dam lighthouse zoo observatory prison ranch manor villa fort fortress citadel
        tunnel pier beach cave cliff plateau ridge basin delta gulf lagoon marsh swamp waterfall moor resort
        precinct duchy principality voivodeship oblast gmina canton arrondissement locality isthmus headland
    """,
    "Event": """
        conference award prize war battle festival tournament championship championships election revolution
        olympics ceremony expedition workshop symposium summit treaty siege invasion rebellion massacre
        earthquake hurricane flood tour season competition contest medal crisis campaign operation
        conflict uprising riot exhibition cup race event
    """,
    "Product": """
        product device console car vehicle aircraft airplane ship phone smartphone computer laptop processor
        printer camera drink beer toy weapon missile rifle tank game video-game app application website
        service rocket spacecraft satellite locomotive submarine engine
    """,
    "Technology": """
        database databases dbms rdbms system systems software library framework language protocol extension
        platform tool toolkit format standard algorithm engine compiler interpreter server client kernel
        dashboard optimizer optimiser generator parser benchmark dialect implementation distribution
        database-system technology cache index indexer plugin module package driver store warehouse
        middleware orm codec runtime shell editor browser operating-system
        interface specification encoding architecture microprocessor chip
    """,
    "API": "api apis sdk endpoint endpoints webhook",
    "Project": "project initiative programme program fork mission",
    "Document": """
        paper book novel article thesis dissertation report manual album song single film movie play poem
        opera musical symphony essay journal series sitcom episode memoir autobiography biography novella
        miniseries dictionary
        encyclopedia whitepaper act law constitution anime manga comic soundtrack soap documentary license
        licence
    """,
    "Concept": """
        theory concept method technique approach problem theorem model principle disease religion ethnic
        philosophy ideology movement discipline genus species family music genre sport term
    """,
}
KIND_OF: dict[str, str] = {word: kind for kind, words in _KINDS.items() for word in words.split()}
# "general", "model" and the like do not describe what follows them; they count only as a name's last word.
KIND_OF_HEAD: dict[str, str] = {
    **{word: kind for word, kind in KIND_OF.items() if kind in ("Organization", "Location", "Event", "API")},
}
KIND_OF_HEAD.update(
    dict.fromkeys(
        split_into_word_set("""
            inc corp corporation ltd llc co gmbh plc ag university labs laboratories foundation brothers bros
            records books entertainment technologies microsystems holdings industries partners press times
            post broadcasting airlines motors pictures productions associates fc assembly corps systems
            computers software research center centre services solutions semiconductor consulting ventures
            electronics consortium technology bakery dairy freight logistics pharma pharmaceuticals foods
        """),
        "Organization",
    )
)
KIND_OF_HEAD.update(
    dict.fromkeys(
        split_into_word_set("avenue mountains heights beach falls springs rivers lakes states coast"),
        "Location",
    )
)
KIND_OF_HEAD.update(
    dict.fromkeys(split_into_word_set("protocol language engine server database sql"), "Technology")
)
KIND_OF_HEAD.update(
    dict.fromkeys(split_into_word_set("act law constitution symphony dictionary"), "Document")
)
KIND_OF_HEAD.update(dict.fromkeys(split_into_word_set("project programme"), "Project"))
# "Bramhall Paper" may be a mill, and "Bramhall Capital" is no city: the context decides.
KIND_OF_HEAD.update(dict.fromkeys(("paper", "capital"), "Concept"))
HEAD_NOUNS = split_into_word_set("""
    app application tool reader scanner printer lamp pump engine motor sensor tracker parser router scheduler
    library module plugin service server client portal gateway driver device machine phone model platform
    system framework plant mill brewery bakery project programme program protocol algorithm
""")
"""Lower-case words after a name that form a longer name with it: "the Dunlin reader"."""
LEGAL_TAILS = split_into_word_set(
    "inc corp corporation ltd llc llp co company gmbh plc ag kg ab oy bv nv sarl asa incorporated limited"
)
CURRENCIES = split_into_word_set("eur usd gbp chf nok sek dkk jpy cny inr aud cad brl zar krw pln czk huf")
"""Currency codes; before a number they are an amount, not part of a name."""

PLACES = split_into_word_set("""
    afghanistan africa alabama alaska albania algeria america amsterdam ankara antarctica argentina arizona
    arkansas armenia asia athens atlanta auckland australia austria azerbaijan baghdad bangkok bangladesh
    barcelona bavaria beijing belarus belgium belgrade berkeley berlin bern birmingham bolivia bombay bosnia
    boston brazil bristol britain brooklyn brussels bucharest budapest bulgaria cairo california cambodia
    cambridge cameroon canada chicago chile china colombia colorado connecticut copenhagen croatia cuba cyprus
    czechoslovakia dallas delaware delhi denmark denver detroit dresden dublin ecuador edinburgh egypt england
    estonia ethiopia europe finland florence florida france frankfurt geneva georgia germany ghana glasgow
    greece guatemala haiti hamburg hawaii helsinki hiroshima hollywood houston hungary iceland idaho illinois
    india indiana indonesia iowa iran iraq ireland israel istanbul italy jamaica japan jerusalem jordan kansas
    kazakhstan kentucky kenya kiev korea kosovo kuwait kyoto laos latvia lebanon leeds leipzig libya lisbon
    lithuania liverpool london louisiana luxembourg madrid maine malaysia malta manchester manhattan maryland
    massachusetts melbourne memphis mexico miami michigan milan minnesota mississippi missouri moldova monaco
    mongolia montana montenegro montreal morocco moscow mumbai munich myanmar naples nebraska nepal
    netherlands
    nevada nicaragua nigeria normandy norway oakland ohio oklahoma ontario oregon oslo ottawa oxford pakistan
    palestine panama paraguay paris pennsylvania peru philadelphia philippines pittsburgh poland portugal
    prague prussia quebec rome romania russia rwanda scandinavia scotland seattle senegal seoul serbia seville
    shanghai siberia sicily singapore slovakia slovenia somalia spain stockholm stuttgart sudan sweden
    switzerland sydney syria taiwan tanzania tennessee texas thailand tokyo toronto tunisia turkey uganda
    ukraine uruguay usa us uk uruguay ussr utah venezuela venice vermont vienna vietnam virginia wales warsaw
    washington wisconsin wyoming yemen yugoslavia zambia zimbabwe zurich
""")
PLACE_NAMES = frozenset(
    {
        "new york",
        "new york city",
        "los angeles",
        "san francisco",
        "san diego",
        "san jose",
        "hong kong",
        "new zealand",
        "south africa",
        "south korea",
        "north korea",
        "united states",
        "united kingdom",
        "great britain",
        "soviet union",
        "new jersey",
        "new mexico",
        "new hampshire",
        "new orleans",
        "las vegas",
        "north carolina",
        "south carolina",
        "north dakota",
        "south dakota",
        "rhode island",
        "west virginia",
        "sri lanka",
        "saudi arabia",
        "puerto rico",
        "costa rica",
        "united states of america",
        "palo alto",
        "mountain view",
        "silicon valley",
        "redwood city",
        "redwood shores",
        "menlo park",
        "st petersburg",
        "saint petersburg",
        "tel aviv",
        "buenos aires",
        "sao paulo",
        "rio de janeiro",
        "mexico city",
        "the hague",
        "hague",
        "british columbia",
        "north america",
        "south america",
        "latin america",
        "czech republic",
        "holy roman empire",
        "ottoman empire",
        "middle east",
        "northern ireland",
    }
)
# Adjectives of nationality; as nodes they would connect unrelated things.
DEMONYMS = (
    split_into_word_set("""
    american british english french german italian spanish russian chinese japanese indian canadian australian
    austrian dutch belgian swiss swedish norwegian danish finnish polish czech hungarian romanian bulgarian
    greek turkish irish scottish welsh portuguese brazilian mexican argentine argentinian chilean colombian
    egyptian israeli iranian iraqi korean vietnamese thai indonesian malaysian filipino pakistani ukrainian
    serbian croatian african asian european western eastern northern southern latin arab jewish christian
    muslim catholic protestant soviet roman byzantine ottoman persian slovak slovenian estonian latvian
    lithuanian icelandic cuban peruvian nigerian kenyan ethiopian moroccan syrian lebanese afghan bosnian
    albanian armenian georgian belarusian kazakh mongolian nepalese maltese austro-hungarian prussian
    taiwanese americans germans russians romans greeks italians spaniards hindu buddhist islamic
""")
    | COUNTRY_BY_ADJECTIVE.keys()
)
TECHNOLOGIES = split_into_word_set("""
    sql python java javascript typescript rust golang c++ c# perl ruby php scala kotlin haskell erlang fortran
    cobol lisp prolog html css xml json yaml http https tcp udp ip linux unix windows macos ios android
    postgresql postgres mysql sqlite mariadb mongodb redis kafka cassandra hadoop spark docker kubernetes git
    graphql grpc oauth jdbc odbc ssl tls
""")
COMPANIES = split_into_word_set("""
    ibm google microsoft amazon apple facebook meta oracle openai nvidia intel netflix twitter yahoo sap
    bbc cnn nasa mit nato unesco acm ieee eu un ucla fbi cia
""")
# Words that are capitalised at the end of a name ("World War II") but never are names themselves.
WORDS_NOT_A_NAME = split_into_word_set(
    "ep lp cd dvd tv fm ad bc ce bce am pm jr sr phd ba bsc msc ma md no vol pp ii iii iv vi vii viii ix xi"
)
# Words after which a connector continues a name: "Association for", "Duke of", and with an intermediate "of"
# "Department of … and".
FOR_HEADS = split_into_word_set("""
    database db edition toolkit connector driver association center centre institute society foundation
    council office committee fund agency
    organization organisation campaign alliance school ministry department programme program union
    party partnership
""")
AND_HEADS = split_into_word_set(
    "department ministry institute journal bureau office college academy school secretary museum organisation"
    " organization"
)
OF_HEADS = split_into_word_set("""
    isle house lord art history theory journal proceedings declaration law university gulf cape age day
    order knight knights duke earl birth death fall rise return lords chamber hall games origin origins states
    speaker board director wars chronicles legend tales master book edge heart story realm transactions tower
    rights statute bill mayor church archdiocese diocese archives bachelor doctor library gallery
    guild register trail wizard curse sea sons daughters gangs blades encounters explosions gates pirates
    raiders guardians masters dogs friends grapes riding baths adventures recognition
    edict
""")
# "Guido van Rossum".
NAME_PARTICLES = split_into_word_set(
    "de del della di da du la le van von der den ter ten bin ibn al el y zu af av dos las los ap"
    " ferch verch bint"
)
# Words that belong to the name before their comma.
NAME_TAILS = split_into_word_set("inc inc. ltd ltd. llc corp corp. co. jr jr. sr sr. gmbh plc")
# Single words that apply to many things and are not names.
WORDS_NEVER_A_NAME = DEMONYMS | ROLES | HONORIFICS | KIND_OF.keys()
# Verbs whose subject is a name even if it is a single word at the beginning of a sentence.
SUBJECT_VERBS = split_into_word_set("""
    is was has had became joined founded created developed wrote said says acquired released released
    announced
    won served married died moved graduated worked works uses supports provides began started led plays played
    replaced introduced invented studied returned lives lived born appeared
    published received runs stores offers owns bought sold built designed
    lies contains includes borders became can does did will
""")
# More verbs of that kind; "Water leaves" shows why there are only few.
FIRM_VERBS = split_into_word_set("""
    let lost shut withdrew plans drops ends cancels sells spun
    quits sues discontinues shuts adds removes gains
""")
NUMBERED_NOUNS = split_into_word_set("""
    section version chapter release figure table part article clause step appendix rule paragraph exhibit item
    issue phase page volume line level point class grade
""")
"""Words before a number that refer to a part of a text, not to a thing."""
# Words allowed between a name and its verb: "Falcon no longer uses".
WORDS_BEFORE_VERB = split_into_word_set("no longer never formerly once")
PERSON_VERBS = split_into_word_set("""
    said says wrote married died studied graduated attended resigned retired argued told believed thought
    taught
    grew moved lived lives sang starred directed painted composed lectured co-founded co-wrote invented
    emigrated
""")
