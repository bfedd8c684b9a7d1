/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row for each language: the words for 0 to 20, for 30 to 90, for hundred and thousand, and
 * those that join two ("and"). Words are separated by spaces; "|" stands between two words for
 * one number, "-" where there is none. "?" after a word: it is an everyday word, too, and
 * counts in some readings only. All words are folded by glyph_write() when the program starts,
 * so accents and case mean nothing here, and kept in a hash table of 43 KB.
 */
#include "text/number_word.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/glyph.h"

enum {
	WORD_BYTES = 40,
	SLOTS = 4096, /* a power of two, twice as many as there are words */
	ENTRIES_MOST = 2048,
	TEXT_BYTES_MOST = 16384,
	BEGINNINGS = 512,
	TENS_AT = 20, /* the words for 20, 30, ... 90 */
	TENS_MOST = 28,
	HUNDRED_AT = TENS_MOST,
	THOUSAND_AT,
	AND_AT,
	TWICE_AT,
	THRICE_AT,
};

static const char *const languages[] = {
	/* English */
	"zero|oh|null|nil|nought|naught|zip one? two three four five six seven eight "
	"nine|niner ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
	"eighteen "
	"nineteen twenty thirty forty|fourty fifty sixty seventy eighty ninety "
	"hundred|hundreds thousand|thousands and double|twice triple|thrice",
	/* German */
	"null|nul eins|ein?|eine? zwei|zwo drei vier fünf|fuenf|funf sechs|sech "
	"sieben|sieb "
	"acht neun zehn elf zwölf|zwoelf dreizehn vierzehn fünfzehn|fuenfzehn sechzehn "
	"siebzehn achtzehn neunzehn zwanzig dreißig|dreissig|dreizig vierzig "
	"fünfzig|fuenfzig sechzig siebzig achtzig neunzig hundert tausend und doppel "
	"dreifach",
	/* French */
	"zéro un?|une? deux trois quatre cinq six sept huit neuf dix onze douze treize "
	"quatorze quinze seize dix-sept|dixsept dix-huit|dixhuit dix-neuf|dixneuf "
	"vingt|vingts trente quarante cinquante soixante septante "
	"quatre-vingt|quatre-vingts|quatrevingt|quatrevingts|huitante|octante nonante "
	"cent|cents mille et? double triple",
	/* Spanish */
	"cero uno|una?|un? dos tres cuatro cinco seis siete ocho nueve diez once doce "
	"trece "
	"catorce quince dieciséis diecisiete dieciocho diecinueve veinte|veinti treinta "
	"cuarenta cincuenta sesenta setenta ochenta noventa cien|ciento|cientos|cientas "
	"mil y? doble triple",
	/* Italian */
	"zero uno|una?|un? due tre quattro cinque sei? sette otto nove dieci undici "
	"dodici "
	"tredici quattordici quindici sedici diciassette diciotto diciannove venti|vent "
	"trenta|trent quaranta|quarant cinquanta|cinquant sessanta|sessant "
	"settanta|settant ottanta|ottant novanta|novant cento|cent mille|mila e? doppio "
	"triplo",
	/* Portuguese */
	"zero um?|uma? dois|duas três quatro cinco seis|meia? sete oito nove dez onze "
	"doze "
	"treze catorze|quatorze quinze dezesseis|dezasseis dezessete|dezassete dezoito "
	"dezenove|dezanove vinte trinta quarenta cinquenta|cinqüenta sessenta setenta "
	"oitenta noventa cem|cento|centos mil e? dobro triplo",
	/* Dutch */
	"nul een?|één? twee drie vier vijf zes zeven acht negen tien elf twaalf dertien "
	"veertien vijftien zestien zeventien achttien negentien twintig dertig veertig "
	"vijftig zestig zeventig tachtig negentig honderd duizend en?|ën dubbel "
	"driedubbel",
	/* Polish */
	"zero jeden|jedna|jedno dwa|dwie trzy cztery pięć sześć siedem osiem dziewięć "
	"dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście "
	"siedemnaście osiemnaście dziewiętnaście dwadzieścia trzydzieści czterdzieści "
	"pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt "
	"sto|set tysiąc|tysiące|tysięcy i? "
	"podwójne|dwukrotnie "
	"potrójne",
	/* Turkish */
	"sıfır bir? iki üç dört beş altı yedi sekiz dokuz on? onbir oniki onüç ondört "
	"onbeş "
	"onaltı onyedi onsekiz ondokuz yirmi otuz kırk elli altmış yetmiş seksen doksan "
	"yüz "
	"bin ve? çift üçlü",
	/* Russian */
	"ноль|нуль один|одна|одно два|две три четыре пять шесть семь восемь девять "
	"десять "
	"одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать "
	"семнадцать "
	"восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят "
	"семьдесят "
	"восемьдесят девяносто сто|сот тысяча|тысячи|тысяч и? дважды трижды",
	/* Russian in Latin letters */
	"nol|nul odin|odna dva|dve tri chetyre|cetyre pyat|piat shest|sest sem vosem "
	"devyat|"
	"deviat desyat|desiat odinnadtsat dvenadtsat trinadtsat chetyrnadtsat "
	"pyatnadtsat "
	"shestnadtsat semnadtsat vosemnadtsat devyatnadtsat dvadtsat tridtsat sorok "
	"pyatdesyat "
	"shestdesyat semdesyat vosemdesyat devyanosto sto|sot tysyacha|tysyachi|tysyach "
	"- - -",
	/* Ukrainian */
	"нуль один|одна два|дві три чотири п'ять|пять шість сім вісім дев'ять|девять "
	"десять одинадцять дванадцять тринадцять чотирнадцять п'ятнадцять шістнадцять "
	"сімнадцять вісімнадцять дев'ятнадцять двадцять тридцять сорок п'ятдесят "
	"шістдесят "
	"сімдесят вісімдесят дев'яносто сто|сот тисяча|тисячі|тисяч і? двічі тричі",
	/* Hungarian */
	"nulla egy? kettő|két három négy öt hat? hét nyolc kilenc tíz|tizen tizenegy "
	"tizenkettő "
	"tizenhárom tizennégy tizenöt tizenhat tizenhét tizennyolc tizenkilenc "
	"húsz|huszon "
	"harminc negyven ötven hatvan hetven nyolcvan kilencven száz ezer és? dupla "
	"tripla",
	/* Swedish, Norwegian, Danish */
	"noll|null|nul ett|en?|et? två|to?|tva tre fyra|fire fem sex|seks sju|syv "
	"åtta|åtte|"
	"otte nio|ni tio|ti elva|elleve|ellve tolv tretton|tretten fjorton|fjorten "
	"femton|femten sexton|seksten|sejsten sjutton|sytten arton|atten nitton|nitten "
	"tjugo|tjue|tyve trettio|tretti|tredive fyrtio|førti|fyrre "
	"femtio|femti|halvtreds "
	"sextio|seksti|tres sjuttio|sytti|halvfjerds åttio|åtti|firs "
	"nittio|nitti|halvfems "
	"hundra|hundre|hundrede tusen|tusind och?|og? dubbel|dobbel trippel",
	/* Finnish */
	"nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen "
	"yksitoista kaksitoista kolmetoista neljätoista viisitoista kuusitoista "
	"seitsemäntoista kahdeksantoista yhdeksäntoista kaksikymmentä kolmekymmentä "
	"neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä kahdeksankymmentä "
	"yhdeksänkymmentä sata|sataa tuhat|tuhatta ja? tupla tripla",
	/* Czech and Slovak */
	"nula jedna|jeden|jedno dva|dvě|dve tři|tri čtyři|štyri pět|päť šest|šesť "
	"sedm|sedem "
	"osm|osem devět|deväť deset|desať jedenáct|jedenásť dvanáct|dvanásť "
	"třináct|trinásť "
	"čtrnáct|štrnásť patnáct|pätnásť šestnáct|šestnásť sedmnáct|sedemnásť "
	"osmnáct|osemnásť devatenáct|devätnásť dvacet|dvadsať třicet|tridsať "
	"čtyřicet|štyridsať padesát|päťdesiat šedesát|šesťdesiat sedmdesát|sedemdesiat "
	"osmdesát|osemdesiat devadesát|deväťdesiat sto|stě|sta|set tisíc|tisíce a? "
	"dvakrát třikrát",
	/* Romanian */
	"zero unu|una?|un? doi|două trei patru cinci șase|sase șapte|sapte opt nouă zece "
	"unsprezece doisprezece treisprezece paisprezece cincisprezece șaisprezece "
	"șaptesprezece optsprezece nouăsprezece douăzeci treizeci patruzeci cincizeci "
	"șaizeci șaptezeci optzeci nouăzeci sută|sute mie|mii și? dublu triplu",
	/* Croatian, Serbian, Bosnian, Slovene */
	"nula|nič jedan|jedna|ena|en? dva|dvije|dve tri četiri|štiri pet šest "
	"sedam|sedem "
	"osam|osem devet deset jedanaest|enajst dvanaest|dvanajst trinaest|trinajst "
	"četrnaest|štirinajst petnaest|petnajst šesnaest|šestnajst sedamnaest|sedemnajst "
	"osamnaest|osemnajst devetnaest|devetnajst dvadeset trideset "
	"četrdeset|štirideset "
	"pedeset|petdeset šezdeset|šestdeset sedamdeset|sedemdeset osamdeset|osemdeset "
	"devedeset|devetdeset sto tisuća|hiljada|tisoč i?|in? duplo -",
	/* Greek */
	"μηδέν ένα|ένας δύο|δυο τρία|τρεις τέσσερα|τέσσερις πέντε έξι επτά|εφτά "
	"οκτώ|οχτώ "
	"εννέα|εννιά δέκα έντεκα δώδεκα δεκατρία δεκατέσσερα δεκαπέντε δεκαέξι δεκαεπτά "
	"δεκαοκτώ δεκαεννέα είκοσι τριάντα σαράντα πενήντα εξήντα εβδομήντα ογδόντα "
	"ενενήντα εκατό|εκατόν χίλια|χιλιάδες και? διπλό τριπλό",
	/* Arabic */
	"صفر واحد|واحدة اثنان|اثنين|اتنين ثلاثة|ثلاث|تلاتة أربعة|اربعة|أربع|اربع "
	"خمسة|خمس ستة|ست "
	"سبعة|سبع ثمانية|ثماني|تمانية تسعة|تسع عشرة|عشر - - - - - - - - - عشرون|عشرين "
	"ثلاثون|ثلاثين أربعون|أربعين|اربعين خمسون|خمسين ستون|ستين سبعون|سبعين "
	"ثمانون|ثمانين تسعون|تسعين مئة|مائة ألف|الف|آلاف و? - -",
	/* Hebrew */
	"אפס אחת|אחד שתיים|שניים שלוש|שלושה ארבע|ארבעה חמש|חמישה שש|שישה שבע|שבעה שמונה "
	"תשע|תשעה עשר|עשרה - - - - - - - - - עשרים שלושים ארבעים חמישים שישים שבעים "
	"שמונים "
	"תשעים מאה אלף ו? - -",
	/* Hindi, and in Latin letters */
	"शून्य|shunya एक|ek? दो|do? तीन|teen? चार|char|chaar पांच|पाँच|panch|paanch "
	"छह|छः|छे|chhah|cheh|chhe|chah|chha|che? "
	"सात|saat|sat? आठ|aath नौ|nau दस|das? - - - - - - - - - बीस|bees तीस|tees "
	"चालीस|chalis पचास|pachas "
	"साठ|saath सत्तर|sattar अस्सी|assi नब्बे|nabbe सौ|sau हजार|हज़ार|hazaar|hazar और? डबल "
	"ट्रिपल",
	/* Chinese in Latin letters */
	"ling|líng yi|yī|yao|yāo er?|èr san|sān si?|sì wu|wǔ liu|liù qi|qī ba|bā jiu|jiǔ "
	"shi?|shí "
	"- - - - - - - - - - - - - - - - - bai|bǎi qian|qiān - - -",
	/* Japanese */
	"ゼロ|ぜろ|れい|レイ|まる|zero|rei|maru いち|イチ|ichi に?|ニ|ni さん|サン|san "
	"よん|ヨン|yon|shi|し? ご|ゴ|go? "
	"ろく|ロク|roku なな|ナナ|しち|nana|shichi はち|ハチ|hachi "
	"きゅう|キュウ|kyu|kyuu - - - - - - - - - - "
	"- - - - - - - ひゃく|hyaku せん|sen - - -",
	/* Korean */
	"영|공|yeong|gong 일|il? 이|i? 삼|sam? 사|sa? 오|o? 육|륙|yuk 칠|chil 팔|pal? "
	"구|gu "
	"십|sip - - - - - - - - - - - - - - - - - 백|baek 천|cheon - - -",
	/* Indonesian and Malay */
	"nol|kosong satu dua tiga empat lima enam tujuh delapan|lapan sembilan sepuluh "
	"sebelas "
	"- - - - - - - - - - - - - - - - ratus|seratus ribu|seribu dan? - -",
	/* Vietnamese */
	"không|khong một|mot hai ba bốn|bon|tư năm|nam? sáu|sau bảy|bay? tám|tam "
	"chín|chin mười|muoi "
	"- - - - - - - - - - - - - - - - - trăm|tram nghìn|ngàn - - -",
	/* Swahili */
	"sifuri moja mbili tatu nne tano sita saba nane tisa kumi - - - - - - - - - "
	"ishirini "
	"thelathini arobaini hamsini sitini sabini themanini tisini mia elfu na? - -",
	/* Esperanto, Latin, Catalan, Welsh, Irish: the digits alone */
	"nulo|nihil|sero|náid unu|unus|unum|un?|aon du|duo|dos|dau|dó tri|tres|tri|trí "
	"kvar|quattuor|quatre|pedwar|ceathair kvin|quinque|cinc|pump|cúig "
	"ses|sex|sis|chwech|sé sep|septem|set|saith|seacht ok?|octo|vuit|wyth|ocht "
	"naŭ|novem|nou|naw|naoi dek|decem|deu|deg|deich - - - - - - - - - - - - - - - - "
	"- "
	"cent mil kaj? - -",
	/* Bengali, Urdu, Persian */
	"শূন্য|صفر এক|یک|ایک দুই|دو তিন|سه|تین চার|چهار|چار পাঁচ|پنج|پانچ ছয়|شش|چھ "
	"সাত|هفت|سات "
	"আট|هشت|آٹھ নয়|نه|نو দশ|ده|دس - - - - - - - - - - - - - - - - - صد هزار - - -",
	/* Arabic, Persian, Hebrew and Greek in Latin letters */
	"sifr|sefr|efes|miden wahid|wahed|yek|ahat|achat|ena ithnan|ithnayn|itnen|"
	"etnen|shtaim|shtayim|dyo thalatha|talata|tlata|shalosh|tria "
	"arbaa|arbaah|arba|chahar|tessera khamsa|khamse|hamsa|panj|hamesh|chamesh|pente "
	"sitta|sitte|shesh|shish|exi sabaa|saba|sabaah|haft|sheva|efta|epta "
	"thamaniya|thamania|tamanya|hasht|shmone|okto tisaa|tisa|tesaa|noh?|tesha|ennea "
	"ashara|dah?|eser|deka - - - - - - - - - - - - - - - - - - - - - - -",
	/* Thai, Georgian, Armenian, Tamil */
	"ศูนย์|ნული|զրո|பூஜ்யம் หนึ่ง|ერთი|մեկ|ஒன்று สอง|ორი|երկու|இரண்டு "
	"สาม|სამი|երեք|மூன்று สี่|ოთხი|չորս|நான்கு ห้า|ხუთი|հինգ|ஐந்து "
	"หก|ექვსი|վեց|ஆறு เจ็ด|შვიდი|յոթ|ஏழு แปด|რვა|ութ|எட்டு เก้า|ცხრა|ինը|ஒன்பது "
	"สิบ|ათი|տասը|பத்து - - - - - - - - - - - - - - - - - - - - - - -",
	/* ordinals, of all languages */
	"zeroth|nullte|nullter first?|erste?|erster?|premier?|primero?|primo?|primeiro?|"
	"eerste?|pierwszy?|первый?|birinci second?|zweite|zweiter|zweites|deuxième|"
	"segundo?|secondo?|tweede|drugi?|второй|вторая|ikinci "
	"third|dritte|dritter|drittes|troisième|tercero|tercera|terzo|terza|terceiro|"
	"derde|trzeci|третий|третья|üçüncü "
	"fourth|vierte|vierter|viertes|quatrième|cuarto|cuarta|quarto|quarta|vierde|"
	"czwarty|четвертый|четвёртый|dördüncü "
	"fifth|fünfte|fünfter|fünftes|cinquième|quinto|quinta|vijfde|piąty|пятый|пятая|"
	"beşinci sixth|sechste|sechster|sechstes|sixième|sexto|sesto|sesta|zesde|szósty|"
	"шестой|altıncı seventh|siebte|siebter|siebtes|septième|séptimo|settimo|sétimo|"
	"zevende|siódmy|седьмой|yedinci eighth|achte|achter?|achtes|huitième|octavo|"
	"ottavo|oitavo|achtste|ósmy|восьмой|sekizinci "
	"ninth|neunte|neunter|neuntes|neuvième|noveno|nono|negende|dziewiąty|девятый|"
	"dokuzuncu tenth|zehnte|zehnter|dixième|décimo|decimo|tiende|dziesiąty|десятый|"
	"onuncu - - - - - - - - - - - - - - - - - - - - - - -",
	/* other forms of the words, and by spelling mistake */
	"ноля|нуля|zera|nullen|zeroes|zeros|o'|zer|zro одного|jednego|jedynka|"
	"одной|jednej|einser|ones|wone|onne двух|dwóch|dwójka|двойка|zweier|twos|"
	"tvo|tow? трёх|трех|trzech|trójka|тройка|dreier|threes|thre|htree|tree?|"
	"treh|free? четырёх|четырех|czterech|czwórka|четвёрка|четверка|vierer|fours|"
	"fore?|fuor|foru|fower пяти|pięciu|piątka|пятёрка|пятерка|fünfer|fives|fiv|"
	"fiev|vive? шести|sześciu|szóstka|шестёрка|шестерка|sechser|sixes|siks|sics "
	"семи|siedmiu|siódemka|семёрка|семерка|siebener|sevens|sevn|svn|sevem|sefen "
	"восьми|ośmiu|ósemka|восьмёрка|восьмерка|eights|eigt|eihgt|eght|aight "
	"девяти|dziewięciu|dziewiątka|девятка|neuner|nines|nin|nien|nein? "
	"десяти|dziesięciu|десятка|zehner|tens - - - - - - - - - - - - - - - - - - - - - "
	"- -",
	/* what counts as so many, or is number so many: groups, shapes, months, colours */
	"nothing?|none?|black? single?|solo?|mono?|january?|januar?|janvier?|enero?|"
	"gennaio?|janeiro?|monday?|montag?|lundi?|lunes?|brown?|ace? "
	"pair?|couple?|duo?|duet?|twin?|february?|februar?|février?|febrero?|febbraio?|"
	"fevereiro?|tuesday?|dienstag?|mardi?|martes?|red?|shoe? "
	"trio?|triplet?|triangle?|march?|märz?|mars?|marzo?|março?|wednesday?|mittwoch?|"
	"mercredi?|miércoles?|orange? "
	"quartet?|square?|april?|avril?|abril?|aprile?|thursday?|donnerstag?|jeudi?|"
	"jueves?|yellow?|door? quintet?|pentagon?|penta?|may?|mai?|mayo?|maggio?|maio?|"
	"friday?|freitag?|vendredi?|viernes?|green?|hive?|hand? "
	"sextet?|hexagon?|hexa?|june?|juni?|juin?|junio?|giugno?|junho?|saturday?|"
	"samstag?|samedi?|sábado?|blue?|sticks? septet?|heptagon?|july?|juli?|juillet?|"
	"julio?|luglio?|julho?|sunday?|sonntag?|dimanche?|domingo?|violet?|purple?|"
	"heaven? octet?|octagon?|octopus?|spider?|august?|août?|agosto?|grey?|gray?|"
	"gate? nonet?|nonagon?|september?|septembre?|septiembre?|settembre?|setembro?|"
	"white?|line?|wine? decade?|october?|oktober?|octobre?|octubre?|ottobre? "
	"november? dozen?|december?|dezember? - - - - - - - score? - - - - - - - - - - - "
	"- -",
	/* by sound, in English */
	"o?|owe? won?|wun too?|to?|tu? tree? for?|fore? fife? sicks|siks? sevin "
	"ate?|ait? "
	"nein?|nyne? - - - - - - - - - - - - - - - - - - - - - - -",
};

/* Hundreds that are words of their own, of the row with this number. */
static const struct {
	unsigned language, value;
	const char *word;
} hundreds[] = {
	{ 3, 500, "quinientos" },    { 3, 500, "quinientas" },
	{ 3, 700, "setecientos" },   { 3, 700, "setecientas" },
	{ 3, 900, "novecientos" },   { 3, 900, "novecientas" },
	{ 3, 200, "doscientos" },    { 3, 300, "trescientos" },
	{ 3, 400, "cuatrocientos" }, { 3, 600, "seiscientos" },
	{ 3, 800, "ochocientos" },   { 5, 200, "duzentos" },
	{ 5, 300, "trezentos" },     { 5, 400, "quatrocentos" },
	{ 5, 500, "quinhentos" },    { 5, 600, "seiscentos" },
	{ 5, 700, "setecentos" },    { 5, 800, "oitocentos" },
	{ 5, 900, "novecentos" },    { 7, 200, "dwieście" },
	{ 7, 300, "trzysta" },	     { 7, 400, "czterysta" },
	{ 7, 500, "pięćset" },	     { 7, 600, "sześćset" },
	{ 7, 700, "siedemset" },     { 7, 800, "osiemset" },
	{ 7, 900, "dziewięćset" },   { 9, 200, "двести" },
	{ 9, 300, "триста" },	     { 9, 400, "четыреста" },
	{ 9, 500, "пятьсот" },	     { 9, 600, "шестьсот" },
	{ 9, 700, "семьсот" },	     { 9, 800, "восемьсот" },
	{ 9, 900, "девятьсот" },
};

enum { LANGUAGES = sizeof(languages) / sizeof(*languages) };

struct number_words_entry {
	uint16_t text, value;
	uint8_t length, kind, language;
	bool is_doubtful;
};

struct number_words {
	uint16_t slots[SLOTS]; /* entries; 0 if there is none */
	struct number_words_entry entries[ENTRIES_MOST];
	char texts[TEXT_BYTES_MOST];
	size_t count, text_length; /* the entry 0 is none */
	uint8_t longest[LANGUAGES];
	uint8_t begins[LANGUAGES][BEGINNINGS / 8]; /* bits, by the first two bytes */
};

static uint32_t number_words_hash(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static bool number_words_is(const struct number_words *words,
			    const struct number_words_entry *entry, const char *text,
			    size_t length)
{
	return entry->length == length &&
	       memcmp(words->texts + entry->text, text, length) == 0;
}

static unsigned number_words_beginning(const char *text, size_t length)
{
	unsigned second = length > 1 ? (unsigned char)text[1] : 0;

	return ((unsigned char)text[0] * 37u ^ second * 5u) % BEGINNINGS;
}

static bool number_words_has_beginning(const struct number_words *words,
				       unsigned language, unsigned beginning)
{
	return words->begins[language][beginning / 8] >> beginning % 8 & 1;
}

static void number_words_add(struct number_words *words, const char *text,
			     const struct number_word *word)
{
	size_t length = strlen(text), row = ++words->count;
	uint32_t at = number_words_hash(text, length);
	unsigned beginning = number_words_beginning(text, length);

	assert(row < ENTRIES_MOST && words->text_length + length <= TEXT_BYTES_MOST);
	while (words->slots[at % SLOTS])
		at++;
	words->slots[at % SLOTS] = (uint16_t)row;
	words->entries[row] = (struct number_words_entry){
		.text = (uint16_t)words->text_length,
		.value = (uint16_t)word->value,
		.length = (uint8_t)length,
		.kind = (uint8_t)word->kind,
		.language = (uint8_t)word->language,
		.is_doubtful = word->is_doubtful,
	};
	memcpy(words->texts + words->text_length, text, length);
	words->text_length += length;
	words->begins[word->language][beginning / 8] |= (uint8_t)(1u << beginning % 8);
	if (length > words->longest[word->language])
		words->longest[word->language] = (uint8_t)length;
}

static struct number_word number_words_meaning(unsigned place)
{
	if (place <= TENS_AT)
		return (struct number_word){ NUMBER_WORD_VALUE, place, false, 0 };
	if (place < TENS_MOST)
		return (struct number_word){ NUMBER_WORD_VALUE,
					     10 * (place - TENS_AT + 2), false, 0 };
	if (place <= THOUSAND_AT)
		return (struct number_word){ NUMBER_WORD_TIMES,
					     place == HUNDRED_AT ? 100 : 1000, false, 0 };
	if (place == AND_AT)
		return (struct number_word){ NUMBER_WORD_AND, 0, false, 0 };
	return (struct number_word){ NUMBER_WORD_TWICE, place == TWICE_AT ? 2 : 3, false,
				     0 };
}

static bool number_words_ends(char byte)
{
	return !byte || byte == ' ' || byte == '|';
}

static void number_words_add_language(struct number_words *words, unsigned language)
{
	const char *at = languages[language];
	char written[WORD_BYTES], folded[2 * WORD_BYTES];
	unsigned place = 0;

	while (*at) {
		size_t length = 0;
		struct number_word word = number_words_meaning(place);

		while (!number_words_ends(at[length]))
			length++;
		memcpy(written, at, length);
		written[length] = '\0';
		word.language = language;
		word.is_doubtful = length && written[length - 1] == '?';
		if (word.is_doubtful)
			written[length - 1] = '\0';
		glyph_write(written, false, folded);
		if (strcmp(folded, "-") != 0 && strlen(folded) < WORD_BYTES)
			number_words_add(words, folded, &word);
		at += length;
		place += *at == ' ';
		at += *at != '\0';
	}
}

static void number_words_add_hundreds(struct number_words *words)
{
	for (size_t i = 0; i < sizeof(hundreds) / sizeof(*hundreds); i++) {
		const struct number_word word = { NUMBER_WORD_VALUE, hundreds[i].value,
						  false, hundreds[i].language };
		char folded[2 * WORD_BYTES];

		glyph_write(hundreds[i].word, false, folded);
		number_words_add(words, folded, &word);
	}
}

struct number_words *number_words_new(void)
{
	struct number_words *words = calloc(1, sizeof(*words));

	for (unsigned i = 0; words && i < LANGUAGES; i++)
		number_words_add_language(words, i);
	if (words)
		number_words_add_hundreds(words);
	return words;
}

void number_words_free(struct number_words *words)
{
	free(words);
}

unsigned number_words_languages(void)
{
	return LANGUAGES;
}

/* Of several languages the first that is sure; `language` is LANGUAGES for any. */
static struct number_word number_words_find_in(const struct number_words *words,
					       unsigned language, const char *text,
					       size_t length)
{
	struct number_word found = { .kind = NUMBER_WORD_NONE };
	uint32_t at = number_words_hash(text, length);

	if (length == 0 || length >= WORD_BYTES)
		return found;
	for (; words->slots[at % SLOTS]; at++) {
		const struct number_words_entry *entry =
			&words->entries[words->slots[at % SLOTS]];

		if (!number_words_is(words, entry, text, length) ||
		    (language != LANGUAGES && entry->language != language))
			continue;
		if (found.kind == NUMBER_WORD_NONE)
			found = (struct number_word){ entry->kind, entry->value,
						      entry->is_doubtful,
						      entry->language };
		else
			found.is_doubtful |= entry->is_doubtful;
	}
	return found;
}

/* "fiive", "thhree": letters in a row once, or twice if that is how the word is written. */
static struct number_word number_words_find_stretched(const struct number_words *words,
						      const char *text, size_t length)
{
	struct number_word found = { .kind = NUMBER_WORD_NONE };
	char once[WORD_BYTES], twice[WORD_BYTES];
	size_t once_length = 0, twice_length = 0;

	for (size_t i = 0; i < length && twice_length + 1 < sizeof(twice); i++) {
		bool repeats = i > 0 && text[i] == text[i - 1];

		if (!repeats)
			once[once_length++] = text[i];
		if (!repeats || i < 2 || text[i] != text[i - 2])
			twice[twice_length++] = text[i];
	}
	if (once_length < length)
		found = number_words_find_in(words, LANGUAGES, once, once_length);
	if (found.kind == NUMBER_WORD_NONE && twice_length < length)
		found = number_words_find_in(words, LANGUAGES, twice, twice_length);
	return found;
}

struct number_word number_word_find(const struct number_words *words, const char *text,
				    size_t length)
{
	struct number_word found = number_words_find_in(words, LANGUAGES, text, length);

	return found.kind == NUMBER_WORD_NONE
		       ? number_words_find_stretched(words, text, length)
		       : found;
}

size_t number_word_begins(const struct number_words *words, unsigned language,
			  const char *text, size_t length, struct number_word *word_out)
{
	size_t most = words->longest[language];

	if (!number_words_has_beginning(words, language,
					number_words_beginning(text, 1)) &&
	    !number_words_has_beginning(words, language,
					number_words_beginning(text, length)))
		return 0;
	for (size_t size = length < most ? length : most; size > 0; size--) {
		*word_out = number_words_find_in(words, language, text, size);
		if (word_out->kind != NUMBER_WORD_NONE)
			return size;
	}
	return 0;
}

/* The words of spelling alphabets; behind "/" how the letter itself is spoken or written. */
static const char *const number_word_letters[] = {
	"alfa|alpha|anton|ancona|able|adam/ay|ah|aye",
	"bravo|berta|bologna|baker|boris/bee|beh",
	"charlie|casar|como/cee|see|zeh|ceh",
	"delta|dora|domodossola|dog/dee|deh",
	"echo|emil|empoli|easy/ee|eh",
	"foxtrot|friedrich|firenze/eff|ef",
	"golf|gustav|genova/gee|geh",
	"hotel|heinrich|henry/aitch|haitch|ha|ache",
	"india|ida|imola/eye|ih",
	"juliett|juliet|julius|jolly/jay|jott|jot|jota",
	"kilo|kaufmann|konrad|king/kay|ka",
	"lima|ludwig|livorno/ell|el|elle",
	"mike|martha|milano/em|emm|emme",
	"november|nordpol|napoli/en|enn|enne",
	"oscar|otto|otranto/oh",
	"papa|paula|padova/pee|peh",
	"quebec|quelle|queen/cue|queue|kuh|ku|cu",
	"romeo|richard|roma/ar|arr|err|erre",
	"sierra|samuel|siegfried|savona/ess|es|esse",
	"tango|theodor|torino/tee|teh|te",
	"uniform|ulrich|udine/you|uh",
	"victor|viktor|venezia/vee|vau|fau",
	"whiskey|wilhelm|whisky|washington/doubleyou|dubya|weh",
	"xray|xanthippe/ex|iks|ix|ics|equis",
	"yankee|ypsilon|york/why|wye|igrek",
	"zulu|zacharias|zeppelin|zara/zed|zee|zett|zet|zeta",
};

char number_word_letter(const char *text, size_t length, bool as_spoken)
{
	for (size_t i = 0; i < sizeof(number_word_letters) / sizeof(*number_word_letters);
	     i++) {
		const char *at = number_word_letters[i];
		bool is_spoken = false;

		while (*at && (as_spoken || !is_spoken)) {
			size_t size = strcspn(at, "|/");

			if (size == length && strncmp(at, text, length) == 0)
				return (char)('a' + i);
			is_spoken |= at[size] == '/';
			at += size + (at[size] != '\0');
		}
	}
	return '\0';
}
