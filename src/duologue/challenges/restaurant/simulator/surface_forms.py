"""Words and templates that random schemas are made of.

`{f}` stands for the name of a field, `{n}` for a noun that the user says for it; the placeholders of
`templates` (`{new}`, `{o}`, `{a}`, `{b}`, `{wait}`) are filled when a dialogue is generated.
"""

from __future__ import annotations

from duologue.challenges.restaurant.schema.templates import UtteranceTemplate

_FIELDS = (
    "ambience area bakery balcony beverage booth brand category ceiling chef climate coffee color comfort corner"
    " course crowd decor dessert distance district dresscode drink entertainment entrance event facility flavor floor"
    " furniture garden grill guests heating hours interior juice kitchen landmark language lighting loyalty lunch"
    " manager mood music neighborhood noise occasion oven owner parking patio payment period piano portion quarter"
    " region ritual roof room salad sauce scenery schedule season seating service shade shape side size smoking snack"
    " soup spice stage style suburb surface table tea temperature terrace texture theme timing tone transport vendor"
    " venue view village weekday width window wine yard zone"
)
FIELDS = tuple(_FIELDS.split())
"""Names of new fields, beside random words of syllables."""

_VALUES = (
    "amber ancient arctic autumn azure bamboo baroque bitter blunt brick bright bronze candle canvas cedar ceramic"
    " chilly classic cloudy cobalt copper coral cosy cotton crimson crisp crystal daily dense distant dry dusty"
    " eastern ebony electric emerald empty evening exotic festive fiery floral formal fresh frosty garlic gilded glass"
    " golden granite harbor heavy herbal honey humid indigo indoor iron ivory jade jazz lavender leather lemon linen"
    " lofty loud lunar mango maple marble mellow mild minty misty modern mossy muted narrowish nautical neon nordic"
    " northern oaken olive opal opera organic outdoor oval pastel peppery pine plush polished porcelain rainy rapid"
    " raw regal retro rustic saffron salty sandy satin scarlet scenic shady sharp silent silver simple slow smoky"
    " smooth solar southern spicy spring steamy sturdy sugary summer sunny swift tangy tender thick timber tropical"
    " turquoise urban vanilla velvet vintage violet walnut warm western wicker wild windy winter wooden woolen zesty"
)
VALUES = tuple(_VALUES.split())
"""Values of new slots, beside random words of syllables."""

_SYLLABLES = (
    "ba be bi bo bu da de di do du fa fe fi fo ga ge go gu ha he hi ho ja jo ka ke ki ko ku la le li lo lu ma me mi mo"
    " mu na ne ni no nu pa pe pi po pu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi ya yo za ze zo"
)
SYLLABLES = tuple(_SYLLABLES.split())
"""Syllables of random words."""
ENDINGS = ("", "", "", "n", "r", "s", "l", "m", "x", "nd", "st", "rk")
"""Endings of random words."""

QUESTIONS_NAMED = (
    "any preference on a type of {f}",
    "any preference on the {f}",
    "are you looking for a specific {f}",
    "are you looking for any special {f}",
    "are there any {f} wishes",
    "could you tell me about the {f}",
    "do you care about the {f}",
    "do you have a {f} in mind",
    "do you have special {f} needs",
    "do you need a certain {f}",
    "how about the {f}",
    "how should the {f} be",
    "is a certain {f} required",
    "is there some {f} you like",
    "may i ask for your {f}",
    "please tell me your {f}",
    "shall i look for a particular {f}",
    "what {f} are you looking for",
    "what {f} do you have in mind",
    "what {f} should it be",
    "what is your favorite {f}",
    "what kind of {f} do you prefer",
    "what would be the best {f} for you",
    "which {f} suits you",
    "which {f} would you like",
    "who decides on the {f} and what is it",
    "would you like some other {f}",
    "you have not told me the {f} yet",
)
"""How a bot may ask for a field by its name."""
QUESTIONS_UNNAMED = (
    "and what comes with it",
    "anything that i should note about the {n}",
    "how do you like your {n}",
    "how shall it feel",
    "how would you like it",
    "how many {n} should i plan for",
    "is there something your friends insist on",
    "what do you usually take",
    "what should i watch out for",
    "what sort of {n} is fine with you",
    "what would make you happy",
    "when should that be",
    "where do you want to go",
    "which {n} are you looking for",
    "which one do you fancy",
    "who is coming along",
)
"""How a bot may ask for a field without naming it; `{n}` is another word."""

PHRASES = (
    "with {new} {n}",
    "with a {new} {n}",
    "with some {new} {n}",
    "with {new} {n} only",
    "for {new}",
    "for {new} {n}",
    "for a {new} {n}",
    "in {new}",
    "in a {new} {n}",
    "in the {new} {n}",
    "at {new}",
    "at a {new} {n}",
    "near {new}",
    "near the {new} {n}",
    "on {new}",
    "on a {new} {n}",
    "of the {new} {n}",
    "that is {new}",
    "that has {new} {n}",
    "where the {n} is {new}",
    "by {new}",
    "without anything but {new} {n}",
)
"""How a slot may be put in a request or an update."""

ANSWERS_ONE = (
    "{new} please",
    "{new} {n} please",
    "a {new} {n} would be great",
    "for {new} please",
    "i am looking for a {new} {n}",
    "i am looking for something {new}",
    "i need {new}",
    "i only take {new}",
    "i prefer {new}",
    "i would say {new}",
    "i'd like {new} {n}",
    "in {new}",
    "in a {new} {n} please",
    "it has to be {new}",
    "it should be {new}",
    "let it be {new}",
    "let's say {new}",
    "make it {new}",
    "my friends and i take {new}",
    "the {new} one",
    "we are all {new}",
    "we go for {new} {n}",
    "we will be {new}",
    "with {new} {n}",
    "{wait} and she wants {new}, let's do that",
    "{wait} and she says {new}, so be it",
)
"""Definite answers that name the value alone."""
ANSWERS_TWO = (
    "{o} is very tempting but i'm afraid i have to stick to {new} today",
    "find me one in {new}, {o} will be too complicated",
    "i think i had {o} last time, so let's do {new} {n}",
    "i want {new} {n} please, my friend doesn't like {o}",
    "i want {o} {n} but my friend insists on {new} so let's do that",
    "i want {o} {n}, but my friend wants a {new} {n} so let's do that",
    "i was thinking {o} but my friend prefers {new} so let's do that",
    "let's do {new} {n}, and keep {o} {n} for another day",
    "let's go with {new} {n}, i will keep {o} for next time",
    "let's try {new}, {o} is out of the way for me",
    "not {o} again, {new} this time",
    "{new} rather than {o} please",
    "{o} would be fine for me but we all agreed on {new}",
    "we take {new} as {o} did not go well last time",
)
"""Definite answers that name another value too."""

HEDGES = (
    UtteranceTemplate(text="{a} is tempting but {b} may be more reasonable", draw="anyany"),
    UtteranceTemplate(text="{a} is nice on the stomach but hard on the wallet", draw="any"),
    UtteranceTemplate(text="{a} perhaps. let me think", draw="o"),
    UtteranceTemplate(text="{a} sounds like a good middle ground, but i am not sure", draw="any"),
    UtteranceTemplate(
        text="i always forget if my friend prefers {a} or {b} {n}, but perhaps i should pick something else entirely",
        draw="oo",
    ),
    UtteranceTemplate(text="i am not very fond of {a}, but it was nice last time", draw="o"),
    UtteranceTemplate(text="i am very fond of {a}, but it's also good to change sometimes", draw="o"),
    UtteranceTemplate(text="i could perhaps do {a} or {b}, but it's not ideal", draw="oo"),
    UtteranceTemplate(text="i don't like {a}, but the restaurants aren't bad", draw="o"),
    UtteranceTemplate(text="i find {a} {n} often disappointing, but sometimes delicious. let me think.", draw="o"),
    UtteranceTemplate(text="i got {a} last time, so i may be due for a change", weight=2, draw="half"),
    UtteranceTemplate(
        text="i like {a} {n} better than {b} {n}, generally, but not always, and there are so many other options",
        draw="oo",
    ),
    UtteranceTemplate(text="i like {a}, but i always go there", draw="o"),
    UtteranceTemplate(text="i love {a} {n}, but i also like variety.", draw="o"),
    UtteranceTemplate(text="i might want {a}, hard to say", draw="any"),
    UtteranceTemplate(text="leaning towards {a}, but give me a bit more time", weight=2, draw="half"),
    UtteranceTemplate(text="let me check if {a} or {b} would work", weight=2, draw="check"),
    UtteranceTemplate(text="maybe {a}, maybe {b}, one second", draw="anyany"),
    UtteranceTemplate(text="{wait} if she wants to do {a}, let's see", draw="half"),
    UtteranceTemplate(text="{wait} if she wants {a}, let's see", draw="o"),
)
"""Hedges of users who hesitate."""
