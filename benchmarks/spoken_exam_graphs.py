"""Invented graphs for the exam of spoken questions: two worlds that share no attribute and no name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.records import Fact
from duologue.core.rng import Rng
from duologue.knowledge.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(NamedTuple):
    """Entities of one kind: how many, the endings of their names, and their attributes."""

    number: int
    endings: tuple[str, ...]
    attributes: dict[str, str | tuple[str, ...]]
    """What the values are: `kind:NAME` or `kinds:NAME` (several), a form of a number or date, or words to draw from.

    Several forms of one attribute stand with `|` between them: other units, ranges, what is free.
    """


_NUMBER = re.compile(r"\{(\d+)-(\d+)\}")
SIGNS = {
    "development": "云石松岭鹤青川柳江宁安平远景和明秋水竹林雪山玉龙泉凤霞金桥白丹枫兰溪星辰墨书雅文华"
    "阳春月海波风清晓荷莲梅菊桂棠杏桃梨李杨樟银铜铁瓦砖楼亭台阁塔寺园湖池沙洲岛岸峰谷坡原野田禾麦稻豆瓜"
    "虎豹鹿马牛羊雁燕莺鸥鲤鲸珠宝贝琴棋画诗歌舞笔纸灯烛钟鼓刀剑弓箭车舟帆旗衣冠带靴",
    "test": "沧朔霖翠崖湘珂琅澜屿槐榆荆杉峻曦暮朗璟铭骁瀚苓茗蕴岚笙筠黎郁邺渝颍蔚骏骊钰鹏嵩"
    "澄泓淮汾泾漳沛沂浦汐潭涧濠漪瑶琪瑾瑜璇玥珞琬昊昱晟晖晗曜昕煜烨炜焕灿炎彤绯绛紫碧缃素缇锦绣绮绫纱帛"
    "楠柏桐桦椿榕橡枳芷蘅薇芙蓉萱茉莉菱芦苇蒲艾蒿蕙荃鸿鹄鹭鹰隼麒麟蛟鲲貔",
}
WORLDS: dict[str, dict[str, Kind]] = {
    "development": {
        "person": Kind(
            500,
            ("", "之", "生"),
            {
                "职业": ("画师", "铁匠", "郎中", "教书先生", "船夫", "木匠", "裁缝", "乐师"),
                "家乡": "kind:town",
                "师父": "kind:person",
                "身高": "{150-199}厘米|{150-199}厘米|1.{50-99}米",
                "生日": "date",
                "好友": "kinds:person",
            },
        ),
        "town": Kind(
            120,
            ("镇", "城", "村"),
            {
                "人口": "{1000-90000}人",
                "面积": "{3-900}平方公里|{200-90000}公顷",
                "镇长": "kind:person",
                "特产": ("茶叶", "瓷器", "丝绸", "腊肉", "竹编", "米酒", "蜂蜜", "墨锭"),
                "气候": ("温和", "湿热", "干冷"),
            },
        ),
        "book": Kind(
            400,
            ("记", "传", "录", "谱"),
            {
                "作者": "kind:person",
                "出版日期": "date",
                "页数": "{80-900}页",
                "售价": "{12-300}元|{12-300}元|免费",
                "题材": ("游记", "兵法", "医术", "诗歌", "农事", "天文"),
                "主要人物": "kinds:person",
            },
        ),
    },
    "test": {
        "company": Kind(
            300,
            ("集团", "科技", "重工", "食品"),
            {
                "董事长": "kind:player",
                "总部": "kind:city",
                "成立日期": "date",
                "员工数量": "{20-60000}人|{1-6}万人",
                "行业": ("造船", "酿造", "软件", "航运", "纺织", "制药"),
                "子公司": "kinds:company",
            },
        ),
        "city": Kind(
            120,
            ("市", "港", "湾"),
            {
                "海拔": "{2-3000}米|{2-3000}米|{1-3}公里",
                "市长": "kind:player",
                "友好城市": "kinds:city",
                "方言": ("北腔", "海话", "山语", "官话"),
                "邮政区号": "{200-999}",
            },
        ),
        "ship": Kind(
            350,
            ("号", "舰"),
            {
                "船长": "kind:player",
                "母港": "kind:city",
                "下水日期": "date",
                "吨位": "{300-90000}吨|{1-9}万吨",
                "航速": "{8-45}节",
                "票价": "{20-900}元|{20-900}元|免费|无需购票。",
                "单程耗时": "{3-60}小时|{1-9}天|{2-8}小时 - {9-30}小时|{1-2}天 - {3-9}天",
                "建造商": "kind:company",
                "用途": ("货运", "客运", "科考", "救援", "捕捞"),
            },
        ),
        "player": Kind(
            450,
            ("", "然", "德"),
            {
                "球衣号码": "{1-99}",
                "体重": "{50-110}公斤",
                "教练": "kind:player",
                "惯用手": ("左手", "右手"),
                "出生城市": "kind:city",
                "队友": "kinds:player",
            },
        ),
    },
}


def invented(world: str, seed: int) -> Graph:
    """Return the graph of a world, its names and values drawn by the seed."""
    kinds = WORLDS[world]
    rng = Rng("exam graph", world, seed)
    taken: set[str] = set()
    names = {name: [_name(kind, SIGNS[world], taken, rng) for _ in range(kind.number)] for name, kind in kinds.items()}
    facts: list[Fact] = []
    for kind, table in kinds.items():
        for name in names[kind]:
            for attribute, what in table.attributes.items():
                facts += [Fact(subject=name, relation=attribute, object=value) for value in _values(what, names, rng)]
    return Graph(f"{world} {seed}", facts)


def _name(kind: Kind, signs: str, taken: set[str], rng: Rng) -> str:
    while True:
        name = "".join(rng.choice(signs) for _ in range(2 + rng.below(2))) + rng.choice(kind.endings)
        if name not in taken:
            taken.add(name)
            return name


def _values(what: str | tuple[str, ...], names: dict[str, list[str]], rng: Rng) -> list[str]:
    if isinstance(what, tuple):
        return [rng.choice(what)]
    draw: dict[str, Callable[[str], list[str]]] = {
        "kind": lambda one: [rng.choice(names[one])],
        "kinds": lambda one: rng.sample(names[one], 2 + rng.below(4)),
    }
    head, _, tail = what.partition(":")
    if head in draw:
        return draw[head](tail)
    if what == "date":
        return [f"{1700 + rng.below(320)}年{1 + rng.below(12)}月{1 + rng.below(28)}日"]
    form = rng.choice(what.split("|"))
    return [_NUMBER.sub(lambda found: str(int(found[1]) + rng.below(int(found[2]) - int(found[1]) + 1)), form)]
