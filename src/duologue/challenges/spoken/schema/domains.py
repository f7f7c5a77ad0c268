"""Domains of the challenge, guessed from the attributes that a dialogue or an entity has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DOMAINS = {
    "travel": "周边景点 门票 开放时间 建议游玩时间 地址 电话",
    "fish": "分布 科 目 纲 属 介绍 是否具备观赏价值 是否可以作为食物",
    "book": "分类 出版时间 出版社 价格 评分 译者",
    "wow": "种族 势力 所在地 状态 阵营 身份 生命值 头衔 等级 仇视 法力值 对联盟玩家态度 对部落玩家态度",
    "lotr": "子嗣 父亲 兄弟姐妹 家族 母亲 女儿",
    "poem": "作品 诗词全文 朝代 作者简介 赏析 题材 作品简介 名句 中心思想",
    "idiom": "释义 出处 拼音 近义词 反义词 故事 谜语 歇后语 外文名",
    "recipe": "辅料 主食材 耗时 做法 工艺 口味 菜系",
    "film": "主演 上映时间 导演 制片地区 片长 其它译名 对白语言 编剧 出品公司 制片成本 拍摄地点 票房 发行公司 制片人 "
    "出品时间 擅长语言 拍摄日期 在线播放平台 IMDB评分 主要奖项 全球票房 分级 制片公司",
    "music": "发行时间 音乐风格 专辑歌手 获得奖项 曲目数量 歌曲原唱 谱曲 填词 唱片公司 发行地区 制作人 所属专辑 编曲 "
    "专辑语言 歌曲时长 专辑时长 MV导演 唱片销量 歌曲语言 华语旗下歌手 旗下艺人 华语子公司 总部地点 特长 主唱 代表作",
}
"""Attributes that are distinctive of a domain, from the visible validation dialogues and KdConv."""

PEOPLE = "职业 代表作品 出生日期 主要成就 出生地 国籍 外文名称 星座 毕业院校 身高 经纪公司"
"""Attributes of people, whether of film or of music."""

_OF_PEOPLE = frozenset(PEOPLE.split())

_BY_ATTRIBUTE: dict[str, tuple[str, ...]] = {}
for _domain, _attributes in DOMAINS.items():
    for _attribute in _attributes.split():
        _BY_ATTRIBUTE[_attribute] = (*_BY_ATTRIBUTE.get(_attribute, ()), _domain)


def domain_of(attributes: Iterable[str]) -> str | None:
    """Return the domain that the attributes of a dialogue indicate; `None` where none is distinctive.

    A guess: the data do not say the domain. Each distinctive attribute is a vote, ties go to the name that comes
    first in the alphabet; `person` is a dialogue that has nothing but attributes of people.

    >>> domain_of(["Information", "门票"]), domain_of(["职业"]), domain_of(["Information"])
    ('travel', 'person', None)
    """
    votes: dict[str, int] = {}
    person = False
    for attribute in attributes:
        person = person or attribute in _OF_PEOPLE
        for domain in _BY_ATTRIBUTE.get(attribute, ()):
            votes[domain] = votes.get(domain, 0) + 1
    if votes:
        return min(votes, key=lambda domain: (-votes[domain], domain))
    return "person" if person else None
