"""Names of peoples of China whose languages are written in other letters, as Chinese characters transcribe them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTS = frozenset(
    # Uyghur and Kazakh
    "阿依 古丽 买买提 吐尔逊 吐尔洪 艾合买提 阿卜杜 阿不都 热合曼 热依 热西提 努尔 依明 玉素甫 玉素普 卡德尔 迪丽 热巴 娜扎 阿迪力 帕尔哈提 艾力 "
    "艾山 肉孜 库尔班 吾买尔 吾斯曼 木合塔尔 买合木提 麦麦提 麦合 阿布拉 阿孜 祖丽 祖力 皮亚 帕提 帕夏 再娜 孜亚 艾尼 尼亚孜 亚森 亚里坤 西力 "
    "艾则孜 赛买提 塔伊尔 吾甫尔 伊力哈木 伊明 司马义 依布拉音 依不拉音 哈力 哈木 米娜 米热 巴哈尔 古力 阿娜尔 木提 合买 叶尔 努尔兰 巴合提 "
    "别克 波拉提 阿斯卡尔 叶尔江 加娜 阿曼 哈里 阿衣 库德热 阿力木 阿里木 玛依拉 赛福 孜巴 再努 买提 "
    # Tibetan
    "扎西 卓玛 多吉 次仁 旺姆 拉姆 平措 尼玛 达瓦 索朗 索南 顿珠 格桑 德吉 白玛 仁青 仁增 丹增 旦增 单增 央金 洛桑 罗桑 贡布 罗布 边巴 米玛 普布 巴桑 "
    "强巴 曲珍 曲扎 措姆 土登 才让 才旦 卓嘎 加措 嘉措 坚赞 班觉 益西 拉毛 卓尕 多杰 南杰 旺堆 旺久 玉珍 次旦 "
    # Mongol
    "巴特尔 其其格 格日勒 图雅 娜仁 萨仁 高娃 斯琴 苏日 巴雅尔 朝鲁 乌日 特木尔 阿拉坦 宝音 那日苏 格根 塔娜 敖登 布和 孟根 德力格尔 牧仁 乌云 "
    "朝克图 呼格吉勒 吉日嘎拉 巴图 额尔 通拉嘎 哈斯 青格勒 斯钦 呼和 乌兰 托娅".split()
)
"""What such names are made of."""
_ALSO_WORDS = frozenset("尼玛 乌兰 呼和 古力 布和 白玛 玉珍 阿曼 米娜".split())
"""Of them those that alone are something else, too."""
_ENDINGS = "江汗木克"
_RARE = "阿艾尔古吐孜买娜扎帕热吾玛迪依娅莎穆姆萨塔"
"""Characters that transcribe, and are in few words of a call."""
_PART = re.compile("|".join(sorted(PARTS, key=len, reverse=True)) + f"|[{_RARE}{_ENDINGS}]")
_FIRST = "".join(sorted({part[0] for part in PARTS} | set(_RARE + _ENDINGS)))
_RUN = re.compile(rf"(?=[{_FIRST}])(?:{_PART.pattern}){{1,7}}+")
_LEAST = 3


def transcribed_size(text: str, at: int, *, sure: bool) -> int:
    """Return how many characters from a place on are such a name behind a label, 0 for none.

    Behind a `sure` one unknown names count whose characters all transcribe.

    >>> transcribed_size("我是古丽", 2, sure=False), transcribed_size("我叫帕孜莱", 2, sure=True)
    (2, 0)
    """
    run = _RUN.match(text, at)
    return len(run[0]) if run is not None and _is_name(run[0], sure=sure) else 0


def transcribed(text: str, titles: tuple[str, ...]) -> Iterator[PersonalSpan]:
    """Yield such names before one of the `titles`, and those of two known parts or more wherever they stand."""
    for run in _RUN.finditer(text):
        known = _known(run[0])
        titled = text.startswith(titles, run.end()) and _is_name(run[0], sure=True)
        if titled or (len(known) > 1 and sum(map(len, known)) > _LEAST):
            yield PersonalSpan(run.start(), run.end(), "NAME")


def _known(run: str) -> list[str]:
    return [part for part in _PART.findall(run) if part in PARTS]


def _is_name(run: str, *, sure: bool) -> bool:
    known = _known(run)
    if known and not (len(known) == 1 and run in _ALSO_WORDS):
        return run[0] not in _ENDINGS
    return sure and len(run) >= _LEAST
