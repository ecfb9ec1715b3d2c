"""First names that almost only women or almost only men have; they exclude "he" or "she"."""

from app.domain.scoring.stop_words import word_set

WOMEN = word_set("""
    ada adele agnes aileen aisha alana alexandra alice alicia alison allison alma amalia amanda amelia amy
    ana anastasia andrea angela angelica angelina anita ann anna annabelle anne annette annie astrid audrey
    aurelia barbara beatrice becky belinda bernadette bertha beth bethany betsy betty bianca birgit bonnie
    brenda bridget brigitte brittany camilla candace carla carmen carol carole carolina caroline carolyn
    catherine cecilia celeste celia charlene charlotte chloe christina christine cindy claire clara clare
    claudia colette connie constance cora cordelia cornelia cynthia daisy daniela daniella daphne deborah
    delia denise diana diane dolores donna dora doris dorothea dorothy edith edna eileen elaine eleanor elena
    eliza elin elisa elisabeth elise elizabeth ella ellen eloise elsa elsie emilia emily emma erica erika
    esther ethel eugenia eunice eva evelyn fatima faye felicia fiona flora florence frances francesca
    francine freda frida frieda gabriela gabrielle genevieve georgina geraldine gertrude gina giulia gladys
    gloria grace greta gretchen gudrun hannah harriet hazel heather hedwig heidi helen helena helene
    helga henrietta hilda ida ilse imogen ines inga ingeborg ingrid irene iris irma isabel isabella isabelle
    ivy jacqueline jane janet janice jasmine jean jeanette jeanne jenna jennifer jenny jessica jill joan
    joanna joanne johanna josefina josephine joyce juanita judith judy julia juliana julie juliet justine
    karen karin karina kate katharina katharine katherine kathleen kathryn kathy katie katrin katrina
    kimberly kirsten kristen kristin kristina lara laura lauren lea leah leila lena leonora leticia lidia
    lilian liliana lillian lily lina linda lisa liv liz liza lois lola lorena loretta lorraine louisa louise
    lucia lucille lucinda lucy luisa lydia lynne mabel madeleine magdalena maggie maja margaret margarita
    margot marguerite maria mariam mariana marianne marie marilyn marina marjorie marlene marta martha
    martina mary matilda maud maureen maxine melanie melissa mercedes mia michelle mildred miranda miriam
    molly mona monica monika muriel myra nadia nadine nancy naomi natalia natalie natasha nellie nicole nina
    nora norma octavia odette olga olivia olympia ophelia pamela patricia paula pauline peggy penelope petra
    philippa phoebe phyllis priscilla rachel ramona raquel rebecca regina renata rita roberta rosa rosalie
    rosalind rosanna rose rosemary roxanne ruth sabina sabrina sally samantha sandra sara sarah selma
    serena sharon sheila shirley sibyl signe sigrid silvia simone sofia solveig sonia sonja sophia sophie
    stella stephanie susan susana susanna susanne suzanne sylvia tamara tanja tanya tatiana teresa tessa
    thelma theresa therese tilda tina ulrike ursula valentina valeria vanessa vera veronica victoria
    viola violet virginia vivian wanda wendy wilhelmina wilma winifred yolanda yvette yvonne zelda zoe
""")
MEN = word_set("""
    aaron abraham adam adolf adrian ahmed alan albert alberto alejandro alfonso alfred allan andre andreas
    andrei andrew andy angelo anthony anton antonio archie arnold arthur august austin barack ben benito
    benjamin bernard bernhard bill bjarne bob boris brad bradley brandon brendan brian bruce bruno bryan
    byron caleb carl carlos cedric cesar charles charlie chester christian christoph christopher claude
    clifford clinton clyde colin conrad craig curtis cyril dale damian dan daniel darren dave david dean
    dennis derek dick diego dieter dirk dmitri dominic don donald douglas duncan dwight earl eberhard eddie
    edgar edmund eduardo edward edwin elias elijah elliott elmer emanuel emil emilio enrique eric erik ernest
    ernesto ernst ervin ethan eugene fabian federico felipe felix ferdinand fernando floyd francisco francois
    frank franklin franz fred frederick fredrik friedrich fritz gareth garry gary geoffrey george georg gerald
    gerard gerhard gilbert giovanni giulio giuseppe gordon graham greg gregory guido guillermo gunnar gunther
    gustav guy harald harold harry harvey hassan hector heinrich heinz helmut hendrik henri henrik henry
    herbert herman hermann homer horace horst howard hubert hugh hugo humphrey ian ibrahim igor isaac ismail
    ivan jack jacob jacques jake jakob james jan jared jason javier jeff jeffrey jens jeremiah jeremy jerome
    jerry jim jimmy joachim joe joel johan johann johannes john johnny jon jonas jonathan jorge jose josef
    joseph joshua josip juan julio julius jurgen justin karl keith ken kenneth kevin kirk klaus konrad kurt
    kyle lars laurence lawrence leif leo leon leonard leonardo leopold leroy linus lloyd lorenzo lothar louis
    lucas ludwig luigi luis luka lukas luke luther magnus malcolm manfred manuel marc marcel marco marcos
    marcus mario mark markus marshall martin marvin mathew matt matthew matthias maurice max maximilian
    maxwell michael miguel mike milan milton mohamed mohammed muhammad mustafa nathan nathaniel neil nelson
    nicholas nick nicolas niels nigel nikolai nikolaus nils noah norbert norman olaf olav ole oleg oliver omar
    oscar oskar oswald otto owen pablo patrick paul pedro percy peter phil philip philippe pierre rafael ralph
    ramon raphael raul raymond reginald rene ricardo richard rick robert roberto rodney rodrigo roger roland
    rolf roman ron ronald ross roy rudolf rudolph rudyard rupert russell samir samuel scott sean sebastian
    sergei sergey sergio seymour siegfried sigmund simon spencer stanley stefan stephan stephen steve steven
    stewart stuart sven tariq ted terrence theodor theodore thomas thor tim timothy tobias todd tom tomas
    tommy tony torsten travis trevor ulf ulrich uwe valentin vernon victor viktor vincent vladimir walter
    warren wayne werner wilbur wilhelm will william willy winston wolfgang xavier yann yuri zachary
""")
TITLES_OF_WOMEN = word_set("mrs ms miss dame lady queen princess empress duchess baroness countess sister")
TITLES_OF_MEN = word_set("mr sir lord king prince emperor duke baron count father brother earl pope")
"""Titles before a name, which are more certain than the name."""
