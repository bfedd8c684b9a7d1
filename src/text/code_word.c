/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table holds folded words: small letters without accents (text/text.h). German
 * "ae" and "a" for the same letter both occur in messages.
 */
#include "text/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STEMS_MAX = 4096 };

enum code_word_match {
	WHOLE,
	BEGIN, /* inflected: "kodja", "kodem" */
	END,   /* composed: "Bestaetigungscode" */
	WITHIN,
	CAPITALS, /* the word, or its end, is written in capitals: "TAN", "mTAN" */
};

/*
 * One row: words of one kind that match in one way, separated by spaces. Numbers, things and
 * linking words have a row for each language.
 */
static const struct {
	unsigned kinds;
	enum code_word_match match;
	const char *words;
} table[] = {
	{ CODE_WORD_NAME, CAPITALS, "pin puk" },
	/* never public, whatever else the text sells */
	{ CODE_WORD_NAME | CODE_WORD_KEEP, CAPITALS, "tan otp" },
	{ CODE_WORD_NAME | CODE_WORD_KEEP, WITHIN,
	  "验证码 驗證碼 校验码 校驗碼 确认码 確認碼 动态码 动态密码 認証番号 인증번호 "
	  "인증코드" },
	{ CODE_WORD_NAME, END, "code codes kod kode koden kood koodi kennwort passwort" },
	{ CODE_WORD_NAME, WITHIN,
	  "kodod kodja koodisi koodin tunnusluk passcode password 密码 密碼 コード "
	  "暗証番号 パスワード 비밀번호 รหัส 安全码 安全碼 识别码 授权码 激活码 登录码 "
	  "秘密数字 秘密の数字 秘密の番号 验证号 驗證號 认证号码 認證號碼 校验号 校驗號 认证码 認證碼 查验码 取件号 提货码 取件码 取餐码 取货码 提取码 口令 暗号 رمز كود مرور السري קוד סיסמ kombinat" },
	{ CODE_WORD_NAME, BEGIN,
	  "code passcode password token kennwort passwort wachtwoord contrasen kod koodi "
	  "haslo hasla jelsz losenord tunnuslu salasan sifre heslo parool код парол "
	  "пинкод κωδικ ओटीपी कोड কোড ওটিপি კოდ կոդ kulcsszo parola passwd pwd pincod "
	  "lozink hesl szyfr шифр geheimzahl geheimnummer losung watchword "
	  "codeword combinat combinac combinaz combinais kombinac комбинац" },
	{ CODE_WORD_NAME, WHOLE,
	  "pin otp totp passe cod codul clave codigo codigos codice codici senha chave "
	  "parola passphrase adgangskode xac пин کد pw psw passw mdp pwort secret "
	  "geheimwort" },
	{ CODE_WORD_NAME, WHOLE, "geslo gesla geslom geslu" },
	{ CODE_WORD_WEAK, WHOLE,
	  "logt loggt loggst logged logging 2fa sign log security sicherheit войти вход melden meldest" },
	{ CODE_WORD_WEAK, BEGIN,
	  "conferm dogrula onayla giris eslestir belep zalog autoryz sparow freischalt "
	  "validez valider saisiss привяз активир autorizz associar vincular abbinare "
	  "entrar acceder accedere wejsc zatwierd parosit digits ziffern chiffres cifras "
	  "cifre cyfry цифр rakam szamjegy unlock entsperr debloqu desbloque sblocc "
	  "odblok разблок kilid felold identit autenti verif confirm login authent "
	  "autent autoris bestatig bestaetig anmeld einlog connexion connect acced acces "
	  "ingres bevestig inlog logowan potwierd potvrd weryfik uwierz megeros "
	  "hitelesit "
	  "azonosit bejelentk vahvist kirjaut bekraft подтвер вход авториз collect "
	  "pickup abhol ritir recog retir odbi odebr atvet получ colleg conecta polacz "
	  "csatlakoz bagla anslut pripoj valid verbind koble attiv aktyw актив prihlas "
	  "overen overit potvrz aktiv activ koppel setup reset regist link pair einricht "
	  "ativ vincul liier lier regisztr rejestr odzysk prompt authori validat autoriz "
	  "approuv aprob aprueb aprov recuper retrouv aanmeld voltooi afrond freigeschalt "
	  "etkinles approv freigab freigeb genehm" },
	{ CODE_WORD_WEAK, BEGIN,
	  "schalt logge inscri iscriz cadastr kayd kayit регистр rejestra dokonc finaliz" },
	/* Russian in Latin letters */
	{ CODE_WORD_NAME, WHOLE, "parol parolya paroli parolem" },
	{ CODE_WORD_WEAK, BEGIN,
	  "podtver vhod vkhod avtoriz privyaz razblok voyti voiti" },
	{ CODE_WORD_ENTER | CODE_WORD_TYPE, BEGIN, "vvedi vvesti" },
	{ CODE_WORD_ENTER, BEGIN, "ispolzu" },
	{ CODE_WORD_PLACE, WHOLE, "sayt sayte prilozhenii formu" },
	{ CODE_WORD_KEEP, BEGIN, "soobshch soobsch nazyvay govorite peredavay deystvit" },
	{ CODE_WORD_LINK, WHOLE, "vash tvoy eto" },
	{ CODE_WORD_THING, WHOLE, "zakaz zakaza schet scheta balans reys nomer posylka" },
	{ CODE_WORD_SALE | CODE_WORD_BARGAIN, BEGIN, "skidk" },
	{ CODE_WORD_COURIER, BEGIN, "kuryer" },
	{ CODE_WORD_MONEY, WHOLE, "rubley rublya" },
	{ CODE_WORD_CALL, WHOLE, "zvonite pozvonite" },
	{ CODE_WORD_WEAK, WITHIN,
	  "登录 登錄 ログイン 绑定 注册 註冊 激活 登録 認証 تسجيل تاكيد تأكيد تحقق دخول "
	  "تفعيل" },
	{ CODE_WORD_KEEP, WHOLE,
	  "share anyone nobody somebody else никому niemandem valid expires gultig "
	  "valable valido valida caduca scade expira ervenyes wazny wazna действует "
	  "gecerli gecerlidir wygasa expire" },
	{ CODE_WORD_KEEP, BEGIN,
	  "compart partag communiquez condivid comunicar comunich partilh weitergeb "
	  "weitersag teilen senki nikomu paylas soyleme сообщ говорите называйте "
	  "udostepn podawaj niemand ninguem nessuno nadie personne kimse deel" },
	{ CODE_WORD_KEEP, WITHIN,
	  "有效 有効 转发 صالح 泄露 勿告 告知他人 教えない 他人に تشارك تخبر" },
	{ CODE_WORD_IS, WHOLE,
	  "as als como comme jako как is are ist lautet sind est es e sao to jest это az "
	  "er ar on luidt la va byl je jsou blir bude czyli reads wynosi 是 为 為" },
	{ CODE_WORD_IS, WITHIN, "は 是 为 為" },
	{ CODE_WORD_ENTER, WHOLE,
	  "use enter type nutzen verwenden eingeben saisissez entrez utilisez ingrese "
	  "ingresa introduzca introduce utilice inserisci usa digite insira gebruik "
	  "wpisz uzyj podaj hasznalja irja ird введите используйте наберите kullanin "
	  "girin kullan gir yazin geben tippen saisir tapez composez digitare digita "
	  "digitar teclea usar ingresar insert key voer escribe escriba escribir teclee "
	  "escreva escrever introduza inserisca paste einfugen collez pegue incolla cole "
	  "wklej illessze вставьте yapistirin отправьте envoyez envie invia wyslij "
	  "kuldje kuldd gonderin sende absenden inserer pisz przepisz naberite yaz "
	  "tuslayin gebe gib tippe ange skriv kirjoita submit provide informe informar "
	  "bevestig apply fill tap" },
	{ CODE_WORD_ENTER | CODE_WORD_TYPE, WHOLE,
	  "copy copia copie copiez copier copiar kopiere kopiert kopieren kopieer "
	  "kopiera kopioi "
	  "paste press premi premere premete pulsa pulsar pulse marca marque marcar "
	  "punchst druck drucke "
	  "drucken dodaj dodac plak enter entering type typing key keyed keying punch "
	  "write pop tap fill feed jot tape "
	  "tapez taper gib geben gebe gibst ange anges trag trage tragen tik tikt typ "
	  "vul vult voer voert mata matar sla slar ird irja irjuk usd yaz yazin yaziniz "
	  "yazip "
	  "yazarak yazmaniz gir girin giriniz girip girerek pisz pis piste fyll fyller "
	  "saisie ввод ввода cole coller wpisanie zadani" },
	{ CODE_WORD_ENTER | CODE_WORD_TYPE, BEGIN,
	  "submit supply pega pegu collez incoll wklej vlep klistra вставь вставл "
	  "yapistir illeszd reportez setz setzen "
	  "touch toca toque tocca appui carreg ecri angeb "
	  "dopis uved kopyalay ekley stiskn zmackn nacisn wcisn nyomd nyomj нажм tryck "
	  "basin добав pridej pridat agreg anad aggiung ajout adicion toevoeg "
	  "submit skopi skopir zkopir recopi masol скопир ubertrag "
	  "uebertrag riport transcr przeklej input tipp eintipp eingib eingeb eingab "
	  "eingeg eintrag saisi entrez renseign "
	  "marcand digitand tippend tapot rempli scriv digit inserisc inserir inserend inserz compila tecle "
	  "escrib "
	  "introdu ingres anot anota rellen escrev insir insira preench schreib toets "
	  "intoets intyp invoer invul skriv indtast tast knapp kirjoit syota napp wpis "
	  "wprowad wklep wstuk wystuk wpros przepis podaj napis zadej zadat vloz vepis "
	  "vypln "
	  "vyplnt vytuk natuk opis naber набер наберит набир введ введи вводи впиш вбей "
	  "вбив "
	  "укаж напиш gepel begepel irja beir utsd usse billentyuz potyog tusla doldur "
	  "unesi unes upisi tastez introduce" },
	{ CODE_WORD_ENTER, WHOLE,
	  "put putting ponha pon ponga poner ponlo mets mettez mettre metti mettere mete "
	  "fai fais faites "
	  "faz haz poe anvand bruk aseta brug pouzij pouzijte pouzit wstaw podstaw vloz uloz wbij "
	  "zet stuur lag legg hasznald hasznalj allitsd koyun koy schreib schreiben" },
	{ CODE_WORD_OPEN | CODE_WORD_CALL, WHOLE, "dial composez compose wybierz" },
	{ CODE_WORD_OPEN, BEGIN, "wcisn zmack zmackn fai fais fate punch tusla" },
	{ CODE_WORD_ASK, BEGIN,
	  "attend await erwart continu fortfahr proseg prosegu fortsat kontynu pokrac "
	  "folytat продолж devam doorg verdergaan proceed weitermach poursuiv "
	  "want expect need veut brauch quier vuole pedir kerni хочет "
	  "ask prompt pide pida piden pregunt solicit demand chied richied pergunt pede "
	  "peca fragt gefragt abgefragt verlangt verlang kerdez kerdi keri zapyta pyta "
	  "popros poprosi zepta zada chce спрос запрос попрос спраш sorar sordug sorul "
	  "ister isted serve servono necesit potrzeb besoin gerek nodig lazim tarvit нужен нужн понадоб szukseg behov potreb vraag vragen gevraagd fragar spor" },
	{ CODE_WORD_PLACE, WHOLE,
	  "app appen appli apps remote chat chatu chats chatten chatt bot czacie чате" },
	{ CODE_WORD_PLACE, BEGIN,
	  "assist asist asyst ассист помощник robot chatbot csevego printer drucker "
	  "imprimant impresor stampant nyomtat drukark tiskarn принтер yazici skrivar "
	  "aplic applic anwendung alkalmaz uygulam прилож telecomand fernbed "
	  "polu ventan finestr ablak fenetr janel riquadr venster pencere fonster okn "
	  "automat borne cajero kiosk tele tv teve телевиз eingabe formular brows popup "
	  "form field box kastch feld fenster window browser page site website webs "
	  "screen bildschirm terminal laptop tablet reader fernseh champ ecran case "
	  "formul recuadr casill pantall campo modulo casell scherm caixa tela urlap "
	  "mezo "
	  "oldal kepernyo pole pola okienk ekran stron polick strank форм поле экран "
	  "окн сайт терминал veld vakj ruta falt skarm sidan kutu alan sayfa machine "
	  "maschine maquina macchin" },
	{ CODE_WORD_AFTER, WHOLE,
	  "geldi bekommen gekriegt gekommen then dann ensuite puis luego despues entonces poi potem aztan потом затем sonra ardindan below above where after before during again there here within once under "
	  "followed quick quickly fast asap hurry schnell sofort vite rapido rapide subito presto szybko gyorsan быстро быстрее скорей скорее hemen cabuk snabbt quando cuando quand lorsque sobre dentro durante sotto dopo "
	  "abajo arriba debajo abaixo unten sobald danach wenn damit podczas kiedy zanim "
	  "gdzie teraz nizej чтобы когда после ниже сейчас amikor amint utana alabb "
	  "hieronder zodra wanneer daarna jakmile nejdriv nejprve potom dole nedan sedan "
	  "szamot szamsort szamokat karaktereket sayisini numarasini numarayi "
	  "rakamlarini sovellukseen online pentru please nella nelle nello sulla" },
	{ CODE_WORD_ENTER | CODE_WORD_TYPE, WITHIN,
	  "输 輸入 填写 填入 填到 键入 入力 أدخل ادخل اكتب" },
	{ CODE_WORD_PLACE, WITHIN,
	  "页面 網頁 网页 网站 框 屏幕 界面 画面 表单 终端 小程序 サイト フォーム 端末" },
	{ CODE_WORD_ENTER, WITHIN, "استخدم استعمل 请报 請報 报上 出示" },
	{ CODE_WORD_ENTER, BEGIN,
	  "show present quote mention zeig nenn vorzeig mostr muestr ensen pokaz mutass "
	  "bemutat megad отправь odeslij покаж назов goster usalo usala usel utilis compon compos indich indiq komm "
	  "visa ukaz toon zadej zadat vlozte vepis opiste pouzij wprowad wpis uzyj adja "
	  "meg usse indtast syota introduc folosi unesi upisi введ введі набер укаж впиш "
	  "vul typ toets insir digit inser ingres tecle renseign recopi entrer girin "
	  "giriniz yazin kullanin" },
	{ CODE_WORD_BARGAIN, WHOLE,
	  "bic client cliente clientes customer kunden barras barre ugyfel klienta "
	  "musteri klant kund клиента zakaznika kundencode kundennummer dx" },
	{ CODE_WORD_BARGAIN, BEGIN,
	  "poczt postn psc irsz zipc promo discount coupon kupon voucher gutschein rabat "
	  "descuent sconto descont korting zniz kedvezm alennu reduc remise referral zip "
	  "postal postcode country area dress source barcode qr sort unicode промо скидк "
	  "купон indirim booking buchung reserv rezerv rezerw prenot foglal брон track "
	  "sendungs suivi seguimiento rastre localiz pnr takip sledz nyomkov fiscal "
	  "tribut steuer error errore erreur fehlercode hibakod produ swift student "
	  "invit barkod fehler landes vorwahl posta почтов iranyito codepostal review "
	  "conduct" },
	{ CODE_WORD_BARGAIN, WITHIN,
	  "优惠 クーポン 割引 プロモ 邮政 郵便 خصم بريدي حجز" },
	{ CODE_WORD_LINK, WHOLE,
	  "word wort mot palabra palavra slowo szot slovo слово ordet woord kelimesini "
	  "temporary temporal temporaire temporanea temporanee temporaneo temporaria "
	  "provisional provisoire provisoria provisorio provvisoria provvisorio initial "
	  "initiale iniziale inicial secret secreto secreta segreto segreta personal "
	  "nueva nuevo nuova nuovo nova novo nouveau nouvelle unico unica unique actual "
	  "actuel" },
	{ CODE_WORD_LINK, WHOLE,
	  "is are was the a an your my this s number no enter use to for with as below" },
	{ CODE_WORD_LINK, WHOLE,
	  "lautet ist ihr ihre ihren dein deine der die das den dem ein eine einen mit "
	  "nummer nutzen sie bitte hier" },
	{ CODE_WORD_LINK, WHOLE,
	  "est votre ton le la ce un une de du voici voila numero" },
	{ CODE_WORD_LINK, WHOLE, "es su tu el este esta e il lo tuo suo questo ecco" },
	{ CODE_WORD_LINK, WHOLE,
	  "o os seu sua teu da do aqui je jouw uw de het deze luidt" },
	{ CODE_WORD_LINK, WHOLE,
	  "to jest twoj twoje oto wynosi numer az on one ez itt szama" },
	{ CODE_WORD_LINK, WHOLE, "kovetkezo se tama sinun ar din ditt den det detta" },
	{ CODE_WORD_LINK, WHOLE, "это ваш твой номер" },
	{ CODE_WORD_LOCK, WHOLE,
	  "keypad keysafe gate door doors entry entrance lockbox keybox safe lobby "
	  "cassaforte "
	  "garage lock tor tur tuer porte portail coffre casier consigne puerta portal "
	  "taquilla verja porta portone cancello cofre portao deur kluis poort brama "
	  "furtka kapu rekesz szef kapi kapisi dolap dolapta kasa port porten dorr "
	  "dorren skap brana box boxu trastero" },
	{ CODE_WORD_LOCK, BEGIN,
	  "lockbox tastenfeld clavier teclad tastier klaviatur billentyu portero porter "
	  "kapu kapi verja branka brank vrat grind locker schlussel schlieff schliessf "
	  "tresor haustur paketst boite digicod casillero cerradura cassett armadiett "
	  "cacifo fechadura sleutel voordeur drzwi skrytk domofon sejf ajto kulcs "
	  "szekren двер домофон сейф ячейк замок замк подъезд ворот калитк nyckel dver "
	  "schrank trezor klic zamek zamk kilit barrier barrera barreira slagboom "
	  "szlaban sorompo шлагбаум bariyer zavor citofon intercom interfon interphon "
	  "gegensprech schranke elevator aufzug ascens elevador alarm "
	  "shed cellar keller turnstile storage parking garaz garag гараж bejarat wejsc "
	  "eingang ingress entrad vchod вход ingang giris" },
	{ CODE_WORD_LOCK, WITHIN,
	  "kluis tresor 门 柜 ロッカー ボックス 鍵 ドア باب خزانة" },
	{ CODE_WORD_KEY, WHOLE, "key keys" },
	{ CODE_WORD_KEY, BEGIN,
	  "passkey licens lizenz licen klucz kulcs ключ anahtar nyckel klic serial" },
	{ CODE_WORD_KEY, END, "schlussel schluessel sleutel nyckel kulcs avain nogle" },
	{ CODE_WORD_KEY, WITHIN, "密钥 序列号 キー مفتاح" },
	{ CODE_WORD_KEY | CODE_WORD_LOCK, WHOLE,
	  "lock combo keypad keybox keysafe lockbox cle cles chiave chiavi claves chaves "
	  "slot zamek zamku замок lakat lakatja kilit kilidi" },
	{ CODE_WORD_KEY | CODE_WORD_LOCK, BEGIN,
	  "padlock candado cadenas antivol lucchett cadeado klodk zamk замк visac "
	  "hangslot hanglas asma tastenfeld" },
	{ CODE_WORD_KEY | CODE_WORD_LOCK, END,
	  "schloss padlock slot hanglas kastchen schlusselbox schlusselsafe" },
	{ CODE_WORD_OPEN, BEGIN,
	  "stell einstell impost raute almohad cancellet kriz открыв otvar отпер open "
	  "unlock press punch offn druck ouvr abre abri marca marque pulse apre apri "
	  "prem druk otw nacis nyit nyom nyil откр нажм oppn tryck otevr otvir stiskn "
	  "acin acil basin asteri etoile estrella gwiazd csillag звездоч решетк yildiz "
	  "gomb button bouton boton pulsant przycisk кнопк knapp tlacit stern sternchen "
	  "hekje" },
	{ CODE_WORD_OPEN, WHOLE,
	  "star ster stjarn kare dials set turn hash diese gire gira pound" },
	{ CODE_WORD_OPEN, WITHIN, "开门 打开 開け افتح اضغط" },
	{ CODE_WORD_ENTER | CODE_WORD_CALL, BEGIN,
	  "reply respond repond antwort rispond odpisz odpowied valaszol ответ yanitla "
	  "svara odpov" },
	{ CODE_WORD_CALL, BEGIN, "ugyfelszolg kundenserv kundendienst infolin helpdesk" },
	{ CODE_WORD_THING, WHOLE,
	  "flat apartment apt release appartement piso appartamento apartamento apto "
	  "wohnung whg woning mieszkanie mieszkania квартира квартиру daire lagenhet byt "
	  "building haus batiment edificio predio gebouw budynek дом epulet" },
	{ CODE_WORD_THING, WHOLE,
	  "ending ends order orders invoice ticket card account acct acc ref reference "
	  "amount balance room flight gate booking reservation parcel shipment tracking "
	  "id customer bus seat at until till" },
	{ CODE_WORD_THING, WHOLE,
	  "endet endziffer endziffern karte konto kontonummer saldo rechnung auftrag "
	  "bestellung sendung zimmer flug gleis kundennummer betrag um bis" },
	{ CODE_WORD_THING, WHOLE,
	  "carte compte solde commande facture colis dossier vol montant" },
	{ CODE_WORD_THING, WHOLE,
	  "tarjeta cuenta saldo pedido factura envio vuelo importe carta conto ordine "
	  "fattura spedizione volo importo" },
	{ CODE_WORD_THING, WHOLE,
	  "cartao conta encomenda fatura voo valor kaart rekening bestelling factuur "
	  "pakket vlucht bedrag" },
	{ CODE_WORD_THING, WHOLE,
	  "karta karty karcie rachunek rachunku zamowienie zamowienia faktura faktury "
	  "przesylka przesylki kwota" },
	{ CODE_WORD_THING, WHOLE,
	  "kartya kartyaja szamla szamlaja szamlaszam egyenleg egyenlege rendeles "
	  "rendelese csomag csomagja jarat osszeg ugyfelszam" },
	{ CODE_WORD_THING, WHOLE,
	  "kortti kortin tili tilin tilaus tilauksen lasku lento summa kort kortet "
	  "bestallning ordern flyg belopp klo kl" },
	{ CODE_WORD_THING, WHOLE,
	  "карта карты карте счет счета заказ заказа баланс рейс сумма до" },
	{ CODE_WORD_THING, WHOLE,
	  "article artikel articolo articulo artykul артикул wasseruhr gasuhr stromuhr villanyora gazora vizora vodomer elektromeru счетчик счетчике sahkomittarin reading odometer kilometerstand lectura lettura odczyt stav zahlerstand zaehlerstand meroallas oraallas meroora azonosito показания sportello ventanilla guichet schalter loket okienko attendance meter prescription number plate member membership train zahler vertrag "
	  "aktenzeichen raum rezept zug termin buchung compteur ordonnance salle "
	  "contador receta sala expediente cliente tren contatore ricetta aula pratica "
	  "treno cap receita processo comboio mero recept terem vonat ugyfelszam licznik "
	  "licznika recepta sprawa klienta pociag saldo договор рецепт кабинет дело "
	  "поезд счетчика индекс посылка рейс номер siparis kargo sayac recete oda dosya "
	  "musteri plaka numarali sayili" },
	{ CODE_WORD_THING, WHOLE,
	  "quarto chambre habitacion camera pokoju szoba stanza zimmers номера numaraya "
	  "vol case claim lot candidate invoice bill dorm suite stand stop line dossier "
	  "caso siniestro sinistre sinistro schaden szkoda убыток hasar" },
	{ CODE_WORD_THING, WITHIN,
	  "尾号 订单 余额 单号 航班 金额 注文 残高 荷物 شحنت طلبك رصيد المبلغ الرحلة" },
	{ CODE_WORD_SALE, WHOLE,
	  "competition prize prizes gewinnspiel sorteo sale sales off checkout soldes "
	  "saldi saldos rebajas aktion akcio angebot offer offers oferta offerta deals "
	  "newsletter" },
	{ CODE_WORD_SALE, BEGIN,
	  "promo discount coupon kupon voucher gutschein rabat descuent sconto scont "
	  "descont korting znizk wyprzeda kedvezm leertekel alennu reduc remise indirim "
	  "распродаж скидк промо купон" },
	{ CODE_WORD_SALE, WITHIN,
	  "优惠 折扣 促销 クーポン 割引 セール プロモ خصم تخفيض" },
	{ CODE_WORD_TELL, WHOLE, "dile digale dites di share pasale" },
	{ CODE_WORD_TELL, BEGIN,
	  "tell give say read sag nenn communiqu donn dit indiqu diga dar facilit "
	  "comunic dica dia inform noem geef podaj mond назов назв сообщ скаж soyle uppge "
	  "sagt rekn" },
	{ CODE_WORD_TELL, WITHIN, "告知 告诉 提供 お伝え 伝え أخبر اعط" },
	{ CODE_WORD_COURIER, BEGIN,
	  "courier driver rider fahrer zustell kurier livreur coursier repartidor "
	  "mensajer corrier entregador motoboy estafet bezorger koerier futar курьер "
	  "kurye kuryr bud chauff doruc" },
	{ CODE_WORD_COURIER, WITHIN,
	  "店员 司机 配送员 骑手 快递员 配達員 ドライバー المندوب السائق" },
	{ CODE_WORD_TELL, WHOLE,
	  "gib geben gebt halte halten zeg zegt vertel lees say speak says deyin deyiniz dis mow dyktuj" },
	{ CODE_WORD_TELL, BEGIN,
	  "ensen muestr mostr pokaz mutas goster montr powiedz podyktuj dict dikt diktier sprich sprech olvas przeczyt legg okuy "
	  "vorles" },
	{ CODE_WORD_TELL, WHOLE, "show zeig zeige zeigen lis lisez lee leia leggi toon" },
	{ CODE_WORD_COURIER, BEGIN,
	  "postman paketbot bote carteir carter postin facteur postbod listonosz postas "
	  "postac sofor chofer conductor motorist autist conducteur kierowc surucu "
	  "recept recepc guard vigil empfang pfort concierg portier porter kuldonc dostawc" },
	{ CODE_WORD_PICK, WHOLE,
	  "try versuch probier essaie essayez prueba prova provi sprobuj probald попробуй dene deneyin pick choose select click hit match send text pass drop stick plug quote bestatigen bestaetigen confirm confirma confirme confirmez confirmar confirmer conferma confermare potwierdz bevestigen onaylayin nimm "
	  "nehmen schick schicke klick klicken kies kiest klik neem haz clic sec secin "
	  "seciniz" },
	{ CODE_WORD_PICK, BEGIN,
	  "wahl auswahl antipp beruhr hinterleg choisi selection cliqu touch appuy "
	  "present "
	  "elig elij elegi escog escoj seleccion seleziona scegli scelga clicc escolh "
	  "selecion cliqu apresent selecte wybier wskaz zaznacz klikn dotkn valassz "
	  "valaszd jelold koppint kattint bokj dokun tikla isaretle" },
	{ CODE_WORD_REACH, WHOLE,
	  "finish finishes complete completes get gets let lets back return returns "
	  "continue restore restores kommst kommen zuruck fertig rond kom komt terug "
	  "lasst alta" },
	{ CODE_WORD_REACH, BEGIN,
	  "herstel przywr vissza restor recover bring wiederherst recuper retabli ripristin restabl restaur geri abschl schliess schließ abschließ schliesst beend vollend termin finir finis finali reven "
	  "revien retourn complet acaba conclu volv vuelv regres torn rientr voltar "
	  "volta permet permit permett pozwol zakoncz skoncz konczy wroc wraca dokan "
	  "befejez fejez visszal visszat terhet tamamla bitir don sagla afmak vervolled "
	  "concluir" },
	{ CODE_WORD_ACCOUNT, WHOLE, "conto conta in into" },
	{ CODE_WORD_ACCOUNT, BEGIN,
	  "konto kontod fiok compte cuenta rekening hesab hesap profil profiel perfil "
	  "account" },
	{ CODE_WORD_KEEP, WHOLE,
	  "yourself geheim geheimhalten titok titkos titokban gizli guarde guardez gardez "
	  "garde riservato geheimgehalten tajemnicy sakla saklayin segreto secreto "
	  "sigilo confidentiel" },
	{ CODE_WORD_KEEP, BEGIN, "ignor zignor negeer figyelmen" },
	{ CODE_WORD_TELL, WHOLE,
	  "sagen decir dire dizer zeggen demeniz demek mondja mondjon" },
	{ CODE_WORD_COURIER, BEGIN,
	  "rezeption resepsiyon accueil colleague commercant vendeur verkauf mitarbeit dependient sprzedawc elado водител продавц сотрудн gorevli касс penztar kasiy gisede" },
	{ CODE_WORD_PICK, WHOLE, "stuur stuurt manda mande mandaci mandanos" },
	{ CODE_WORD_PICK | CODE_WORD_REACH, BEGIN, "renvoy odesl" },
	{ CODE_WORD_ASK, WHOLE,
	  "ker soracak take takes accepts nimmt accepte acepta accetta" },
	{ CODE_WORD_WEAK, BEGIN, "erlaub engedely zezwol signs logs inicia collega" },
	{ CODE_WORD_ENTER | CODE_WORD_TYPE, WHOLE,
	  "bash batti battere pianotez pianoter" },
	{ CODE_WORD_UNIT, WHOLE,
	  "copie copias exemplaires ejemplares exemplares exemplare peldany sztuk adet "
	  "g gr l ml m m2 m3 yen square more mehr ms mm cm" },
	{ CODE_WORD_THING, WHOLE,
	  "bon contract contrat contrato contratto umowe umowa szerzodes sozlesme "
	  "smlouvu avtal antrag document dokument formulaire договор заявление zaak" },
	{ CODE_WORD_WEAK, BEGIN,
	  "acess girme leptel lepett keuren goedkeur goedgekeur jovahagy zugang dostep "
	  "hozzaferes erisim доступ toegang" },
	{ CODE_WORD_ENTER, WHOLE, "okutun" },
	{ CODE_WORD_LOCK, BEGIN,
	  "tornell torniquet tourniquet drehkreuz catrac bramk forgokap turnike pfort poort llave klucz skrzynk anahtar" },
	{ CODE_WORD_NOUN, WHOLE,
	  "number numbers digits figure sequence nummer zahl zahlen ziffern ziffernfolge "
	  "zahlenfolge numero numeros chiffre chiffres cifra cifras numeri cifre sequenza "
	  "secuencia sequencia getal cijfers nummers numer numeru liczba liczbe cyfry "
	  "szam szama szamod szamot szamsor szamsort cislo cisla cislice siffror numara "
	  "numarasi numaraniz numarayi sayi sayisi rakam rakamlar номер номера число "
	  "числа цифры combination pase pasaje pass przepustka belepo пропуск zugang "
	  "acceso accesso access acces dostep hozzaferes erisim доступ toegang" },
	{ CODE_WORD_HIDDEN, WHOLE,
	  "secret secrete secrets secreto secreta secretos segreto segreta segreti "
	  "onetime unico unica confidential vertrauliche vertraulichen confidentiel "
	  "confidencial riservato poufny poufna bizalmas gizli hemligt hemliga hemlig "
	  "jednorazowy jednorazowa access acces acceso accesso dostepu доступа toegang "
	  "giris erisim" },
	{ CODE_WORD_HIDDEN, BEGIN,
	  "personlich temporar geheim einmalig titkos egyszeri tajn tajem jednorazov "
	  "секретн тайн одноразов sekretn login logowan join rejoin beitritt dolacz "
	  "csatlakoz katil anmeld pristup belepesi вход reset" },
	{ CODE_WORD_WITH, WHOLE,
	  "with mit avec con com met med z s с by using per via cu pomoci pomoca cislem "
	  "cisly numerem помощью кодом числом цифрами through durch mittels dank dzieki "
	  "diky ezzel przez liczba mediante usando utilizando par wpisaniu podaniu zadani "
	  "okazaniu коду بالرقم برقم باستخدام" },
	{ CODE_WORD_WITH, END, "用 凭 憑" },
	/* what opens, is signed or handed over "with X" */
	{ CODE_WORD_OPEN, BEGIN,
	  "apert open reopen geopend ontgrendel sign unterschreib unterzeichn firma firme firmi "
	  "assin podpis podepis alair imzala подпиш подпис underteck onderteken autoriza "
	  "autorizz teslim retire retira ritir abhol atvet odbierz odbior odebr vyzved "
	  "hamta afhal ophal afgehaald забер забрат получ выда pickup collect recog recoj "
	  "recupere levant atveh aufschlie aufsperr aufmach aufgeh aufspring geht "
	  "deverrouill debloque desbloque sblocc entsperr kinyi odemk odemy отопр odblok "
	  "etein apag spegn kikapcsol ausschalt abschalt disarm desactiv disattiv wylacz "
	  "kapan kapat снима отключ выключ desarm entscharf deaktiv" },
	{ CODE_WORD_OPEN, WITHIN,
	  "取件 取货 取貨 提货 提貨 签署 签收 署名 受け取 開き 開く يفتح تفتح وقع 开柜 开锁 解锁 解錠 "
	  "開櫃 请按" },
	{ CODE_WORD_WEAK, WITHIN,
	  "取件 提货 提貨 签署 署名 受け取 签名 端末の確認 本人確認 承認 用于确认 用於確認" },
	{ CODE_WORD_WEAK, WHOLE,
	  "signer signez signature signieren unterschreiben firmar firmare assinar "
	  "podpisac podepsani alairashoz alairas imzalamak imza подписать подписания "
	  "signera ondertekenen alirken alin jova" },
	{ CODE_WORD_LOCK, BEGIN,
	  "tiefgarag spind rekesz dolab taquill casier radbox paketfach fach fahrradkeller csomagautomat "
	  "paczkomat автомат постамат allarm riaszt сигнализ" },
	{ CODE_WORD_AFTER, WHOLE,
	  "tegen seguito seguido gevolgd gefolgt через внутри szammal szamsorral koddal "
	  "sayisiyla numarasiyla" },
	{ CODE_WORD_COURIER, WHOLE,
	  "cashier clerk kasse caisse comptoir caja cassa caixa "
	  "kassa kasie ladzie disken" },
	/* a number tells a shop which parcel somebody comes for */
	{ CODE_WORD_COURIER, BEGIN,
	  "parcel paket pakket pakje colis pacc paczk paczc przesylk csomag posylk посылк "
	  "kargo zasilk balik encomenda paquet" },
	{ CODE_WORD_COURIER, WITHIN, "包裹 快件 荷物 快递" },
	{ CODE_WORD_TELL, WITHIN, "店报 请报 报上" },
	{ CODE_WORD_TOWARDS, WHOLE, "to for with mit do" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "zero oh one two three four five six seven eight nine" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "null eins zwei zwo drei vier funf fuenf sechs sieben acht neun" },
	{ CODE_WORD_DIGIT, WHOLE, "un une deux trois quatre cinq sept huit neuf" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "cero uno una dos tres cuatro cinco seis siete ocho nueve" },
	{ CODE_WORD_DIGIT, WHOLE, "due tre quattro cinque sei sette otto nove" },
	{ CODE_WORD_DIGIT, WHOLE, "um uma dois duas quatro meia sete oito" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "nulla egy ketto ket harom negy ot hat het nyolc kilenc" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "jeden dwa trzy cztery piec szesc siedem osiem dziewiec" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "ноль нуль один два три четыре пять шесть семь восемь девять" },
	{ CODE_WORD_DIGIT, WHOLE, "sifir bir iki uc dort bes alti yedi sekiz dokuz" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "nul een twee drie vijf zes zeven negen nolla yksi kaksi kolme nelja viisi "
	  "kuusi seitseman kahdeksan yhdeksan noll ett tva fyra fem sex sju atta nio "
	  "nula jedna dva tri ctyri pet sest sedm osm devet doi trei patru cinci sase "
	  "sapte opt noua" },
	{ CODE_WORD_DIGIT, WHOLE,
	  "صفر واحد اثنان اثنين ثلاثة أربعة اربعة خمسة ستة سبعة ثمانية تسعة" },
	{ CODE_WORD_NUMBER, WHOLE,
	  "ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety "
	  "hundred thousand double triple zehn elf zwolf hundert dix onze douze treize "
	  "quatorze quinze seize vingt trente quarante cinquante soixante cent mille "
	  "diez once doce trece catorce veinte treinta cuarenta cincuenta sesenta "
	  "setenta ochenta noventa cien mil dieci undici dodici venti cento tiz szaz "
	  "ezer husz dwadziescia сорок сто тысяча yirmi otuz kirk elli altmis yetmis "
	  "seksen doksan yuz bin vinte trinta quarenta cinquenta sessenta oitenta dez "
	  "doze treze catorze dezasseis dezassete dezoito dezanove nonante septante "
	  "quinientos seiscientos" },
	{ CODE_WORD_NUMBER, END,
	  "teen zig ssig ßig dreisig zehn hundert tausend anta antuno ventuno dziesiat "
	  "dziesci nascie надцать дцать десят" },
	{ CODE_WORD_NUMBER, BEGIN,
	  "quarant cinquant sessant settant ottant novant trent huszon harminc negyven "
	  "otven hatvan hetven nyolcvan kilencven tizen veinti dieci" },
	{ CODE_WORD_MONEY, WHOLE,
	  "eur usd gbp chf huf pln sek nok dkk rub czk ron brl inr cad aud jpy cny ft "
	  "forint zl zlotych kr kronor kroner kc lei rs reais euro euros euroa dollar "
	  "dollars pound pounds руб рублей рубля р ftos" },
	{ CODE_WORD_MONEY, WHOLE,
	  "kosztowala kosztowal kosztowalo kostete costo costava coutait cost costs kostet kosten coute coutent cuesta cuestan costa costano custa "
	  "custam kosztuje kosztuja stoji kost koster kerul стоит стоят" },
	{ CODE_WORD_UNIT, WHOLE,
	  "words ord slov slow woorden slowa szo слов people fans tecken "
	  "sec secs second seconds min mins minute minutes hours hour days km kg gb mb "
	  "kb kwh points percent sekunden minuten stunden uhr punkte prozent secondes "
	  "heures segundos minutos horas puntos secondi minuti ore punti pontos seconden "
	  "uur punten sekund minut godzin punktow masodperc perc ora pont sekuntia "
	  "minuuttia tuntia pistetta sekunder minuter timmar poang секунд минут мин "
	  "баллов" },
	{ CODE_WORD_CALL, WHOLE,
	  "call phone tel telephone hotline dial ring stop reply fax anruf anrufen "
	  "telefon rufen antworten appelez appeler repondez llame llamar telefono "
	  "responda chiama chiamare rispondi ligue ligar telefone bel bellen antwoord "
	  "zadzwon hivja hivjon telefonszam kuldje soita puhelin ringa svara звоните тел "
	  "телефон телефону" },
};

/* Words that contain a name by chance. */
static const char *const innocents[] = { "decode", "encode", "kodak", "codex",
					 "kedvezmenyezett" };

static bool code_word_ends_with(const char *word, size_t length, const char *end,
				size_t end_length)
{
	return length >= end_length &&
	       memcmp(word + length - end_length, end, end_length) == 0;
}

static bool code_word_is_in_capitals(const struct text_word *word, size_t length)
{
	for (size_t i = word->length - length; i < word->length; i++) {
		if (word->text[i] < 'A' || word->text[i] > 'Z')
			return false;
	}
	return true;
}

static bool code_word_stem_fits(const struct text_word *word, enum code_word_match match,
				const char *stem, size_t length)
{
	size_t word_length = strlen(word->folded);

	if (word_length < length)
		return false;
	switch (match) {
	case WHOLE:
		return word_length == length && memcmp(word->folded, stem, length) == 0;
	case BEGIN:
		return memcmp(word->folded, stem, length) == 0;
	case END:
		return code_word_ends_with(word->folded, word_length, stem, length);
	case WITHIN:
		return memmem(word->folded, word_length, stem, length) != NULL;
	case CAPITALS:
		return code_word_ends_with(word->folded, word_length, stem, length) &&
		       word->length == word_length &&
		       code_word_is_in_capitals(word, length);
	}
	return false;
}

/* The table's words, those that match by their beginning in order of their first byte. */
static struct stem {
	const char *text;
	size_t length;
	enum code_word_match match;
	unsigned kinds;
} stems[STEMS_MAX];
static unsigned stem_count;
static unsigned first_stem
	[257]; /* for each byte; those from first_stem[256] on are always tried */

static bool code_word_is_found_by_byte(const struct stem *stem)
{
	return stem->match == WHOLE || stem->match == BEGIN;
}

static int code_word_first_byte(const struct stem *stem)
{
	return code_word_is_found_by_byte(stem) ? (unsigned char)stem->text[0] : 256;
}

static int code_word_compare_stems(const void *left, const void *right)
{
	return code_word_first_byte(left) - code_word_first_byte(right);
}

static void code_word_add_stems(unsigned row)
{
	const char *text = table[row].words;

	while (*text) {
		size_t length = strcspn(text, " ");

		assert(stem_count < STEMS_MAX);
		stems[stem_count++] =
			(struct stem){ text, length, table[row].match, table[row].kinds };
		text += length + (text[length] == ' ');
	}
}

static void code_word_prepare_stems(void)
{
	unsigned place = 0;

	for (unsigned row = 0; row < sizeof(table) / sizeof(*table); row++)
		code_word_add_stems(row);
	qsort(stems, stem_count, sizeof(*stems), code_word_compare_stems);
	for (int byte = 0; byte <= 256; byte++) {
		while (place < stem_count && code_word_first_byte(&stems[place]) < byte)
			place++;
		first_stem[byte] = place;
	}
}

static unsigned code_word_kinds_among(const struct text_word *word, unsigned from,
				      unsigned to)
{
	unsigned kinds = 0;

	for (; from < to; from++) {
		if (code_word_stem_fits(word, stems[from].match, stems[from].text,
					stems[from].length))
			kinds |= stems[from].kinds;
	}
	return kinds;
}

unsigned code_word_kinds(const struct text_word *word)
{
	unsigned byte = (unsigned char)word->folded[0];

	for (size_t i = 0; i < sizeof(innocents) / sizeof(*innocents); i++) {
		if (strcmp(word->folded, innocents[i]) == 0)
			return 0;
	}
	if (stem_count == 0)
		code_word_prepare_stems();
	return code_word_kinds_among(word, first_stem[byte], first_stem[byte + 1]) |
	       code_word_kinds_among(word, first_stem[256], stem_count);
}
