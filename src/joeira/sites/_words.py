"""Words of the pages of a site: stop words, stems, and how evenly words are spread.

The stemmer is Porter's for English (1980). Its rules are tables of (ending, replacement); of the
endings that fit, the longest decides. The measure of a stem is the number of its vowel runs that a
consonant follows.

The entropy of a thing that stands f times on each of some pages is ln(n) - s / n, with n the sum of
f and s the sum of f ln f. Both sums grow page by page, so no page has to be kept.
"""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira.arrays import Floats
from joeira.metadata.language import MAX_CHARS, detect
from joeira.page import Page

_WORDS = {
    "en": "a about above after again against all am an and any are as at be because been before "
    "being below between both but by can did do does doing don down during each few for from "
    "further had has have having he her here hers herself him himself his how i if in into is it "
    "its itself just me more most my myself no nor not now of off on once only or other our ours "
    "ourselves out over own same she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom why will with you your yours yourself yourselves",
    "pt": "a ao aos aquela aquelas aquele aqueles as até com como da das de dela delas dele deles "
    "depois do dos e ela elas ele eles em entre era eram essa essas esse esses esta estas este "
    "estes está estão eu foi foram há isso isto já lhe lhes mais mas me mesmo meu meus minha muito "
    "na nas nem no nos nossa nosso num numa não o os ou para pela pelas pelo pelos por qual quando "
    "que quem se sem ser seu seus só sua suas são também te tem tinha têm um uma você às à é",
    "es": "a al algo algunos ante antes como con contra cual cuando de del desde donde durante e "
    "el ella ellas ellos en entre era eran es esa esas ese eso esos esta estas este esto estos "
    "está están fue fueron ha había han hasta hay la las le les lo los me mi mis mucho muy más "
    "nada ni no nos nosotros o os otra otro otros para pero poco por porque que quien quienes qué "
    "se ser si sin sobre son su sus sí también tanto te tiene todo todos tu tus un una uno y ya yo",
    "fr": "a ai au aux avec avait ce ces cette dans de des du elle elles en est et eu eux il ils "
    "je l la le les leur leurs lui ma mais me mes moi mon même n ne nos notre nous on ont ou où "
    "par pas plus pour qu que qui s sa sans se ses si son sont sur ta te tes toi ton tu un une vos "
    "votre vous y à été être c d j m t",
    "it": "a ad agli ai al alla alle allo anche avere c che chi ci come con contro cui da dagli "
    "dai dal dalla dalle dallo degli dei del della delle dello di dove e ed era erano essere fra "
    "gli ha hanno ho i il in io la le lei lo loro lui ma mi mia mio ne negli nei nel nella nelle "
    "nello noi non nostra nostro o per perché più quale quando quanto quella quelle quelli quello "
    "questa queste questi questo se si sia sono su sua sue sugli sui sul sulla sulle sullo suo "
    "suoi ti tra tu tutti tutto un una uno vi voi è l d",
    "de": "aber alle allem allen aller alles als also am an auch auf aus bei bin bis bist da damit "
    "dann das dass dein dem den denn der des dich die dies diese diesem diesen dieser dieses dir "
    "doch du durch ein eine einem einen einer eines er es euch für gegen habe haben hat hatte hier "
    "ich ihm ihn ihr ihre im in indem ins ist jede jeder kann kein keine können man mein mich mir "
    "mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so solche "
    "um und uns unser unter vom von vor war waren was weil wenn werden wie wieder will wir wird wo "
    "wurde zu zum zur zwar zwischen über",
    "pl": "a aby ale albo bez bo by był była było były być co czy dla do gdy go i ich ile im ja "
    "jak jako je jego jej jest już kiedy która które którego której który których którzy lub ma "
    "może na nad nie nich nim niż o od on ona one oni oraz po pod przed przez przy są się ta tak "
    "także tam te tego tej ten to tu tych tym tylko u w we więc z za ze że",
    "ru": "а без более бы был была были было быть в вам вас ведь во вот все всего всех вы да для "
    "до его ее если есть еще же за и из или им их к как ко когда кто ли между меня мне на над не "
    "него нет ни них но о об он она они от перед по под после при с со так также там то того тоже "
    "только тот ты у уже хотя чем что чтобы эта эти это этого этой этот я",
}

STOP_WORDS: Final = {language: frozenset(words.split()) for language, words in _WORDS.items()}


def stop_words(language: str) -> frozenset[str]:
    """Return the function words of a language code such as ``pt`` or ``pt-BR``; none if unknown."""
    return STOP_WORDS.get(language.strip().lower().replace("_", "-").partition("-")[0], frozenset())


def language_of(page: Page) -> str:
    """Return the language that a page declares, or that its texts are in; '' if neither tells."""
    declared = (page.attributes.get(0, "lang") or "").strip().lower() if len(page) else ""
    if declared:
        return declared
    plain = ~page.text_linked & ~page.in_head[page.text_rows]
    texts, length = [], 0
    for number in np.flatnonzero(plain).tolist():
        texts.append(page.texts[number])
        length += len(texts[-1])
        if length >= MAX_CHARS:
            break
    guess = detect(" ".join(texts))
    return guess[0] if guess else ""


_CONSONANT = "(?:[bcdfghjklmnpqrstvwxz]|(?<![bcdfghjklmnpqrstvwxz])y)"
_VOWEL = "(?:[aeiou]|(?<=[bcdfghjklmnpqrstvwxz])y)"
_RUN = re.compile(f"{_VOWEL}+{_CONSONANT}")
_HAS_VOWEL = re.compile(_VOWEL)
_CLOSED = re.compile(f"{_CONSONANT}{_VOWEL}[bcdfghjklmnpqrstvz]$")
"""Consonant, vowel, consonant other than w, x and y."""

_PLURALS = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_LONG = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_MIDDLE = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_LAST = tuple(
    (ending, "")
    for ending in "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive "
    "ize".split()
)


@cached_if_short(entries=1 << 16, longest=40)
def stem(word: str) -> str:
    """Return the stem of an English word in lower case."""
    if len(word) <= 2:
        return word
    word = _replaced(word, _PLURALS, -1)
    word = _without_participle(word)
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _LONG, 0)
    word = _replaced(word, _MIDDLE, 0)
    word = _replaced(word, _LAST, 1)
    return _tidied(word)


def _measure(word: str) -> int:
    return len(_RUN.findall(word))


def _replaced(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    """Return a word by the longest ending that fits, if enough of the word is before it."""
    fitting = [rule for rule in rules if word.endswith(rule[0])]
    if not fitting:
        return word
    ending, new = max(fitting, key=lambda rule: len(rule[0]))
    before = word[: -len(ending)]
    if ending == "ion" and not before.endswith(("s", "t")):
        return word
    return before + new if _measure(before) > least else word


def _without_participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    before = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if before == word or not _HAS_VOWEL.search(before):
        return word
    if before.endswith(("at", "bl", "iz")):
        return before + "e"
    if _doubled(before) and before[-1] not in "lsz":
        return before[:-1]
    return before + "e" if _measure(before) == 1 and _CLOSED.search(before) else before


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and word[-1] in "bcdfghjklmnpqrstvwxz"


def _tidied(word: str) -> str:
    """Return a word without a silent e and a doubled l at its end."""
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _CLOSED.search(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def f_log_f(times: NDArray[Any]) -> Floats:
    """Return what one page with each number of copies adds to the second sum."""
    product: Floats = times * np.log(np.maximum(times, 1))
    return product


def spread(total: Floats, logs: Floats) -> Floats:
    """Return the entropy, in nats, of things by the sums of f and of f ln f over pages."""
    some = np.maximum(total, 1)
    # What stands on one page only has no entropy; rounding may not say otherwise.
    entropy: Floats = np.maximum(np.log(some) - logs / some, 0.0)
    return entropy


def share_of_even(total: Floats, logs: Floats, pages: float | Floats) -> Floats:
    """Return the entropy as a share of that of a thing on all pages alike; 0 for a single page."""
    most = np.log(np.maximum(pages, 1))
    share: Floats = np.where(most > 0, spread(total, logs) / np.where(most > 0, most, 1), 0.0)
    return np.minimum(share, 1.0)
