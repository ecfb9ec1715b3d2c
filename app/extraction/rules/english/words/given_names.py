"""First names that are frequent in the 1990 census of the United States (public domain), and others of the
world.

They indicate a person only at the beginning of a name of several words, since many are words or places as
well.
"""

from app.domain.scoring.stop_words import word_set
from app.extraction.rules.english.words.world_names import WORLD_NAMES

_OF_THE_CENSUS = word_set("""
    abbie abby abel abigail abraham addie adela adeline adolfo adolph adriana adrianne adrienne agnes agustin
    aida aileen aimee aisha alana alberta alberto alejandra alejandro alexis alfonso alfreda alfredo ali
    alicia aline alisa alisha alissa allan allene allie allison allyson alma alonzo alphonso althea alton
    alvaro alvin alyce alyson alyssa amalia amanda amelia amie amos amparo anastasia andre andres angelia
    angelica angelina angeline angelique angelita angelo angie annabelle annette annie annmarie antionette
    antoine antoinette anton antonia araceli archie arleen arlene arline armand armando arnold arturo ashlee
    ashleigh ashley aubrey audra audrey aurelia austin ava avery barbra bart beatrice beatriz becky belinda
    benita benito bennie benny bernadette bernadine bernardo bernice bert berta bertha bertie beryl bessie
    beth bethany betsy bette bettie betty bettye beulah beverley beverly bianca billie billy birdie blaine
    blake blanca blanche bobbi bobbie bonita bonnie boyd bradford bradley brady brain brandi brandie brandon
    brandy brenda bret brett briana brianna bridget bridgett bridgette brigitte britney brittany brittney
    brooke bruno bryan bryant bryce bryon burton byron caitlin caleb callie calvin cameron camilla camille
    candace candice candy cara cari carissa carla carlene carlton carly carmela carmella carole carolyn carrie
    carroll cary caryn casandra casey cassie catalina cathleen cathryn cathy catrina cecelia cecil cecile
    cecilia cedric celeste celia celina cesar chad chandra charlene charmaine chasity chelsea chelsey cheri
    cherie cherry cheryl chester christa christi christie christy chrystal cindy clara clare clarence clarice
    clarissa clark claudette claudia claudine clayton cleo clifford clifton clint clinton clyde cody coleen
    colette colleen concepcion concetta connie conrad constance consuelo cora corey corina corine corinne
    cornelia cornelius corrine cortney cory courtney coy cristina curt curtis cynthia damian damien damon dana
    dane danielle danny dante daphne darcy darin darius darla darlene darnell darrel darrell darren darrin
    darryl darwin daryl davis dayna deana deann deanna deanne debbie debby debora debra deena deidra deidre
    deirdre delbert delia delilah della delma delores deloris demetria demetrius dena denice denis denise
    denny derick derrick desiree desmond dessie devin devon dewayne dewey dexter diann dianna dianne diego
    dina dion dionne dixie dollie dolly dolores domingo dominic dominick dominique don dona donnell donnie
    donovan dora doreen doretha doris dorothea dorothy dorthy dottie doyle drew duane dudley dustin dwayne
    dwight dylan earl earlene earline earnest earnestine eddie eddy edith edmond edna eduardo edwina edythe
    effie efrain elbert elda eldon eleanor eleanore eli elia elias elida elijah elinor elisa elisabeth elise
    elisha eliza ella elliot elliott ellis elma elmer elnora eloise elsa elsie elton elva elvia elvin elvira
    elvis elwood emanuel emery emil emilia emilie emilio emmanuel emmett enid enrique erica erick ericka erika
    erin erma erna ernestina ernestine ernesto ernie ervin erwin esmeralda esperanza essie esteban estela
    estella estelle esther ethan ethel etta eugenia eula eunice evangelina evangeline evelyn everett fabian
    fannie fanny fatima fay faye federico felecia felicia felipe fernando flora florine flossie floyd forrest
    fran francesca francine francisca francisco frankie freda freddie freddy fredrick freida frieda gabriel
    gabriela gabrielle gail garrett garry gavin gayla gayle gena genevieve georgette georgina geraldine gerard
    gerardo geri germaine gerry gertrude gilberto gilda gladys glenda glenn glenna gloria gonzalo gracie
    graciela grady gregg gregorio greta gretchen griselda guillermo gussie gustavo gwen gwendolyn haley hallie
    hannah harlan harriet harriett harrison harvey hattie heidi helena helene helga henrietta heriberto herman
    herminia hester hilary hilda hillary hiram hollie horace hubert humberto ida ilene imelda imogene ina ines
    inez iola ira irma irvin irving isabella isabelle isaiah ismael issac iva jackie jacklyn jaclyn jacqueline
    jacquelyn jacquline jaime jake jamal jami jana janell janelle janette janice janie janine janis janna
    jannie jaqueline jared jarrod jarvis jasmin jasper javier jayne jayson jeanette jeanie jeanine jeanna
    jeanne jeannette jeannie jeannine jeffery jeffry jena jenifer jenna jennie jenny jerald jeremiah jeri
    jermaine jerome jerri jess jesse jessie jillian joann joanna joanne joaquin jocelyn jodi jodie jody joesph
    joey johanna johnathan johnnie johnny jolene jonathon joni jorge josefa josefina josephine josh josie
    joyce juana juanita judi judy juliana julianne juliet juliette julio julius justin justina justine kaitlin
    kaitlyn kara kari karin karina karla karyn kasey katelyn katharine katheryn kathi kathie kathrine kathy
    katie katina katrina katy kay kaye kayla keisha kelley kelli kellie kelly kelsey kelvin kendall kendra
    kendrick kenny kent keri kermit kerri kerry kimberlee kimberley kimberly kirk kirsten kris krista kristen
    kristi kristie kristin kristina kristine kristopher kristy krystal krystle kyle lacey lacy ladonna
    lakeisha lakesha lakisha lamar lamont lana lance lara lashonda latanya latasha latisha latonya latoya
    latrice lauren laurence laurie laverne lavonne lawanda lea leah leann leanna leanne leeann leigh leila
    lela leland lelia lena lenora lenore leola leona leonardo leonor leroy lesa lesley lessie lester leta
    letha leticia letitia levi libby lidia lila lilia lilian liliana lillian lillie lilly lina lindsay lindsey
    lionel liza lizzie lloyd logan lola lolita lonnie lora loraine loren lorena lorene lorenzo loretta lori
    lorie lorna lorrie lottie louella louie louisa lowell loyd luann lucia lucile lucille lucinda luella luisa
    lula lupe luther luz lydia lynda lynette lynne lynnette mabel mable madeleine madeline madelyn madge
    magdalena maggie mai malcolm malinda mallory mamie manuel manuela mara marcella marci marcia marcie marco
    marcos marcus marcy margarita margery margie margo margot margret marguerite mari marian mariana marianne
    maribel maricela marietta marilyn mario marisa marisol marissa maritza marjorie marla marlene marlin
    marlon marquita marsha marshall marta martina marty marva maryann maryanne marybeth maryellen marylou
    mathew matilda mattie maude maudie maura maureen mauricio maurine mavis maxine maxwell maynard mayra
    meagan megan meghan melanie melba melinda melisa melissa mellisa melva melvin meredith mia micah michaela
    micheal michele michell mildred millard millicent millie milton mindy minerva minnie miranda miriam
    mitchell mitzi moises mollie molly mona monika monique monte monty morris moses muriel murray myra myrna
    myron nadia nadine nanette nannie naomi natalia natalie natasha nathaniel neal nelda nell nellie nelly
    nettie nichole nickolas nikki nina nita noe noel noelle noemi nola nolan nona nora norbert noreen norma
    norris octavia odell ofelia olivia ollie omar ophelia orville otis owen pablo paige pam pamala patrica
    patrice patsy patti patty paula paulette pauline pearlie peggy penelope percy perry pete phoebe phyllis
    pierre preston priscilla quentin quincy quinton rachael rachelle rae rafael ramiro ramon ramona randal
    randall randi randolph randy raphael raquel raul reba rebeca rebekah reggie reginald rena renae renee
    retha reuben reva rex reyna reynaldo rhoda rhonda ricardo rickey rickie ricky rigoberto riley robbie
    roberta robyn rocco rochelle rocio roderick rodger rodolfo rodrigo rogelio rolando ronda ronnie roosevelt
    rory rosalee rosalia rosalie rosalind rosalinda rosalyn rosanna rosanne roscoe roseann rosella rosemarie
    rosemary rosie roslyn rowena roxanne roxie royce ruben rudolph rudy rufus russel ruthie sabrina sadie
    sallie salvatore samantha sammie sammy sasha saul saundra scot scotty selena selina serena sergio seth
    shana shane shanna shannon shari sharlene sharron shaun shauna shawn shawna sheena sheila sheldon shelia
    shelley shelly sheree sheri sherri sherrie sherry sheryl shonda silvia simone sondra sonia sonja sonya
    spencer stacey staci stacie stacy stan stefanie stella stephan susana susanna susanne susie suzanne
    suzette sybil sylvester tabatha tabitha tamara tameka tamera tami tamika tammi tammie tammy tamra tania
    tanisha tanya tara taryn tasha taylor terence teresita teri terrance terrell terrence terri terrie tessa
    thaddeus thelma theodora therese thurman tia tiffany tillie timmy tina tisha toby todd tomas tommie tommy
    toni tonia tonya tori tracey traci tracie tracy travis trent treva trevor tricia trina trisha trudy twila
    tyler tyrone tyson ulysses ursula valarie valeria valerie vance vanessa vaughn velma vern verna veronica
    vicente vicki vickie vicky vilma vince viola virgie virgina vivian vonda wallace wanda wendell wendi
    wesley whitney wilbert wilbur wilda wiley wilfred wilfredo wilhelmina willa willard williams willie willis
    wilma wilson winifred winnie woodrow xavier yesenia yolanda yvette yvonne zachary zelda zelma
""")
FIRST_NAMES = _OF_THE_CENSUS | WORLD_NAMES
