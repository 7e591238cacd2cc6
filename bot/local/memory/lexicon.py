"""Lists of words: those that carry nothing, those that carry little, and those that mean about the same.

Written by hand for the larger languages. A language that is missing loses ranking, never memories.
"""
# ruff: noqa: RUF001 - words of other scripts are the point here

from __future__ import annotations

STOP = {
    "english": """a about above after again all am an and any anybody anyone anything are aren as at be because
        been before being between both but by can cannot could couldn d did didn do does doesn doing don
        down during each else ever every for from further had hadn has hasn have haven having he her
        here hers herself him himself his how however i if in into is isn it its itself just ll m many
        me might mine more most much must my myself no nor not now of off on once only or other
        ought our ours ourselves out over own re s same shall she should shouldn so some such t than
        that the their theirs them themselves then there these they this those through to too under
        until up us ve very was wasn we were weren what whatever when where whether which while who whom
        whose why will with won would wouldn yes you your yours yourself please""",
    "german": """aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dann das
        dass dem den denn der des dich die dies diese diesem diesen dieser dir doch du durch ein eine
        einem einen einer er es etwas euch euer für gegen hab habe haben hat hatte ich ihm ihn ihnen ihr
        ihre im in ist ja jede jeder jetzt kann kein keine man mein meine meinem meinen meiner mich mir
        mit muss nach nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll und
        uns unser vom von vor wann war waren warum was weil wenn wer werde werden wie wird wir wo zu zum
        zur über bitte welche welcher welches hast""",
    "french": """ai alors au aussi aux avec avait avez avons c ce ces cet cette ceux chez comme comment d dans de
        des donc du elle elles en es est et eu eux fait il ils j je l la le les leur leurs lui m ma mais
        me mes moi mon n ne nos notre nous on ont ou où par pas pour pourquoi qu quand que quel quelle
        quelles quels qui quoi s sa sans se ses si son sont suis sur t ta te tes toi ton tous tout toute
        toutes très tu un une vos votre vous y était été être plaît""",
    "spanish": """a al algo como con cual cuál cuáles cuando cuándo de del desde donde dónde e el él ella ellas
        ellos en era eres es esa ese eso esta está este esto estoy fue ha han has hasta hay he la las le
        les lo los más me mi mí mis muy nada ni no nos nosotros o os para pero por porque que qué quien
        quién se ser si sí sin sobre son soy su sus también te tengo tiene tu tú tus un una uno unos y
        ya yo favor""",
    "italian": """a ai al alla alle anche c che chi ci col come con cosa da dal dalla dei del della delle di dove
        e è ed essere fa fra gli ha hai ho i il in io l la le lei lo loro lui ma mi mia mie miei mio ne
        nei nel nella noi non nostro o per perché più qual quale quali quando quanto questa questo qui
        se sei si sono su sua sue suo sul sulla ti tra tu tua tuo un una uno voi""",
    "portuguese": """a ao aos as às até com como da das de dela dele do dos e é ela elas ele eles em entre era essa
        esse esta está estava este eu foi há isso isto já lhe mais mas me meu meus minha minhas muito na
        nas não no nos nós o onde os ou para pela pelo por porque qual quais quando que quem se sem ser
        seu seus só sobre sou sua suas também te tem tenho um uma você vocês""",
    "dutch": """aan al alles als ben bij daar dan dat de der deze die dit doch door dus een en er ge geen had
        heb hebben heeft het hier hij hoe hun ik in is ja je jij kan maar me men met mij mijn moet na
        naar niet nog nu of om omdat ons ook op over te toch toen tot u uit van veel voor waar wanneer
        was wat we wel welke werd wie wij wil worden zal ze zei zich zij zijn zo zonder""",
    "swedish": """alla att av blev bli den denna det detta dig din ditt du där då efter ej eller en ett från för
        ha hade han har hon hur här i inte jag kan man med mig min mina mitt mot ni nu när och om oss på
        sig sin som så till under upp ut vad var vara vem vi vid vilken vilket är över""",
    "polish": """ale bo być był była było by byli ci co czy dla do gdzie go i ich ile ja jak jaka jakie jaki je
        jego jej jest jestem już kiedy kto która które który lub ma mam mi mnie moja moje mój na nad nie
        o od on ona oni pan po pod przez są się ta tak także tam te tego tej ten to tobie tu ty u w we
        więc wy z za ze że żeby""",
    "turkish": """acaba ama ancak bana bazı belki ben benden beni benim bir biri biz bu bunu çok çünkü da daha de
        değil diye en gibi hangi hem hep her için ile ise kadar kim ki mi mu mı mü nasıl ne neden nerede
        niye o onlar onu sana sen senin siz şey şu ve veya ya yani""",
    "russian": """а без более бы был была были было быть в вам вас ведь весь во вот все всё всего всех вы где да
        для до его ее её если есть ещё еще же за и из или им их к как какая какие какой когда кто ли мне
        много мной моё мое моей моего мои мой моя мы на надо нам нас не него неё нет ни но ну о об обо
        он она они оно от по под при с со так также такой там тебе тебя тем то тоже только том ты у уже
        что чтобы чём эта эти это этот я""",
    "arabic": """في من على إلى الى عن مع هذا هذه ذلك تلك هو هي هم أنا انا أنت انت نحن كان كانت يكون ما ماذا متى
        أين اين كيف هل لماذا كم أن ان إن لا لم لن قد كل بعض بين بعد قبل عند لي لك له لها يا أو او و ثم
        حتى التي الذي الذين ليس أي""",
}

WEAK = """like likes liked love loves hate prefer prefers favourite favorite preferred enjoy want wants need
    needs know knows knew everything anything all thing things stuff day days today tomorrow yesterday
    week month year time times current currently new old good bad best great nice make makes made take
    takes get gets got getting go goes going gone come comes give gives given gave put tell told say
    says said use used think feel look see find help try keep let start started way lot lots bit little
    big really also still actually thank thanks ok okay well remember forget note right sure people
    person something someone question answer quite pretty mention mentioned happen happening happens may mag
    mögen liebe gern gerne heute morgen gestern neu gut lieblings machen gehen weiß weisst weißt sagen
    gesagt erinnerst gemerkt aime aimer adore préféré préférée aujourd hui demain faire aller sais dit
    gusta favorito favorita preferido hoy mañana hacer sabes dicho piace preferito preferita oggi domani
    fare sai gosto favorita hoje amanhã fazer sabe vind leuk favoriete vandaag morgen weet люблю
    нравится любимый любимая сегодня завтра знаешь أحب تعرف 喜欢 喜歡 最喜 知道 告诉 好き 教え 좋아
    아요 어요 해요 습니 니다"""
"""Words that support a match but do not make one while the question has stronger words."""

CJK_BREAKS = (
    "什么|甚麼|什麼|怎么|怎麼|为什么|為什麼|哪里|哪裡|哪儿|多少|我们|我們|你们|他们|是不是|有没有|"
    "でした|です|ます|ました|ません|ください|している|する|した|して|という|こと|なに|なん|どこ|だれ|いつ|どの|"
    "知っています|知っている|知って|知ってる|覚えています|覚えている|覚えて|알고|알아|기억|"
    "わたし|あなた|ぼく|私|僕|俺|君|何|誰|入れて|"
    "무엇|뭐야|뭐|어디|누구|언제|나는|내가|제가|저는|나의|내|제|입니다|이에요|예요|인가요|있어|"
    "ของ|ฉัน|ผม|ดิฉัน|คุณ|คือ|เป็น|ที่|อะไร|ไหม|ครับ|ค่ะ|คะ|และ|อยู่|ใคร|ไหน|"
    "[的了是在我你您他她它吗嗎呢吧啊谁誰哪么麼这這那有和也就都不很几幾个個请請给給把想要想]|[はがをにでともへやかねよの]"
)
"""What binds words in scripts without spaces; texts and questions are both cut there."""

LONE = "".join(map(chr, range(0x3041, 0x3097))) + "에은는이가을를로의와과도만아어요해했니다서"
"""Characters that say nothing alone: hiragana, and the particles and endings of Korean."""

SPELLINGS = {
    "colour": "color",
    "favourit": "favorit", "favour": "favor", "flavour": "flavor", "neighbour": "neighbor", "honour": "honor",
    "behaviour": "behavior", "labour": "labor", "centre": "center", "theatre": "theater", "grey": "gray",
    "organis": "organiz", "realis": "realiz", "jewell": "jewel", "travell": "travel", "programm": "program",
    "hometown": "town", "tyre": "tire", "mum": "mom", "mummi": "mom",
}  # fmt: skip

FAMILIES = {
    "live": """live lives lived living move moved moves moving relocate relocated relocating reside resides residing
        resident wohne wohnst wohnt wohnen gewohnt lebe lebst lebt gezogen umgezogen umziehen habite habites habiter
        habitais
        vis vivre déménagé déménager emménagé vivo vives vive vivir vivimos mudé mudado mudarme abito abiti abita
        abitare trasferito trasferita moro moras mora morar mudei woon woont wonen verhuisd bor flyttade flyttat
        mieszkam mieszkasz mieszka przeprowadziłem przeprowadziłam yaşıyorum oturuyorum taşındım живу живешь живет
        жить переехал переехала أعيش تعيش أسكن اسكن تسكن انتقلت रहता रहती
        住 搬 居住 定居 移居 引っ越 引越 暮ら 살아 살고
        살았 삽니다 이사 거주 อาศัย ย้าย""",
    "work": """work works worked working job jobs employed employer employment hire hired occupation profession
        arbeite arbeitest arbeitet arbeiten arbeit beruf angestellt arbeitgeber stelle travaille travailles travailler
        travail emploi métier employeur embauché embauchée trabajo trabajas trabaja trabajar empleo empleado contrataron
        lavoro lavori lavora lavorare assunto assunta trabalho trabalha trabalhar emprego contratado werk werkt werken
        baan werkgever jobb jobbar arbetar pracuję pracujesz praca çalışıyorum работаю работаешь работает работа
        работать أعمل تعمل عمل وظيفة 工作 上班 就职 入职 職場 働 勤め 仕事 就職 일하 일해 근무 직장 취직 ทำงาน""",
    "name": """name named names called nickname nicknamed heiße heißt heisse heisst heißen genannt nennt nom prénom
        appelle appelles appelé appelez nombre llamo llamas llama llaman apodo nome chiamo chiami chiama soprannome
        chamo chamas chama apelido naam heet heten namn heter imię nazywam nazywasz adım ismim зовут имя اسم اسمي اسمك
        叫 名字 姓名 名前 呼ん 이름 불러 ชื่อ""",
    "spouse": """wife husband spouse partner married marry marries marriage fiancé fiancée engaged ehefrau ehemann
        verheiratet geheiratet heirat heiraten femme mari épouse époux marié mariée esposa esposo marido casado casada
        casé moglie marito sposato sposata echtgenoot echtgenote getrouwd żona mąż жена жену муж женат замужем
        زوجتي زوجي متزوج متزوجة 妻 妻子 丈夫 老婆 老公 结婚 結婚 旦那 奥さん 아내 남편 결혼 ภรรยา สามี แต่งงาน""",
}
"""Words for one circumstance of a life, told and asked in any of them ("I moved to Bergen", "Where do I live?").

A match within a family counts like one of the word itself, so that what was said last comes first.
"""

CONCEPTS = """
buy purchase shop shopping groceries grocery store supermarket order einkaufen kaufen einkauf acheter courses \
comprar compras comprare spesa kopen boodschappen
=live home house flat apartment address reside based hometown
=work company career office firm startup colleague
=name surname
eat eats food meal dish cook cooking dinner lunch breakfast supper snack snacky hungry recipe restaurant essen \
manger comida comer mangiare cibo eten
sweet sweets sugary sugar candy dessert treat chocolate cake cookie
drink drinks beverage thirsty > coffee tea wine beer water juice cocktail
allergic allergy allergies intolerant intolerance allergisch allergie alergia alergico allergico
birthday born birth birthdate geburtstag geboren anniversaire né cumpleaños nacido compleanno aniversário verjaardag
=spouse girlfriend boyfriend
child children kid kids > son daughter baby twins boy girl kind kinder enfant enfants hijos figli filhos
mother mom mama mutter mère madre mãe
father dad papa vater père padre pai
parent parents > mother father mom dad mama papa
sibling siblings > sister brother twin geschwister
relative relatives family > mother father mom dad sister brother aunt uncle cousin grandmother grandfather niece \
nephew wife husband son daughter
dog puppy
cat kitten
pet pets animal animals > dog cat puppy kitten hamster rabbit parrot fish horse turtle hund katze chien chat \
perro gato cane gatto
travel trip journey holiday vacation flight fly visit tour reise urlaub voyage viaje viaggio viagem
meet meeting appointment rendezvous gathering termin treffen
sport sports exercise > tennis football soccer basketball volleyball handball swim run cycle bike climb yoga gym \
hockey golf ski surf row box dance hike jog marathon
hobby hobbies pastime leisure > sport play paint draw knit garden read collect guitar piano violin drums \
photography chess bake hike climb dance sing
instrument > guitar piano violin drums flute cello saxophone trumpet
phone telephone mobile cell
mail email inbox
movie movies film films cinema
music song songs band album
book books novel reading
doctor physician clinic dentist
car vehicle drive driving automobile
old age ages
ill sick disease illness health medical
vegetarian vegan diet meat
avoid eat food diet cook dinner lunch restaurant recipe > allergic allergy intolerant vegetarian vegan gluten \
lactose halal kosher
city town village country
school university college student study studies studying degree
plan plans upcoming schedule agenda > tomorrow appointment meeting trip deadline reminder
language speak speaks fluent
money salary pay income budget price cost
run running jog jogging marathon
sad unhappy depressed happy mood
color colour farbe couleur colore cor kleur
"""
"""A line holds words of about one meaning; those behind ">" are kinds of it, found by it but not by each other.

A match by meaning counts half of a match by word.
"""
