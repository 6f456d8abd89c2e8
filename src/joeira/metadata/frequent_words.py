"""The most frequent words of languages that share a script; short, because few words are enough.

Words that several languages have (``de``, ``a``, ``in``) count for each of them; those that only
one of two neighbours has decide.
"""

from __future__ import annotations

LATIN = {
    "en": """
        the of and to in is that for it was on are as with his they at be this from have
        or by one had not but what all were when we there can an your which their said
        if do will each about how up out them then she many some so these would other
        into has more her two like him see time could no make than first been its who
        now people my made over did down only way find use may long after words called
        just where most know get through back much before also around
        """,
    "de": """
        der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als
        auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie
        einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein
        wurde sei hatte kann gegen vom können schon wenn habe seine ihre dann unter wir
        soll ich eines jahr zwei diese dieser wieder keine uhr ihr sehr ohne
        """,
    "fr": """
        de la le et les des en un du une que est pour qui dans a par plus pas au sur ne
        se ce il sont avec ou son elle comme mais on nous leur aux cette ces été fait
        être deux tout ont même sans après aussi bien ses peut entre sa où encore je ils
        vous alors faire depuis très quand cela était notre contre
        """,
    "es": """
        de la que el en y a los se del las un por con no una su para es al lo como más o
        pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos
        también fue había era muy años hasta desde está mi porque qué sólo han yo hay
        vez puede todos así nos ni parte tiene él uno donde bien tiempo ese ella contra
        """,
    "pt": """
        de a o que e do da em um para com não uma os no se na por mais as dos como mas
        ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela
        entre depois sem mesmo aos seus quem nas me esse eles você essa num nem suas meu
        às minha numa pelos elas qual nós lhe está são foi ser tem
        """,
    "it": """
        di e che la il un a per in una sono mi ho non si con le lo da del ma come al dei
        è i alla gli della più nel se ci anche delle o ha questo nella suo perché era ed
        quando essere fatto cosa ai dal stato molto anni sua tutti dalla degli alle
        senza loro tra due ancora dopo quello fino sul hanno prima quella
        """,
    "nl": """
        de van het een en in is dat op te zijn met voor niet aan er die om ook als dan
        maar bij of uit nog naar heeft ze we deze over hij ik was worden werd hebben
        door je meer al moet kan geen zich wordt tot hun wat onder wel had veel tegen
        zou na alle omdat tussen jaar waar toch zo ons nu
        """,
    "sv": """
        och i att det som en på är av för med den till inte har de ett om var jag men
        sig så från vi kan när man år än hade eller nu under vid efter också över hon ut
        där ska han bara detta upp här vara blir alla mycket mot utan mer få sedan någon
        kommer dem sin
        """,
    "da": """
        og i at det er en til på som af for med de den der ikke har et var han om sig
        men fra vi kan jeg så ved år eller også efter skal over da blev ud hun være når
        nu hvor mere have men havde alle op end under mod kun hvis deres meget vil måtte
        hvad bliver noget uden
        """,
    "no": """
        og i det er på en som til av for at med de ikke har den et var om fra han seg
        men vi så jeg kan år eller ved også etter skal over da ble ut hun være når nå
        hvor mer hadde alle opp enn under mot bare hvis deres mye vil hva blir noe uten
        etter fikk siden før vært
        """,
    "fi": """
        ja on ei se että oli hän mutta ovat kun niin myös kuin sen mukaan jo joka vain
        tai ole nyt hänen olisi mitä voi sitä vuoden ollut jos koska siitä tämä kanssa
        jälkeen ennen vielä sekä ne nyt sitten olla mukaan jonka ovat eivät hyvin paljon
        tämän
        """,
    "pl": """
        w i na z do się nie to jest że o jak za po od ale co dla przez tym są tak ze już
        tylko przy czy jego był oraz ma może która który które być jej także lub ich
        tego było kiedy mnie te bardzo roku jako gdy przed pod nad bez będzie można więc
        jednak aby też ten
        """,
    "cs": """
        a v se na je že s z do o i to jako za pro k ve by ale si po jsou od jeho podle
        roku který která které jsem není však jen aby už byl bylo nebo také při let jak
        až být co tak ještě má první než který před bude pouze mezi více další kde když
        velmi ani
        """,
    "sk": """
        a v sa na je že s z do o aj to ako za pre k vo by ale si po sú od jeho podľa
        roku ktorý ktorá ktoré som nie však len aby už bol bolo alebo tiež pri rokov až
        byť čo tak ešte má prvý než pred bude iba medzi viac ďalšie kde keď veľmi ani
        """,
    "hu": """
        a az és hogy nem is egy ez meg csak volt de már mint el még kell van ha azt
        minden vagy lehet után szerint ki ezt pedig csak amely fel úgy között nagyon aki
        sem ami ezek majd lesz mert itt most nagy több ilyen lett
        """,
    "ro": """
        de și în a la cu pe din că o nu care un pentru sau mai este au prin se fost ca
        dar după fi sunt această acest fără unei unui până când între doar foarte lui
        lor sa său ce am asupra aceste toate deci nici peste avea cele către
        """,
    "tr": """
        ve bir bu da de için ile çok olarak daha ne gibi olan en sonra kadar ya o değil
        ama var her olduğu ki diye oldu göre iki yeni büyük ilk şey ancak hem bunu kendi
        olduğunu tarafından zaman hiç böyle şu önce yok ise mi mı arasında
        """,
    "hr": """
        i u je se na da su za od s o a kako koji koja koje što ali nije bi kao iz ili
        već po do sve samo više još godine kad će te bio ih biti prema mu ne li ga ako
        može nakon zbog protiv dok između jer tako kada nema
        """,
    "id": """
        yang dan di dari untuk dengan pada ini itu tidak adalah dalam akan juga ke oleh
        atau sebagai bisa tersebut mereka karena sudah lebih saat telah ada kami anda
        dapat kita saya tahun orang seperti menjadi harus belum setelah hanya namun
        banyak antara
        """,
    "vi": """
        và của là có được cho trong không với một các người những này khi đã để từ đến
        như về ra tại cũng vào năm nhiều theo thì đó trên phải còn sẽ nhưng sau làm chỉ
        rất ở hơn hay việc nếu đang bị
        """,
    "ca": """
        de la el i a que en els les per un del una és amb no es al més com ha va són
        dels pel aquest aquesta però també seva seu ser tot sobre entre quan ja molt
        fins on sense hi han havia des fer o si perquè
        """,
    "et": """
        ja on ei et see kui oli ka ta aga mis oma kes ning või selle siis juba veel ma
        nii aastal pärast olid kuid ainult nende mida väga seda enne üks sest välja tema
        kuni mitte saab
        """,
    "lt": """
        ir yra kad į iš su tai buvo kaip bet ar už dėl nuo jis po savo taip dar tik pat
        jo labai metų kurie kuris apie kai prie jei jau šis būti daugiau jų per ne nes
        tačiau
        """,
    "lv": """
        un ir ka no ar uz par tas kas bija arī kā bet pēc vai gada līdz lai nav tika
        viņa viņš savu jau pie to šo kur tikai ļoti vairāk gadu bez tiek var būt
        """,
    "sl": """
        in je v na da se za so ki z s po pa kot tudi ne od bi o iz ali pri še kako ali
        ko je že do med ni bil bila bilo več lahko leta kjer samo zaradi tako svoje ker
        pred njegov
        """,
    "eu": """
        eta da ez du zen bat ere izan dira dute egin baina zuen hori baino beste egiten
        izango dela dago den duen haiek gure oso berri
        """,
    "gl": """
        de a e o que do da en os unha un para non con as por na no se é máis como dos
        das ao pola polo foi son tamén seu súa pero entre xa cando está ata
        """,
}
CYRILLIC = {
    "ru": """
        и в не на что я с он как а то это по но из у за все к так его от о же для был бы
        вы мы она только или при еще если их до когда уже чтобы во быть был была после
        года лет можно также нет были может
        """,
    "uk": """
        і в не на що з як а та до це у за від про для але був так його по він ми вони ще
        або якщо під час через їх бути може також було буде року які який яка після коли
        вже лише щоб тому має
        """,
    "bg": """
        и на да се в за не от са с по е като че това или при ще до които който но има
        след беше той към една един може само което така тази през между още защото
        всички където ако
        """,
    "sr": """
        и у је се на да су за од са о а како који која које што али није би као из или
        већ по до све само више још године кад ће те био их бити према му не ли га ако
        може након због
        """,
    "mk": """
        и на да се во за не од со по е како што или ќе до кои кој но има беше тој кон
        една еден може само така оваа меѓу уште затоа сите каде ако сè дека
        """,
    "be": """
        і ў не на што я з ён як а то гэта па але у за да так яго ад аб для быў мы яна
        толькі або пры яшчэ калі іх ужо каб быць можа таксама было год гады
        """,
}
ARABIC = {
    "ar": """
        في من على أن إلى التي الذي عن مع هذا هذه كان ما لا بعد قال كل بين أو قد لم ذلك
        كما هو هي عام حيث عند غير حتى إن وقد خلال بن يوم
        """,
    "fa": """
        در به از که این را با است برای آن یک خود تا کرد بر هم نیز گفت می شود شد وی یا
        اما ما های دو باید اگر ایران هر پس بود
        """,
    "ur": """
        کے میں کی ہے اور سے کا کو نے پر کہ اس یہ ہیں بھی ایک کر تو تھا نہیں جو ان ہو گیا
        کیا لیے وہ جا
        """,
}
DEVANAGARI = {
    "hi": """
        के में की है और से का को ने पर कि इस यह हैं भी एक कर तो था नहीं जो हो गया लिए वह
        थी साथ बाद तक
        """,
    "mr": """
        आणि आहे या व ते तो ही हे की च होते असे तर त्या मध्ये करण्यात एक नाही आहेत म्हणून
        त्यांनी झाले होता
        """,
    "ne": """
        र को मा छ ले गरेको हो भएको पनि गर्न यो लागि भने तथा छन् एक गर्ने थियो नेपाल बाट
        """,
}
