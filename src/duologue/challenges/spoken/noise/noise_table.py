"""Parameters of the noise model, as measured on the challenge's data (specification, section 6).

The noise is machine-made. Each utterance follows one recipe, and where a recipe strikes depends on the length alone:
a place is given by the leading bits of a few fixed fractions, as a generator gives it that starts anew with one of a
few seeds. With a fraction f and n things to choose from the place is floor(f * 2^k), k the number of bits of n.
Fractions and particles are fitted on 449 pairs of noisy and clean utterances, shares and characters on 805.
"""

from __future__ import annotations

SHARES = {
    "unchanged": 0.113,
    "punctuation": 0.029,
    "particle": 0.178,
    "repeat+delete": 0.099,
    "swap+particle": 0.097,
    "swap": 0.052,
    "homophone": 0.092,
    "stop": 0.092,
    "stop+repeat": 0.091,
    "repeat": 0.080,
    "digits": 0.021,
    "other": 0.057,
}
"""Share of each recipe among the turns that noise was laid on, as the specification has it."""

FORMS = {
    "unchanged": 0.112,
    "swap+particle": 0.155,
    "stop": 0.106,
    "repeat+delete": 0.105,
    "stop+repeat": 0.104,
    "homophone": 0.101,
    "repeat": 0.100,
    "swap": 0.073,
    "filler": 0.070,
    "tail": 0.066,
    "repeat+tail": 0.022,
}
"""Weight of each way in which noise is made.

One way gives several recipes: a full stop put before the last mark is seen as `punctuation`, a swap of a word and a
mark with a particle after it as `particle`. The weights are those with which the recipes come in their shares.
"""

FIRST_WORDS = 0.0
"""The fraction that stands for the start."""

SWAPS = ((21, FIRST_WORDS), (1, 0.35), (1, 0.47), (2, 0.8), (2, 0.57))
"""Weight and fraction of the second of two words that change places."""

SWAPS_WITH_PARTICLE = (
    (21, FIRST_WORDS, "呀"),
    (17, 0.655, "呀"),
    (16, 0.390, "呢"),
    (5, 0.530, "吧"),
    (4, 0.234, "喽"),
    (4, 0.280, "啊"),
    (2, 0.470, "么"),
    (1, 0.470, "哈"),
    (1, 0.800, "哦"),
)
"""The same, with the particle that is put before the last character."""

FILLERS = (
    (19, 0.600, "呐"),
    (7, FIRST_WORDS, "额"),
    (4, 0.655, "恩"),
    (2, 0.140, "恩"),
    (5, 0.300, "哦"),
    (4, FIRST_WORDS, "喔"),
    (3, 0.210, "嗯"),
    (2, 0.530, "呵"),
    (1, 0.655, "呢"),
    (1, 0.300, "吧"),
)
"""Weight, fraction and sound of a pause in speech."""

TAILS = ((8, "吧"), (5, "呵"), (4, "呀"), (2, "嘛"), (2, "吗"), (1, "呐"), (1, "哈"), (1, "呢"), (0.5, "啦"))
"""Weight and particle put before the last character."""

STOPS = ((26, 0.508), (9, 0.422), (6, 0.359), (4, 0.203), (2, 0.461), (2, 0.656), (1, 0.336))
"""Weight and fraction of the character that a full stop is put before."""

REPEATS = (
    (9, 0.453),
    (8, 0.234),
    (8, 0.672),
    (4, 0.094),
    (4, 0.391),
    (3, 0.578),
    (2, 0.281),
    (1, 0.008),
    (1, 0.422),
    (1, 0.781),
)
"""Weight and fraction of the character that is said twice."""

DELETIONS = (
    (12, 0.391, 0.203),
    (9, 0.516, 0.234),
    (6, 0.391, 0.422),
    (5, 0.016, 0.016),
    (4, 0.391, 0.672),
    (3, 0.219, 0.438),
    (3, 0.422, 0.547),
    (3, 0.453, 0.266),
    (2, 0.484, 0.234),
    (2, 0.703, 0.453),
    (1, 0.031, 0.531),
    (1, 0.242, 0.273),
    (1, 0.281, 0.594),
    (1, 0.281, 0.688),
    (1, 0.438, 0.062),
)
"""Weight, fraction of the character that is lost, and then of the one that is said twice."""

STOPPED_REPEATS = (
    (16, 0.547, 0.266),
    (7, 0.469, 0.469),
    (3, 0.219, 0.844),
    (3, 0.438, 0.312),
    (3, 0.469, 0.422),
    (3, 0.516, 0.453),
    (2, 0.219, 0.266),
    (2, 0.531, 0.344),
    (2, 0.766, 0.766),
    (1, 0.109, 0.297),
    (1, 0.281, 0.156),
    (1, 0.453, 0.141),
    (1, 0.562, 0.562),
    (1, 0.656, 0.156),
    (1, 0.688, 0.562),
    (1, 0.781, 0.469),
)
"""Weight, fraction of the character that is said twice, and then of the one that a full stop is put before."""

HOMOPHONES = (
    (10, 0.016),
    (10, 0.156),
    (5, 0.531),
    (5, 0.656),
    (4, 0.344),
    (2, 0.297),
    (2, 0.406),
    (1, 0.219),
)
"""Weight and fraction of the word that is written with other characters of the same sound."""

KEPT = 0.05
"""Share of the characters of such a word that stay."""

LONGER = 0.4
"""Share of single characters that are passed over for a longer word."""

RARE = 0.12
"""Share of replacements from the less frequent half of the characters, where the usual one is not known."""

USUAL = {
    "的": "德",
    "这": "着",
    "知": "至",
    "道": "捣",
    "演": "严",
    "景": "竟",
    "点": "颠",
    "那": "拿",
    "么": "嚜",
    "还": "嗨",
    "了": "乐",
    "啊": "锕",
    "里": "立",
    "多": "躲",
    "哪": "拿",
    "什": "身",
    "歌": "各",
    "不": "部",
    "听": "挺",
    "钱": "迁",
    "哈": "奤",
    "解": "借",
    "有": "又",
    "久": "灸",
    "它": "她",
    "是": "时",
    "青": "情",
    "吧": "把",
    "个": "格",
    "今": "进",
    "年": "蔫",
    "好": "号",
    "像": "响",
    "啥": "杀",
    "吗": "嘛",
    "手": "售",
    "很": "恨",
}
"""The character that the noise takes for a frequent one: nearly always the same."""

STEADY = frozenset("主")
"""Characters that were never replaced, though their words were."""

NUMERALS = dict(zip("0123456789一二三四五六七八九十", "零壹弍叁肆伍陆柒捌玖壹弍叁肆伍陆柒捌玖拾", strict=True))
"""Formal numerals; those for Chinese digits were seen for one, four, five and ten."""

SPELLED = {"validation": 0.9, "test": 0.4}
"""Share of the utterances with numerals, among those of the ways that may change them, in which they are changed.

Of turns without knowledge 13 % have a numeral, of the user's turns 38 %: so the measured share (2.1 %) is kept within
2 points in both regimes.
"""

PARTICLES = frozenset("呀呢呐吗吧啊呵哦恩额喽哈嘛么喔嗯呗啦")
"""All that was inserted."""

FINAL = frozenset("。？！?!.…~～")
"""Marks that end an utterance."""

MARKS = frozenset("，。？！、；：,.?!;:…~～“”\"'‘’（）()【】-—")
"""Marks that the recipe of full stop and repetition takes away."""

QUIET = frozenset("《》·•")
"""Marks that are lost in every changed utterance: titles in brackets, the dot in foreign names."""
