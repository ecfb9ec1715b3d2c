"""Cities of more than 300,000 people, from GeoNames (geonames.org, CC BY 4.0).

Excluded are names that are frequent surnames, first names or ordinary words, and those of `lexicon.PLACES`.
"""

_NAMES = """
    abeokuta|abidjan|abobo|abomey-calavi|abu dhabi|abuja|abū al-kahṣīb|abū ghurayb|acapulco de juárez|accra|
    adachi|adana|addis ababa|adelaide|aden|ado-ekiti|agadir|agartala|agege|agra|aguascalientes|ahilyanagar|
    ahmedabad|ahvaz|aihara|ajegunle|ajman|ajmer|akashi|akita|akola|akowonjo|aksaray|aktobe|akure|
    al ain city|al aḩmadī|al diwaniyah|al fayyum|al hillah|al hoceïma|al kharj|al khuşūş|al mansurah|
    al maḩmūdīyah|al qadarif|al ḩasakah|al ḩudaydah|al-kut|alanya|albuquerque|aleppo|alexandria|algiers|
    alicante|alimosho|almaty|alor setar|alwar|alīgarh|amagasaki|ambato|ambattur|ambon|amman|amravati|
    amritsar|an nhơn|anaheim|ananindeua|andijon|angeles city|ankang|annaba|anqing|anqiu|ansan-si|anshan|
    anshun|antakya|antalya|antananarivo|antipolo|antofagasta|antwerp|anyang|anyang-si|anápolis|
    aparecida de goiânia|aqsu|ar raqqah|aracaju|ardabīl|arequipa|arifwala|arlington|arusha|arāk|asahikawa|
    ashgabat|asmara|assiut|astana|astrakhan|asunción|aswān|ataşehir|augsburg|aurangabad|aurora|avadi|
    avellaneda|awasa|azcapotzalco|bacolod city|bacoor|bafoussam|bahawalpur|bahir dar|bahçelievler|baicheng|
    baise|bakersfield|baku|balbala|balikpapan|ballari|baltimore|bamako|bamenda|banan|bandar abbas|
    bandar lampung|bandung|bangui|banjarmasin|bannu|banqiao|bao'an|baoding|baoji|baoshan|baotou|barddhamān|
    bareilly|bari|barinas|barnaul|barquisimeto|barranquilla|barueri|basrah|basuo|batam|batikent|batman|
    battagram|bauchi|bauru|bawshar|bayan nur|bazhong|bağcılar|beihai|beira|beirut|bekasi|belagavi|belfast|
    belford roxo|belgorod|bello|belo horizonte|belém|bengaluru|bengbu|benghazi|bengkulu|benguela|benin city|
    benito juarez|benito juárez|benoni|benxi|betim|beylikdüzü|bharatpur|bhatara|bhavnagar|bhawana|bhayandar|
    bhilai|bhilwara|bhiwandi|bhopal|bhubaneswar|bhāgalpur|bhātpāra|bida|bielefeld|bijie|bikaner|bilbao|
    bilimora|bilāspur|bimbo|binzhou|birkenhead|bishkek|bissau|biên hòa|biñan|blantyre|blida|bloemfontein|
    blumenau|boa vista|bobo-dioulasso|bochum|bogor|bogotá|boksburg|bokāro|bologna|bonn|borama|borivli|
    botshabelo|bouaké|bozhou|brahmapur|brakpan|brampton|brasília|bratislava|brazzaville|bremen|brent|brest|
    brisbane|brno|bryansk|bucaramanga|bucheon-si|buda|budta|buenaventura|bujumbura|bukavu|
    bukit rahman putra|bulawayo|bunamwaya|bunia|buraydah|burewala|bursa|busan|butuan|buôn ma thuột|
    bydgoszcz|bình thạnh|bāndarban|bắc giang|bắc từ liêm|bến cát|cabanatuan city|cabimas|cabinda|cabuyao|
    cagayan de oro|calabar|calamba|calgary|cali|callao|caloocan|calumbo|camagüey|camama|camayenne|
    campina grande|campinas|campo grande|campos dos goytacazes|canberra|cancún|cangzhou|canoas|cape town|
    caracas|carapicuíba|cardiff|cariacica|carrefour|cartagena|caruaru|casablanca|catania|caucaia|
    caxias do sul|cazenga|cebu city|celaya|central coast|chak jhumra|chandigarh|changchun|changde|changning|
    changsha|changshu|changwon|changyi|changzhi|changzhou|chaoyang|chaozhou|chattogram|cheboksary|
    chelyabinsk|chengde|chengdu|chennai|chenzhou|cheonan|cheongju-si|cherepovets|chiba|chiclayo|chifeng|
    chihuahua|chimbote|chimoio|chiniot|chinju|chipata|chisinau|chita|chitungwiza|chizhou|chongjin|chongming|
    chongqing|chongzuo|christchurch|chunian|chuxiong|chuzhou|chéngguān qū|chānda|chợ lớn|cibinong|cilegon|
    cimahi|cincinnati|cirebon|ciudad apodaca|ciudad benito juárez|ciudad bolívar|ciudad del este|
    ciudad general escobedo|ciudad guayana|ciudad juárez|ciudad lópez mateos|ciudad nezahualcoyotl|
    ciudad obregón|ciudad victoria|cixi|coatzacoalcos|cochabamba|coimbatore|colombo|colorado springs|
    columbus|comilla|conakry|constantine|constanţa|contagem|corpus christi|corrientes|cotabato|cotonou|
    coventry|coyoacán|cuauhtémoc|cuautitlán izcalli|cuenca|cuernavaca|cuiabá|culiacán|cumaná|curitiba|cusco|
    cuttack|cuíto|córdoba|cúcuta|cần thơ|da nang|dachang|daegu|daejeon|dakar|dalian|daloa|damanhur|damascus|
    damietta|dammam|dandong|daqing|dar es salaam|darnytsya|dasmariñas|datong|davangere|davao|daye|dayrah|
    dazhou|dehradun|delmas|denizli|denpasar|depok|dera ghazi khan|dera ismail khan|desna|deyang|dezhou|
    dhaka|dhanbad|dhule|dhārāvi|diadema|diepsloot|dihok|dingxi|dire dawa|diyarbakır|djibouti|dnipro|
    dniprovskyi|dodoma|doha|dombivali|donetsk|dongguan|dongying|dortmund|douala|dubai|duisburg|dumai|
    duque de caxias|durban|durgapur|dushanbe|düsseldorf|dĩ an|east jerusalem|east london|ebute ikorodu|
    ecatepec de morelos|edmonton|edogawe|el obeid|el paso|elazığ|eldoret|eloy alfaro|emalahleni|ensenada|
    enugu|erbil|erode|erzurum|esenler|esenyurt|eskişehir|eslamshahr|esna|espoo|essen|etobicoke|evaton|
    faisalabad|faridabad|fatih|feira de santana|fenghuang|fengshan|fengxiang|florianópolis|fort worth|
    fortaleza|foshan|franca|frankfurt am main|freetown|fresno|fujisawa|fukuoka|fukuyama|fushun|fuxin|fuyang|
    fuzhou|fīrozābād|ganja|ganzhou|gaomi|gatineau|gaya|gaza|gaziantep|gazipur|gboko|gdańsk|geita|
    general santos|genoa|ghāziābād|gia lâm|gifu|giza|goiânia|gold coast|golfe|goma|gombe|gonder|gorakhpur|
    gothenburg|goyang-si|gqeberha|grajaú|graz|guadalajara|guadalupe|guangyuan|guangzhou|guankou|guarujá|
    guarulhos|guatemala city|guayaquil|guigang|guilin|guiyang|gujangbagh|gujranwala|gujrat|guli|gumi|
    gundupālaiyam|guntur|gurugram|gustavo adolfo madero|guwahati|guyuan|guédiawaye|gwalior|gwangju|
    gwangmyeong|ha'il|hachiōji|hafizabad|hai bà trưng|haikou|haiphong|halifax|hamadān|hamamatsu|
    hamburg-mitte|hamburg-nord|hamhŭng|handan|hangzhou|hannover|hanoi|hanzhong|harare|hargeysa|havana|hebi|
    hechi|hechuan|hefei|hegang|hengshui|hengyang|hermosillo|heroica matamoros|herāt|heshan|heyuan|heze|
    hezhou|higashiosaka|himeji|hirakata|hisar|hlaingthaya|hohhot|hoji ya henda|holguín|homs|homyel'|honchō|
    hong kong island|hongkou|honolulu|howrah|hrodna|hsinchu|huai'an|huaibei|huaihua|huainan|huambo|huancayo|
    huanggang|huangpu|huangshan|huangshi|hubballi|huizhou|huludao|hulunbuir|huocheng|huzhou|hwaseong-si|
    hyderabad|hāthazāri|hŭngnam|iaşi|ibadan|ibagué|ichikawa|ichinomiya|ijebu ode|ikare|ikeja|iksan|ile-ife|
    ilesa|iligan|iligan city|iloilo|ilorin|imus|incheon|indianapolis|indore|ipoh|iquitos|irapuato|irbid|
    irkutsk|iseyin|isfahan|iskandar puteri|islamabad|islington|ismailia|itabashi|itaquaquecetuba|ivanovo|
    iwaki|ixtapaluca|izhevsk|iztacalco|iztapalapa|jabalpur|jaboatão dos guararapes|jacksonville|jaipur|
    jakarta|jalalpur pirwala|jalandhar|jalgaon|jambi city|jammu|jamnagar|jamshedpur|jardim angela|jayapura|
    jeddah|jeju city|jeonju|jepara|jhang sadr|jhānsi|jiading|jiamusi|jiangmen|jiangyin|jianshui|jiaojiang|
    jiaozhou|jiaozuo|jiaxing|jieyang|jijiga|jilin|jinan|jincheng|jingdezhen|jingmen|jingzhou|jinhua|jining|
    jinjiang|jinshan|jinzhong|jinzhou|jiujiang|jiuquan|jixi|jizhou|jodhpur|johannesburg|johor bahru|
    joinville|joão pessoa|juba|juiz de fora|jundiaí|jājmau|jūnāgadh|kabul|kadapa|kaduna|kaesŏng|kafrul|
    kagoshima|kahama|kahramanmaraş|kaifeng|kakamega|kalaburagi|kalemyo|kaliningrad|kalininskiy|kallakurichi|
    kaluga|kalyān|kampala|kampung baru subang|kampung kangkar teberau|kampung larkin lama|kananga|
    kanayannur|kanazawa|kandahār|kano|kanpur|kansas city|kaohsiung|karabağlar|karachi|karagandy|karaj|
    karawang|karbala|karnāl|karol bāgh|karşıyaka|kashan|kashgar|kashiwa|kassala|kasugai|kasur|kathmandu|
    katsina|katsushika|kawagoe|kawaguchi|kawasaki|kayseri|kazan|kediri|keelung|kemerovo|kendari|kenitra|
    kerman|kermanshah|khabarovsk|khamis mushait|kharkiv|khartoum|khartoum north|khorramabad|khorramshahr|
    khulna|kigali|kikolo|kikuyu|kikwit|kima kieza|kimhae|kingston|kingston upon hull|kinshasa|kira|kirkuk|
    kirov|kisangani|kisumu|kita|kitakyushu|kitwe|kluang|kobe|kochi|kolhāpur|kolkata|kollam|kolwezi|kom ombo|
    konak|konya|korba|korhogo|korla|koshigaya|kosti|kota|kota bharu|kota damansara|kota kinabalu|
    kota kuala muda|kotō|koumassi|kowloon|kowloon city|kozhikode|kraków|krasnodar|krasnogvargeisky|
    krasnoyarsk|krugersdorp|kryvyy rih|kuala lumpur|kuala terengganu|kuantan|kuching|kukatpally|kulti|
    kumamoto|kumasi|kunming|kunshan|kupang|kurashiki|kurgan|kurnool|kursk|kurume|kwai chung|kyiv|kyzylorda|
    köln|küçükçekmece|kākināda|kāmārhāti|kāshān|kōriyama|la paz|lagos|lahore|laibin|laiwu|laixi|langfang|
    lanzhou|lapu-lapu city|larkana|las piñas|latakia|latur|laval|leicester|lekki|leshan|lexington|
    lexington-fayette|lhoka|lianshan|lianyungang|liaocheng|liaoyang|libreville|likasi|lilongwe|lima|lincang|
    linfen|linyi|lipetsk|lishui|liupanshui|liuzhou|lobito|logan city|lomé|londrina|long beach|long bien|
    longshan|longyan|loni|loudi|louisville|luancheng|luanda|lubango|lublin|lubumbashi|lucknow|ludhiana|
    luhansk|luohe|luohu district|luoyang|lusaka|luxor|luzhou|lviv|lüliang|macapá|macau|maceió|machida|
    madinah|madurai|madīnat an naşr|maebashi|magnitogorsk|maheshtala|mahilyow|maianga|maiduguri|maipú|
    makassar|makati city|makhachkala|makiyivka|makkah|makurdi|malabon|malacca|malang|malanje|malatya|
    malegaon|malingao|malir cantonment|malmö|maltepe|manado|managua|manaus|mandalay|mandaluyong|
    mandaluyong city|mandaue city|mangaluru|manila|manizales|mannheim|mansilingan|manukau city|maoming|
    maputo|mar del plata|maracaibo|maracay|maradi|mardan|marikina city|maringá|marne la vallée|maroua|
    marrakesh|marseille|masan|maseru|mashhad|masina|matadi|mataram|mathura|matola|matsudo|matsuyama|maturín|
    mauá|mawlamyine|mazatlán|mazār-e sharīf|mbandaka|mbeya|mbuji-mayi|medan|medellín|meerut|meishan|meizhou|
    mek'ele|meknes|mengzi|mersin|mesa|mexicali|mianyang|miguel hidalgo|milwaukee|minato|mingora|minhang|
    minna|minneapolis|minsk|miri|mirpur model thana|misratah|mississauga|mixco|miyazaki|mogadishu|
    mogi das cruzes|mohammadpur|mombasa|monrovia|monterrey|montería|montes claros|montevideo|montréal|
    morelia|morogoro|morādābād|mosul|muar|mudanjiang|mukalla|mukim pulai|mulenvos|multan|muntinlupa|
    muratpaşa|murcia|muscat|muzaffarnagar|muzaffarpur|muzaffarābād|mwanza|mykolayiv|mysuru|málaga|mérida|
    münster|n'djamena|naberezhnyye chelny|nagano|nagasaki|nagoya|nagpur|naha|nairobi|najaf|najafgarh|najrān|
    nakano|nakuru|nam định|namangan|nampula|nanchang|nanchong|nanded|nanjing|nanning|nanping|nanqiao|
    nansana|nantes|nantong|nanyang|nara-shi|narela|nashik|nashville|nasiriyah|natal|natore|
    naucalpan de juárez|navi mumbai|nawabshah|nay pyi taw|nazrēt|ndola|neijiang|neiva|nellore|new cairo|
    new delhi|new kingston|new south memphis|new taipei city|new territories|newcastle|newcastle upon tyne|
    nghi sơn|nha trang|niamey|niigata|nilüfer|ningbo|ningde|nishinomiya|niterói|nizhniy novgorod|
    nizhny tagil|nizāmābād|nottingham|nouakchott|nova iguaçu|nova vida|novokuznetsk|novosibirsk|nowrangapur|
    nuevo laredo|nukus|nuremberg|nyala|obalende|odesa|ogbomoso|ojo de agua|okara|okayama|okazaki|okene|
    oklahoma city|olinda|omaha|omdurman|omsk|ondo|onitsha|oral|oran|ordos|orenburg|orlando|orël|orūmīyeh|
    osaka|osasco|osogbo|ouagadougou|oujda|owerri|padang|palangkaraya|palembang|palermo|pallabi|palmas|
    palmira|palu|panama city|panjin|panshan|panzhihua|paranaque city|parbhani|pasay|pasig city|pasir gudang|
    pasto|patiāla|patna|paulista|pavlodar|pekalongan|pekanbaru|pelentong|pelotas|pengze|penza|percut|perm|
    perth|peshawar|pest|petaling jaya|petare|petrolina|phnom penh|phoenix|pietermaritzburg|pikine|pimpri|
    pimpri-chinchwad|pindi bhattian|pingdingshan|pingdu|pingliang|pingxiang|piracicaba|piura|pizhou|plovdiv|
    pohang|pointe-noire|pokhara|pontianak|popayán|port harcourt|port said|port sudan|port-au-prince|
    port-de-paix|portland|porto alegre|porto velho|portoviejo|posadas|poznań|praia grande|pravyi bereh|
    prayagraj|pretoria|pristina|pucallpa|puchong|pudong|puducherry|puebla|puente alto|puerto la cruz|pune|
    puning|punāsa|putian|putuo|puxi|puyang|pyeongtaek|pyongyang|pétionville|pānihāti|qazvin|qingdao|qingpu|
    qingyang|qingyuan|qinhuangdao|qinzhou|qionghai|qiqihar|qitaihe|qods|quanzhou|queens|quelimane|quetta|
    quezon city|qui nhon|quito|qujing|quzhou|québec|quận mười|quận mười một|rabat|rahim yar khan|raipur|
    rajamahendravaram|rajpur sonarpur|rajshahi|raleigh|ramiros|ranchi|randburg|rangpur|ras al khaimah|
    rasapūdipalem|rasht|rawalpindi|recife|reynosa|ribeirão das neves|ribeirão preto|riga|rio branco|
    riverside|riyadh|rizhao|rohini|rohtak|roodepoort|rosetta|rostov-on-don|rotterdam|ruiru|rustenburg|
    rājkot|rāmgundam|rạch giá|sacramento|sadr city|safi|sagamihara|sahiwal|sahāranpur|saint paul|saitama|
    sakai|salta|saltillo|saltivka|salvador|salé|samara|samarinda|samarkand|samba|samsun|samut prakan|
    san antonio|san josé|san juan|san luis potosí|san miguelito|san pablo|san pedro|san pedro sula|
    san salvador|san-pédro|sanaa|sanandaj|sancaktepe|sandakan|sanhe|sanmenxia|sanming|santa ana|
    santa catarina|santa fe|santa marta|santiago de cuba|santiago de querétaro|santo andré|santo domingo|
    santo domingo este|santo domingo oeste|sanya|sapele|sapporo|sarajevo|saransk|saratov|sargodha|
    sariwŏn-si|saurimo|seeb|sejong|selayang baru utara|semarang|sendai|seongnam-si|serang|serekunda|
    seremban|serra|setagaya|setapak|sevastopol|sevilla|sha tin|shah alam|shahrīār|sham shui po|shangluo|
    shangqiu|shangrao|shangyu|shantou|shanwei|shaoguan|shaoxing|shaoyang|sharjah|shekhupura|shenyang|
    shenzhen|shibganj|shihezi|shijiazhuang|shinagawa|shinjuku|shiqi|shiraz|shivaji nagar|shivamogga|shiyan|
    shizuishan|shizuoka|sholapur|shouguang|shuangyashan|shubrā al khaymah|shuozhou|shyamnagar|shymkent|
    shāhjānpur|sialkot|sikasso|siliguri|simferopol|sinjhoro|siping|situbondo|skopje|smolensk|soacha|sochi|
    sofia|sokoto|soledad|solwezi|songjiang|sorocaba|soshanguve|south boston|south dublin|south tangerang|
    soweto|soyapango|srinagar|staten island|stavropol|subang jaya|suez|suginami|suining|suita|suizhou|
    sukabumi|sukkur|sulaymaniyah|sultanbeyli|sultangazi|sulţānah|sumbawanga|sumgayit|sungai petani|
    sunshine coast|suqian|surabaya|surakarta|surat|surgut|surrey|suwon|suzano|suzhou|swansea|szczecin|
    são luís|são paulo|são vicente|sāngli|tabora|tabriz|tabuk|taguig|taicang|taichung|tainan|taipei|taiyuan|
    taiz|taizhou|takamatsu|takasaki|takatsuki|takeo|takoradi|talatona|tallinn|tamale|taman petaling|tampa|
    tampico|tando allahyar|tando bago|tanga|tangerang|tanggu|tangier|tangshan|tanta|tantou|tanzhou|taoyuan|
    tapachula|taraz|tarlac city|tarsus|tashkent|tasikmalaya|taubaté|tawau|tbilisi|tegucigalpa|tehran|temara|
    teni|tepic|teresina|tete|thanh hóa|the bronx|thembisa|thessaloníki|thiruvananthapuram|thiès|thoothukudi|
    thrissur|thuận an|thái nguyên|thāne|thủ dầu một|thủ đức|tianjin|tianshui|tieling|tijuana|tirana|
    tiruchirappalli|tirunelveli|tiruppur|tlalnepantla|tlalpan|tlaquepaque|tláhuac|toamasina|tokorozawa|
    toluca|tolyatti|tomsk|tonalá|tongchuan|tonghua|tongling|tongshan|torreón|toshima|touba|toulouse|toyama|
    toyohashi|toyonaka|toyota|tripoli|tseung kwan o|tshikapa|tsuen wan|tucson|tuen mun|tula|tulsa|tumkūr|
    tungi|tunis|turin|turmero|tuxtla|tver|tyumen|tétouan|uberaba|uberlândia|udaipur|uijeongbu-si|ujjain|
    ulan bator|ulan-ude|ulanqab|ulhasnagar|ulsan|ulyanovsk|umraniye|umuahia|ust-kamenogorsk|utrecht|
    utsunomiya|uvira|uíge|uşak|vadodara|valladolid|valledupar|vancouver|varanasi|varna|vellore|
    venustiano carranza|veracruz|vereeniging|viana|victoria de durango|vientiane|vijayapura|vijayawada|
    vila velha|villa nueva|villahermosa|villavicencio|vilnius|vinh|vinnytsya|virginia beach|virār|
    visakhapatnam|vitebsk|vitória|viña del mar|việt trì|vladikavkaz|vladivostok|volgograd|vologda|volzhsky|
    voronezh|várzea grande|vũng tàu|wad medani|wafangdian|wah cantt|wakayama|wandsbek|wanning|wanxian|
    wanzhou|warangal|warder|warri|weifang|weihai|weinan|welkom|wellington|wenchang|wenshan city|wenzhou|
    west jerusalem|west raleigh|wichita|windhoek|winejok|winnipeg|wong tai sin|wrocław|wuhan|wuhu|wuppertal|
    wuwei|wuxi|wuzhong|wuzhou|wŏnju|wŏnsan|xalapa de enríquez|xiamen|xiangtan|xiangyang|xianning|xianyang|
    xiaogan|xichang|xico|xilinhot|xingtai|xingyi|xining|xinxiang|xinyang|xinyi|xinyu|xinzhou|xochimilco|
    xuancheng|xuanhua|xuchang|xuhui|xuzhou|ya'an|yancheng|yangjiang|yangon|yangpu|yangquan|yangsan|yangshuo|
    yangzhou|yanji|yantai|yaoundé|yaroslavl|yazd|yekaterinburg|yenagoa|yerevan|yibin|yichang|yichun|
    yinchuan|yingkou|yiwu|yixing|yogyakarta|yokkaichi|yokohama|yokosuka|yola|yongji|yongzhou|yueyang|yulin|
    yuncheng|yunfu|yunlong|yunusobod|zagazig|zagreb|zahedan|zamboanga|zanjan|zanzibar|zaozhuang|zapopan|
    zaporizhzhya|zaragoza|zaria|zarqa|zhabei|zhangjiagang|zhangjiajie|zhangjiakou|zhangye|zhangzhou|
    zhanjiang|zhaoqing|zhaotong|zhengzhou|zhenjiang|zhongshan|zhongwei|zhoukou|zhoushan|zhu cheng city|
    zhucheng|zhuhai|zhumadian|zhuzhou|zibo|zigong|zinder|ziyang|zunyi|zürich|álvaro obregón|çankaya|ürümqi|
    üsküdar|āsansol|đống đa|łódź|ōita|ōtsu|şanlıurfa|şişli|ţarţūs|ḩamāh
"""
CITIES = frozenset(name.strip() for name in _NAMES.replace("\n", "").split("|"))
