"""First names of other parts of the world in English spelling, collected by hand; none is an English word or
a place.

They are treated like those of the census (`given_names.py`).
"""

from app.domain.scoring.stop_words import word_set

WORLD_NAMES = word_set("""
    aarav abdul abdullah abebe adebayo aditya ahmad ahmed ajay akash akbar akiko akira akshay aleksander
    aleksandr aleksei alexei alexey amin amina amir amit amitabh anand ananya anatoly andrzej anil anjali
    ankit anneke annika anupam anwar aparna arif arjun arkady arne asbjørn ashok ashwin asif astrid aziz
    babajide bashir bengt bilal birgit birgitta bjorn björn bogdan branko cees cemal chidi chihiro chinua
    chinwe daisuke danuta dariusz darya deepak deepika devika dhruv dieter dimitri dinesh divya dmitri
    dmitry dragan eero eiji einar elif elin emeka emiko emre erling espen fabrizio fahad faisal farhad farid
    fatima fatma federico femi francesca francesco françois frederik friedrich fumiko fyodor gaurav gautam
    geeta gennady georgi georgios gerhard giacomo gianni giorgio giorgos giovanni girish giulia giuseppe
    gopal goran govind grigory grzegorz guillaume guillermo gunnar göran gösta günter günther habib hakan
    halina hamid hamza hannes harald harish haroon haruka haruki hasan hassan heikki heinz helga helmut
    hemant henrik hervé hideki hideo hiroko hiroshi holger hussein håkan ibrahim ichiro ilya imran indira
    ingmar ingvar ioannis ishaan ismail ivana jaap jadwiga jagdish jalal janusz jaroslav javed jayant jens
    jerzy johan johann johannes josef jovan joão juhani jukka junichi jyoti jérôme jürgen kamran kaori karin
    karthik katarzyna kateryna katrin kavita kazuo keiko kemal kenichi kenji kentaro khaled khalid kishore
    kjell klaus knut kofi koji konstantin konstantinos krzysztof kwame kwesi laila lakshmi lalit lars lasse
    layla leif leila lennart leonid lorenzo luca ludmila luigi lukas lyudmila maciej madhav madhuri magnus
    mahesh mahmoud mahmud makoto maksim malgorzata mamadou manfred manish manoj marek margit marit maryam
    masahiro masao masato massimo mateusz matteo matthias matti meera mehdi mehmet michiko mikael mikhail
    mikkel mikko milos miroslav mitsuko mohamed mohammad mohammed mohan moussa muhammad mukesh murat mustafa
    mykola nandini naoko narendra nasir nasser naveen neha ngozi nikhil nikola nikolai nikolaos nikolay nils
    nisha nitin nnamdi noriko oksana olaf olav oleg oleksandr olena orhan osamu oskar osman oumar ousmane
    paavo pankaj paolo parviz pavel pekka petar petr petra petros philippe pierre pietro piotr pooja prakash
    pramod pranav prashant pratibha preeti priya priyanka qasim rachid radha radoslav rafiq raghu rahim
    rahul rainer raj rajat rajesh rajiv rakesh ramesh rashid ravi ravindra reidar reinhard rekha reza ritu
    rohan rohit rolf ruslan ryota sachiko sachin saeed saleh salim salman samir samira sandeep sangeeta
    sanjay sanjeev santosh sarita sarojini satish satoshi sekou sergei sergey shankar shashi shigeru shinji
    shinzo shoko shreya shruti siddharth sigrid sigurd slobodan sneha snezana solveig stanislav stanislaw
    stefan stefano subhash sudhir sumiko sunil sunita suresh sushil svein sven svetlana swati søren tadashi
    tadeusz takashi takeshi takumi tanvi tapio tariq tatiana tatyana tendai terje tetsuo thabo thierry
    thorsten tomasz tomoko torsten toshio trygve tuomas uday usha usman uwe vadim varun vasilis vasily
    venkatesh vidya vijay vikas vikram viktor vinay vincenzo vineet vinod vishal vitaly vittorio vivek
    vladimir vladislav volodymyr waleed walther werner wilhelm willem wojciech wole wolfgang yaroslav yasin
    yasmin yasuo yelena yevgeny yogesh yoko yoshiko yoshio yousef yuji yuki yukiko yuko yumi yuri yusuf yves
    zahra zainab zanele zbigniew zeynep zoran
""")
