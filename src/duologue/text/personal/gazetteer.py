"""Lists of names: common given names and surnames in English text, surnames in Chinese.

They are common knowledge written down for this, not taken from a data set. Words that are mostly something else (Will,
Mark, May; 高, 方, 时) stand in lists of their own: they count only where a label says that a name follows.
"""

from __future__ import annotations

GIVEN = frozenset(
    """
    aaron abby abdul abigail adam adele adrian agnes ahmed aidan aisha alan albert alejandro alex alexander alexandra alexis
    alfred ali alice alicia alison allison alma amanda amelia amina amir amy ana andre andrea andreas andrew andy angela
    angelica anita ann anna anne annette annie anthony antonio archie ariana arjun arthur ashley astrid audrey ava barbara
    beatrice ben benjamin bernadette bernard beth bethany betty beverly blake bob bobby bonnie bradley brandon brenda brendan
    brian bridget brooke bruce bryan caitlin caleb callum cameron camila carl carla carlos carmen carol caroline carolyn
    catherine cathy cecilia cedric chad charlie charles chloe chris christian christina christine christopher cindy
    claire clara claudia clive cody colin connor corey craig cristina cynthia daisy damian dan dana daniel daniela danielle
    danny darren dave david deborah debbie deepak denise dennis derek diana diane diego dimitri dmitri dominic don donald donna
    doris dorothy doug douglas duncan dylan ed eddie edgar edith edward edwin eileen elaine eleanor elena eli elijah elisa
    elizabeth ella ellen ellie elsa emily emma emmanuel enrique eric erica erik erin esther ethan eugene eva evan evelyn
    farah fatima felix fernando finn fiona florian frances francesca francis francisco fred freddie frederick gabriel
    gabriela gareth gary gavin gemma geoff geoffrey george georgia gerald gerard gina giovanni giulia glenn gloria gordon graham
    greg gregory greta guillermo gustav hannah hans harold harriet harry hassan hazel heather heidi helen helena henry
    herbert hiroshi holly howard hugh hugo ian ibrahim ingrid irene irina isaac isabel isabella isabelle ivan jackie jacob
    jacqueline jade jaime jake james jamie jan jane janet janice jared jasmine jason javier jean jeff jeffrey jenna jennifer
    jenny jeremy jerome jerry jesse jessica jessie jill jim jimmy joan joanna joanne joe joel johan johannes john johnny jon
    jonathan jorge jose joseph josephine josh joshua joyce juan juanita judith judy julia julian juliana julie juliet
    justin kaitlyn karen karim karl kate katherine kathleen kathryn kathy katie kayla keith kelly ken kenji kenneth kevin
    kieran kim kimberly kirsten klaus kristen kristin kurt kyle lakshmi lara larry laura lauren laurence leah leila lena leo
    leon leonard leslie liam lilian lily linda lindsay lisa logan lois lorenzo lorraine louis louise luca lucas lucia lucy
    luis lukas luke lydia lynn maggie malcolm malik manuel marco marcus margaret maria marianne marie marilyn mario
    marion marissa marjorie marlene martha martin martina marvin mary mateo matt matthew maureen maurice mauricio megan
    mehmet mei melanie melissa meredith mia michael michelle miguel mike mila mildred milo mindy miranda miriam mitchell
    mohamed mohammed molly monica morgan muhammad nadia nancy naomi natalia natalie natasha nathan nathaniel neil nicholas
    nick nicola nicolas nicole nigel nikita nikolai nina noah noel nora norma norman oleg oliver olivia omar oscar otto owen
    pablo pamela patricia patrick paul paula pauline pedro peggy penelope peter petra phil philip phillip phoebe pierre
    priya rachel rafael raj rajesh ralph ramon randy raul raymond rebecca reginald renee rhonda ricardo richard rick ricky
    rita roberta robert roberto rodrigo roger roland ron ronald ronnie rosa rosalind rosemary ross roxanne roy russell ruth
    ryan sabrina sally sam samantha samir samuel sandra sanjay sara sarah scott sean sebastian sergei sergey seth shane
    shannon sharon shaun shauna sheila shelley sherry shirley silvia simon simone sofia sonia sophia sophie stacey stacy
    stan stanley stefan stella stephanie stephen steve steven stewart stuart susan susanna susie suzanne svetlana sven sylvia
    tamara tania tanya tara tatiana ted teresa terence terry tessa theo theodore theresa thomas tiffany tim timothy tina
    todd tom tommy toni tony tracey tracy travis trevor tyler ursula valentina valerie vanessa vera veronica vicky vijay
    vincent vivian vladimir walter wanda wayne wei wendy wendell wesley william willie winston xavier yasmin yolanda yuki
    yusuf yvette yvonne zach zachary zara zoe
    """.split()
)
"""Given names, in small letters: with a capital they are names wherever they stand."""

GIVEN_ALSO_WORDS = frozenset(
    """
    ace amber angel april art august austin autumn bill brook carter charity chase chelsea cherry chip chuck cliff crystal
    dale dallas dawn dean destiny dick drew earl eve faith florence frank gene georgia ginger grace grant guy hope hunter iris
    israel ivy jack jasper jay jo jordan joy june kai ki kit lance lee london mark marshall mason max may melody mercedes
    merry mike miles misty nick norm olive paris parker pat patience pearl penny pierce pat ray reed rich rob robin rocky
    rose ruby rusty sage sandy savannah sierra skip sky sterling sue summer sydney taylor trinity troy ty victor victoria
    violet virginia wade ward warren will woody
    """.split()
)
"""Given names that are mostly something else."""

SURNAMES = frozenset(
    """
    adams alexander allen anderson andrews armstrong arnold austin bailey baker barnes bell bennett black boyd bradley brooks
    brown bryant burns butler campbell carroll carter castillo chapman chavez chen clark clarke cohen cole coleman collins cook
    cooper cox crawford cruz cunningham daniels davies davis diaz dixon dubois duncan dunn edwards elliott ellis evans ferguson
    fernandez fischer fisher flores ford foster fox fraser freeman garcia gardner gibson gomez gonzalez gordon graham grant gray
    green greene griffin gupta hall hamilton hansen hanson harper harris harrison hart harvey hawkins hayes henderson hernandez
    hicks hill hoffman holmes howard hudson hughes hunt hunter ivanov jackson jacobs james jenkins jensen jimenez johnson
    johnston jones jordan kaur kelley kelly kennedy khan kim king knight kowalski kumar lawson lee lewis li lin liu long lopez
    macdonald marshall martin martinez mason matthews mcdonald meyer miller mills mitchell moore morales moreno morgan morris
    morrison muller murphy murray myers nelson newman nguyen nichols obrien ochoa olson ortiz owens palmer park parker patel
    patterson payne perez perkins perry peters petersen peterson phillips pierce porter powell price ramirez ramos reed reid
    reyes reynolds rice richards richardson rivera roberts robertson robinson rodriguez rogers romero rose ross rossi ruiz
    russell russo ryan sanchez sanders santos schmidt schneider schulz scott shah shaw silva simmons simpson singh smith
    snyder sokolov spencer stevens stewart stone sullivan suzuki tanaka tate taylor thomas thompson torres tran tucker turner
    vargas vasquez wagner walker wallace wang ward warren washington watson weaver webb weber wells west wheeler white
    williams williamson wilson wong wood woods wright wu yamamoto yang young zhang zhao
    """.split()
)

CHINESE_SURNAMES = frozenset(
    "林王李张刘陈杨黄赵吴周徐孙马朱胡郭何罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹"
    "黎易常武乔贺赖龚文庞樊兰殷施陶洪翟颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦邢路岳齐梅莫庄辛管祝左涂谷祁舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲霍房裴查解骆鲍"
)
"""Surnames of one character."""
CHINESE_SURNAMES_ALSO_WORDS = frozenset("高于成方时安全向水和平包明连单段冷柳应席井柴")
"""More of them, which are mostly something else."""
CHINESE_DOUBLE_SURNAMES = frozenset(
    "欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 司徒 令狐 夏侯 宇文 长孙 南宫 独孤 端木 百里 申屠 轩辕".split()
)
NO_GIVEN = frozenset(
    "的了是在我你他她它们这那有不要想来去说和与或就都也很还没会能可吗呢吧啊呀哦嗯什么怎个为被把给对到从请谢您号码电话先生女士姐理老师师傅医生客服今昨后下候已再最又日只每另各因所以但如果只让叫问看用做买卖关机费钱万千卡联系套餐业务网流量"
)
"""Characters that no given name has, or hardly one."""

WORDS_WITH_SURNAMES = frozenset(
    "收费 话费 免费 扣费 资费 月费 缴费 交费 续费 付费 计费 消费 了解 谅解 理解 解释 块钱 毛钱 分钱 扣钱 少钱 花钱 退钱 暂时 小时 及时 随时 同时 当时 "
    "按时 时候 时间 流包 量包 月包 季包 年包 日包 游包 音包 油包 个包 的包 这包 那包 播包 包含 包括 包需 包月 包年 正常 异常 经常 非常 平常 日常 分钟 "
    "地方 对方 双方 官方 方式 方便 方法 方面 方案 说明 证明 声明 明白 明天 明细 查询 查看 查到 检查 核查 全国 全省 全部 全市 成功 完成 变成 马上 "
    "一毛 二毛 两毛 三毛 四毛 五毛 六毛 七毛 八毛 九毛 几毛 一张 两张 三张 四张 五张 几张 这张 那张 感谢 谢谢 清单 账单 帐单 菜单 事项 管家 路由 "
    "加包 要查 相关 有关 机关 关部 关于 关闭 和地 季度 高兴".split()
)
"""Words of two characters, one of which is a surname: it is none before a title (扣费先生, 一毛九女士)."""
