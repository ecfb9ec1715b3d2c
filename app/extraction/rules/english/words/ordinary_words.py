"""Ordinary words that, capitalised and alone, are mostly a piece of a longer name or of a table.

Words that are names of programs, papers, companies and teams are excluded: "Windows", "Nature".
"""

from app.domain.scoring.stop_words import word_set

ORDINARY = word_set("""
    academics accident accounts actions acts addresses administration advent adventure affairs agreement
    agriculture alternative amateur ambassadors anniversary appeal appeals applied approach architecture
    artist artists arts assembly assistance assistants association associations athlete athletics
    audience authors autonomy aviation award awards band bands banking banks base baseball basketball
    battalion battles beach beauty beginning belt biography biology birds bishops books border
    boundaries boxing branch bridges brigade broadcasting brothers budget building buildings business
    businesses cabinets campaigns capital captains cases categories category cathedrals causes cavalry
    celebration cells census centre ceremonies ceremony chairs challenge chamber chambers champion
    champions chapters characters charity charts chemistry children choice churches cinema circle
    circuit citizens citizenship classes classics clergy climate clubs coal coalition coasts codes
    coffee collections colonies colony colors columns comedies comedy commerce commission commissioners
    committees commons communications community companies competitions composers computers concerto
    concerts conferences conflicts congregations consumer continents contract contracts corps costs
    council councils counties countries country courthouse courts creation cricket crime crown cultural
    culture currency customs cycling dance darkness daughters days dead death deaths debut decades
    decree defeat defence defense delegates democracy democrats departments deputies dictionary
    diplomacy direction directions directors disasters discipline discovery diseases districts divisions
    doctors documentaries documentary double drama dream dreams driver drivers drummers duchy duration
    dynasties economics economy editing edition editions editor education elections electricity elements
    emperors empires employment enemies energy engineering engineers entertainment environment episodes
    equality estate estates events executives exercise exhibitions expansion exports facilities faculty
    families farm farmers farms fashion fate fathers feature features federations festivals fiction
    field fields films finance finances fire fish fishing flight floods flowers folk food foods football
    forces foreign forests formation forum foundations freedom friends friendship frontier fuel funds
    gallery games garden gardens gas gates gathering generals generation genre genres geography geology
    girls glory goal goals gods gold golf goods governance governments governors grass grounds groups
    growth guard guards guests guide guilds gymnastics halls handball happiness harbors health heart
    hearts heaven hell heritage highways hills historians history hockey holiday holidays home homes
    honor honors honour honours hope hospitals hotels hours household houses housing humanities hunters
    hunting identity illness image immigration impact imports income independence indicators industries
    industry infantry information infrastructure inhabitants innovation instruments insurance
    intelligence interest interests internal introduction investment islands issues items jazz jewels
    jobs journalism journalists journals journey judges jury justice kingdoms kitchen knowledge labour
    lakes lands language languages laws lawyers leaders leadership league leagues learning lecture
    legends legislation legislature letters libraries lieutenants lightning lineage lines lineup list
    lists literature logistics longevity lords machines magazines mainland majesty majority management
    manufacturing maps maritime market marketing markets marriage mathematics matters mayors meadows
    measures medals media medicine meeting meetings memorial memory merchants merit metropolitan midwest
    migration miles military mines mining ministers ministries minority missionaries missions mixed
    monarch monarchy money monks monuments mothers motors mountains movements movies municipalities
    murder museums musician musicians mysteries mystery mythology nationality nations navigation
    neighborhoods newspapers nights nobility nominations northeast northwest novels numbers nurses
    occupation oceans offices officials operations opinions oratory orchestras orders organizations
    origin origins orphans painters painting paintings palaces papers parents parishes parks parties
    partners patients patriarch peace peaks peasants peninsula performance performers permanent
    personnel petition philosophy photography physics pianists pictures pilgrims pioneers places plains
    planets plants players plays pleasure poems poetry poets police policies policy politicians politics
    ponds pool pope popes population ports post poverty power powers practice prayer precinct premier
    presidency presidents press priests primary princes prison prisoners prizes problems producer
    producers production productions products professors profile programmes programs projects promotion
    property prophecy prophets prosperity protection provinces psychology publications publishers
    publishing quest race racing radio railroads railways recognition reconstruction recording
    recordings records recreation reference reform reforms refugees regatta regiment regions registry
    relations relief remix rent representative representatives republican research residence residents
    resistance resorts resources responsibility resurrection retail retired returns revenue revision
    revival rice rights rivers roads role roles romance rooms roots routes rowing royalty rugby rulers
    rules sailors sales sanctuary scholars schools science sciences sculpture seas seasons secret
    secretaries secrets security senators seniors series service services settlement settlers shadows
    shipping ships shooting shop shops shows sisters skating skiing sky slavery snow soccer societies
    softball soldiers solo songs sons soprano souls sources southeast southwest sovereign spaces species
    speech speed sport sports stage stages stations status steel stock stones stories strategy streams
    streets strength strings struggle students studies style subjects suburbs suites superstar support
    supreme surface surgery survey survivors swimming sword swords teachers tears technologies
    telecommunications television tenor terminal terminals territories terror texts theaters theatres
    theology theories things thoughts thrones titles touring tourism tower towers towns townships trade
    trades traditions trail trails training trains transit translation transport transportation
    treasures treaties trees trials tribes tribute triumph truth tunnels twins undersecretary unions
    unit units unity universe utilities valleys vampires vehicles version victims victories victory
    video villages villains violence virtue visitors vocals voices volleyball volume voters walls
    warfare wars waste waterfalls waters waves ways weapons weather weddings weeks welfare wildlife
    winds wine wings winner winners winter wisdom witness wives wizards wonders woods words workers
    works workshop worlds worship wrestling writers writing years youth zone zones
""")
"""In quotation marks each of them is a title nevertheless."""
