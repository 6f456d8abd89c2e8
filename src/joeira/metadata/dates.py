"""Dates: published and modified, by markup, ``<time>``, the address and the text near the title.

Dates are read as people and programs write them. Numbers and month names are what is read, so the
words around them do not matter. Month names are those of the European languages, Turkish,
Indonesian and Arabic; Chinese, Japanese and Korean dates carry their units. A day is as written: no
time zone moves it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice, pairwise

from joeira._native import native_available
from joeira.arrays.strings import DIGIT, Words
from joeira.metadata.claims import Claim, Shown, short_text
from joeira.metadata.statements import Statements
from joeira.metadata.structured import Item, texts
from joeira.page import Page

EARLIEST_YEAR, LATEST_YEAR = 1990, 2099
MAX_DATE_CHARS = 400
"""A text is searched that far."""
MIN_DIGITS = 4
"""No form of a date has fewer: 3/4/20."""

# Twelve months per language; spellings and short forms of one month with "/" between them.
_MONTHS = """
january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept
  october/oct november/nov december/dec
januar/janner/jan februar/feber/feb marz/mrz/maerz april/apr mai juni/jun juli/jul august/aug
  september/sep/sept oktober/okt november/nov dezember/dez
janvier/janv fevrier/fevr/fev mars avril/avr mai juin juillet/juil aout septembre/sept
  octobre/oct novembre/nov decembre/dec
enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago
  septiembre/setiembre/sep/set octubre/oct noviembre/nov diciembre/dic
gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago
  settembre/set/sett ottobre/ott novembre/nov dicembre/dic
janeiro/jan fevereiro/fev marco/mar abril/abr maio/mai junho/jun julho/jul agosto/ago
  setembro/set outubro/out novembro/nov dezembro/dez
januari/jan februari/feb maart/mrt april/apr mei juni/jun juli/jul augustus/aug september/sep
  oktober/okt november/nov december/dec
stycznia/styczen/sty lutego/luty/lut marca/marzec/mar kwietnia/kwiecien/kwi maja/maj
  czerwca/czerwiec/cze lipca/lipiec/lip sierpnia/sierpien/sie wrzesnia/wrzesien/wrz
  pazdziernika/pazdziernik/paz listopada/listopad/lis grudnia/grudzien/gru
ledna/leden unora/unor brezna/brezen dubna/duben kvetna/kveten cervna/cerven cervence/cervenec
  srpna/srpen zari rijna/rijen listopadu prosince/prosinec
januara februara marca aprila maja juna jula augusta septembra oktobra novembra decembra
januari/jan februari/feb mars/mar april/apr maj juni/jun juli/jul augusti/aug september/sep/sept
  oktober/okt november/nov december/dec
januar/jan februar/feb marts/mar april/apr maj juni/jun juli/jul august/aug september/sep
  oktober/okt november/nov december/dec
januar/jan februar/feb mars/mar april/apr mai juni/jun juli/jul august/aug september/sep
  oktober/okt november/nov desember/des
tammikuuta/tammikuu helmikuuta/helmikuu maaliskuuta/maaliskuu huhtikuuta/huhtikuu
  toukokuuta/toukokuu kesakuuta/kesakuu heinakuuta/heinakuu elokuuta/elokuu syyskuuta/syyskuu
  lokakuuta/lokakuu marraskuuta/marraskuu joulukuuta/joulukuu
januar/jan februar/febr marcius/marc aprilis/apr majus/maj junius/jun julius/jul augusztus/aug
  szeptember/szept oktober/okt november/nov december/dec
ianuarie/ian februarie/feb martie/mar aprilie/apr mai iunie/iun iulie/iul august/aug
  septembrie/sept octombrie/oct noiembrie/noi/nov decembrie/dec
ocak/oca subat/sub mart/mar nisan/nis mayis/may haziran/haz temmuz/tem agustos/agu eylul/eyl
  ekim/eki kasim/kas aralik/ara
sijecnja veljace ozujka travnja svibnja lipnja srpnja kolovoza rujna listopada
  studenoga/studenog prosinca
января/январь/янв февраля/февраль/фев марта/март/мар апреля/апрель/апр мая/маи июня/июнь/июн
  июля/июль/июл августа/август/авг сентября/сентябрь/сен/сент октября/октябрь/окт
  ноября/ноябрь/ноя декабря/декабрь/дек
сiчня/січня лютого березня квiтня/квітня травня червня липня серпня вересня жовтня листопада
  грудня
януари февруари март април маи юни юли август септември октомври ноември декември
ιανουαριου/ιανουαριος/ιαν φεβρουαριου/φεβρουαριος/φεβ μαρτιου/μαρτιος/μαρ απριλιου/απριλιος/απρ
  μαιου/μαιος/μαι ιουνιου/ιουνιος/ιουν ιουλιου/ιουλιος/ιουλ αυγουστου/αυγουστος/αυγ
  σεπτεμβριου/σεπτεμβριος/σεπ οκτωβριου/οκτωβριος/οκτ νοεμβριου/νοεμβριος/νοε
  δεκεμβριου/δεκεμβριος/δεκ
januari februari maret april mei juni juli agustus/agu september oktober/okt november/nov
  desember/des
gener/gen febrer/febr marc abril/abr maig juny/juny juliol agost/ag setembre/set octubre/oct
  novembre/nov desembre/des
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
"""


def _folded(word: str) -> str:
    """Return a word in lower case and without accents."""
    bare = unicodedata.normalize("NFD", word.casefold())
    return (
        "".join(letter for letter in bare if not unicodedata.combining(letter))
        .replace("ł", "l")
        .replace("ı", "i")
    )


def _month_table() -> dict[str, int]:
    table: dict[str, int] = {}
    for place, names in enumerate(_MONTHS.split()):
        for name in names.split("/"):
            table.setdefault(_folded(name), place % 12 + 1)
    return table


_MONTH = _month_table()
# What stands before a date is tested after its first character: a search that begins with such
# characters jumps from one to the next.
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_WHOLE_YEAR = rf"{_YEAR}(?<!\d{{5}})"
_WORD = r"(?P<m>[^\W\d_]{3,14})"
_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9])"
_CLOCK = (
    r"(?:,?\s*(?:um|at|a las|à)?\s*\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\s*[ap]\.?m\.?)?"
    r"(?:\s*[A-Z]{2,5})?\s*)?"
)

# In order of certainty: the first form that a text has at its earliest place is taken.
_YEAR_FIRST = re.compile(
    rf"{_WHOLE_YEAR}(?:[-/.]|\s*[年년]\s*|\.\s)(?P<m>0?[1-9]|1[0-2])"
    rf"(?:[-/.]|\s*[月월]\s*|\.\s){_DAY}(?!\d)"
)
_COMPACT = re.compile(
    rf"{_WHOLE_YEAR}(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?:T?\d{{4,6}}Z?)?(?!\d)"
)
_DAY_FIRST = re.compile(
    r"(?P<a>\d(?<![\d/.-].)\d?)(?P<s>\s?[./-]\s?)(?P<b>\d{1,2})\s?[./-]\s?(?P<y>(?:19|20)\d\d|\d\d)(?![\d/-])"
)
_DAY_WORD = re.compile(
    r"(?P<d>[0-9](?<!\d.)\d?)(?i:st|nd|rd|th|er|º|ª|\.)?"
    rf"(?i:[\s\-/]|\s*(?:de|d'|of)\s){{1,3}}{_WORD}\.?,?(?i:[\s\-/,]|de\s|del\s){{1,4}}{_YEAR}(?!\d)"
)
_WORD_DAY = re.compile(
    rf"(?<!\w)(?P<m>[^\W\d_]{{3,14}}+)\.?\s{{0,3}}{_DAY}(?i:st|nd|rd|th)?(?!\d)[,.]?\s{{0,3}}"
    rf"(?i:{_CLOCK})(?:[,]\s*)?{_YEAR}(?!\d)"
)
_YEAR_WORD = re.compile(rf"{_WHOLE_YEAR}[.,]?[\s\-]{{1,3}}{_WORD}\.?[\s\-]{{1,3}}{_DAY}(?!\d)")
# The only one that begins with a letter is at the same place as no other, and the most frequent.
_FORMS = (_WORD_DAY, _YEAR_FIRST, _DAY_WORD, _YEAR_WORD, _DAY_FIRST, _COMPACT)
_SECONDS, _DIGIT = re.compile(r"\s*(1[0-9]{9})(?:\d{3})?(?:\.\d+)?\s*"), re.compile(r"\d")
_IN_ADDRESS = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[-/._]?)(?P<m>0?[1-9]|1[0-2])(?P=s)(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)"
)
_ANY_YEAR, _SHORT_NUMBER = re.compile(r"(?:19|20)\d\d"), re.compile(r"(?<!\d)\d\d?(?!\d)")
"""Every form has a year but for days first, and a short number but for the compact one."""

_RELATIVE = re.compile(
    r"\b\d+\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?"
    r"|y|yrs?|years?)\b.{0,20}\bago\b|\b(?:an?|one|last)\s+(?:minute|hour|day|week|month|year)s?\b"
    r"(?:\s+ago)?|\bjust now\b"
    r"|\b(?:vor|il y a|hace|há)\s+\S+\s+\w+|\b\d+\s*(?:jahre?|monate?|wochen?|tage?|stunden?)\b"
    r"|\b(?:yesterday|today|heute|gestern|aujourd.hui|hier|ayer|hoy|ieri|oggi|ontem|hoje|wczoraj"
    r"|сегодня|вчера)\b.{0,20}\d[:h.]\d\d"
    r"|昨天|前天|今天|(?:\d+|几)\s*(?:秒|分钟|小时|天|周|个?月|年)前",
    re.IGNORECASE,
)
_SHORT_YEAR = re.compile(r"['’](\d\d)\b")
MAX_YEARLESS_CHARS = 24
"""Of a day and a month without a year."""


def shows_date(line: str) -> bool:
    """Return whether a short text shows a date, be it without a year, or how long ago it was."""
    if day_shown(line) or _RELATIVE.search(line):
        return True
    return len(line) <= MAX_YEARLESS_CHARS and first_day(f"{line} 2000") is not None


def day_shown(line: str, *, month_first: bool = False) -> str | None:
    """Return the ISO day of a short text, as `first_day` does, also of Jun 18 '05."""
    return first_day(_SHORT_YEAR.sub(r"20\1", line), month_first=month_first)


def first_day(text: str, *, month_first: bool = False) -> str | None:
    """Return the first date in a text as an ISO day; None when it has none.

    Args:
        text: Any text; only its beginning is read.
        month_first: How to read 3/4/2020, where the numbers do not tell.
    """
    text = text[:MAX_DATE_CHARS]
    if (match := _YEAR_FIRST.match(text)) and (day := _day_of(match, month_first)):
        return day  # as programs write it
    first, place = None, len(text)
    for form in _forms_in(text):
        for match in form.finditer(text):
            if match.start() >= place:
                break
            if day := _day_of(match, month_first):
                first, place = day, match.start()
                break
        if first and not _DIGIT.search(text, 0, place):  # all other forms begin with one
            break
    return first or _day_of_seconds(text)


def _forms_in(text: str) -> tuple[re.Pattern[str], ...]:
    """Return the forms of dates that a text may have: most texts need not be searched for each."""
    if not ("19" in text or "20" in text) or not _ANY_YEAR.search(text):
        return (_DAY_FIRST,) if "." in text or "/" in text or "-" in text else ()
    return _FORMS if _SHORT_NUMBER.search(text) else (_COMPACT,)


def _day_of_seconds(text: str) -> str | None:
    match = _SECONDS.fullmatch(text)
    return date.fromordinal(719_163 + int(match[1]) // 86_400).isoformat() if match else None


def in_address(address: str) -> str | None:
    """Return the ISO day that a web address has in its path."""
    for match in _IN_ADDRESS.finditer(address[:2_000]):
        day = _day(int(match["y"]), int(match["m"]), int(match["d"]))
        if day and (match["s"] or len(match[0]) == 8):
            return day
    return None


def _day_of(match: re.Match[str], month_first: bool) -> str | None:
    """Return the ISO date that a pattern matched; None if there is no such date."""
    if match.re is _DAY_FIRST:
        return _from_numbers(match, month_first)
    month = match["m"]
    number = int(month) if month.isdigit() else _MONTH.get(_folded(month), 0)
    return _day(int(match["y"]), number, int(match["d"]))


def _from_numbers(match: re.Match[str], month_first: bool) -> str | None:
    one, other, year = int(match["a"]), int(match["b"]), int(match["y"])
    if year < 100:
        year += 2000 if year < 70 else 1900
    dotted = "." in match["s"]
    if other > 12 or (month_first and one <= 12 and not dotted):
        one, other = other, one
    return _day(year, other, one)


def _day(year: int, month: int, day: int) -> str | None:
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


MAX_TEXTS_AFTER_TITLE = 12
"""On pages about things, their own day stands that near to the title."""
MAX_ITEMS = MAX_TIMES = 20
MAX_BLOCKS, FEW_BLOCKS = 400, 40
MAX_SHOWN = 6
MAX_CHARS = 160
"""Of a block that shows a date beside little else."""

_PUBLISHED = {
    "article:published_time": 0.93, "og:article:published_time": 0.85, "datepublished": 0.85,
    "parsely-pub-date": 0.9, "sailthru.date": 0.85, "citation_publication_date": 0.85,
    "citation_online_date": 0.85, "citation_date": 0.8, "dc.date": 0.75, "dcterms.date": 0.75,
    "dc.date.issued": 0.8, "dcterms.created": 0.75, "dcterms.issued": 0.8, "dc.date.created": 0.75,
    "date": 0.75, "pubdate": 0.8, "publishdate": 0.8, "publish-date": 0.8, "publication_date": 0.8,
    "published_time": 0.8, "article_date_original": 0.85, "cxenseparse:recs:publishtime": 0.85,
    "originalpublicationdate": 0.85, "og:published_time": 0.8, "article.published": 0.85,
    "datecreated": 0.7, "created": 0.6, "article:date": 0.7, "rnews:datepublished": 0.8,
    "displaydate": 0.7, "ptime": 0.7, "pdate": 0.7, "dat": 0.5, "sort_date": 0.5,
    "vr:published_time": 0.8, "date.created": 0.7, "release_date": 0.7, "og:pubdate": 0.7,
    "og:regdate": 0.7, "last-modified": 0.1, "publish_date": 0.8, "mediator_published_time": 0.8,
}  # fmt: skip
_PUBLISHING = ("datePublished", "dateCreated", "uploadDate", "datePosted")
_MODIFIED = {
    "article:modified_time": 0.9, "og:updated_time": 0.8, "datemodified": 0.85,
    "dcterms.modified": 0.8, "dc.date.modified": 0.8, "last-modified": 0.6, "lastmod": 0.6,
    "article:updated_time": 0.8, "og:article:modified_time": 0.8, "revised": 0.5,
}  # fmt: skip
_DATE_CLASS = re.compile(r"date|time(?!line)|publi|posted|byline|meta|datum|fecha")
_CHANGED = Words(
    ("upd", "modif", "edited", "revis", "aktualisier", "geändert", "mis à jour", "actualizad",
     "aggiornat", "atualizad", "laatst")
)  # fmt: skip
_ASIDE = Words(
    "comment related footer copyright sidebar widget recent teaser event popular".split()
)

SHOWN = {"time": 0.88, "text": 0.9}
"""Sources of what a page shows, with the highest confidence in each."""
_DOUBTFUL, _FURTHER_TIME = 0.3, 0.25
"""In a time that may be of something else, and in one after the first."""
_FURTHER = 0.3
"""So much less may the dates in texts after the first be trusted."""


def stated(said: Statements) -> Iterator[Claim]:
    """Yield days on which the page may have been published, by its markup and address."""
    yield from _metas(said, _PUBLISHED)
    yield from _items(said, _PUBLISHING)
    if day := in_address(said.page.url or ""):
        yield Claim(day, "address", "url", -1, 0.85)


def shown(said: Statements, title_row: int, of_things: bool) -> Iterator[Shown]:
    """Yield the days that the page shows, what may settle the value first.

    In a live blog they are those of its entries. Those on pages of things, such as products, are of
    reviews, deliveries or of what is listed, unless one stands alone by the title. Its row is -1 if
    nobody knows where that is.
    """
    most = 0.3 if any(map(_is_live, said.items[:MAX_ITEMS])) else 1.0

    def own(claims: Iterable[Claim]) -> list[Claim]:
        return [claim.trusted(min(claim.confidence, most)) for claim in said.own(claims)]

    if of_things:
        claims = own(_by_title(said, title_row))
        yield {}, claims if len({claim.value for claim in claims}) == 1 else []
        return
    times, near = _times(said, title_row), _near(said, title_row)
    first_time = list(islice(times, 1))
    in_time, later = own(first_time), {"time": _DOUBTFUL} if first_time else {}
    yield {**later, "text": SHOWN["text"]}, in_time
    in_text = own(islice(near, 1))
    yield {**later, "text": SHOWN["text"] * _FURTHER}, [*in_time, *in_text]
    yield {}, [*in_time, *own(times), *in_text, *own(near)]


def modified(said: Statements) -> Iterator[Claim]:
    """Yield days on which the page may have been changed last."""
    yield from _metas(said, _MODIFIED)
    yield from _items(said, ("dateModified",))


def _metas(said: Statements, names: dict[str, float]) -> Iterator[Claim]:
    for meta, confidence in said.first_named(names):
        if day := first_day(meta.content, month_first=said.month_first):
            yield Claim(day, meta.source, meta.name, meta.row, confidence)


def _items(said: Statements, names: tuple[str, ...]) -> Iterator[Claim]:
    for item in said.items_with(names, MAX_ITEMS):
        if item.is_by_reader:
            continue
        for name in names:
            for text in [text for value in item.values(name)[:1] for text in texts(value)[:1]]:
                if day := first_day(text, month_first=said.month_first):
                    factor = 1 if name.startswith(("dateP", "dateM")) else 0.8
                    trust = _confidence(item) * factor
                    yield Claim(day, item.source, item.key(name), item.row_of(name, 0), trust)


def _confidence(item: Item) -> float:
    if item.is_aside:
        return 0.2
    if _is_live(item):
        return 0.97
    return 0.88 if item.is_article else 0.85 if item.is_work or item.is_page else 0.4


def _is_live(item: Item) -> bool:
    """Return whether an item is a live blog that says when it began."""
    is_live = "liveblogposting" in item.types and not item.is_aside
    return is_live and "datePublished" in item.stated


def _by_title(said: Statements, title_row: int) -> list[Claim]:
    """Return the days that the page shows right after its title."""
    page, index = said.page, said.page.text_index.data
    after = index[page.end[title_row]] if title_row >= 0 else page.text_count

    def is_there(row: int) -> bool:
        return 0 <= index[row] - after <= MAX_TEXTS_AFTER_TITLE

    # How far they are trusted depends on those before: these are read only if there are any.
    owners = page.blocks.owner.data
    dated = _maybe_dated(page, bisect_left(owners, title_row))
    may_be_times = any(map(is_there, page.rows_of("time")[:MAX_TIMES].tolist()))
    times = _times(said, title_row) if may_be_times else ()
    near = _near(said, title_row) if any(is_there(owners[number]) for number in dated) else ()
    return [claim for claim in (*times, *near) if is_there(claim.row)]


def _times(said: Statements, title_row: int) -> Iterator[Claim]:
    page, confidence = said.page, SHOWN["time"]
    for row in page.rows_of("time")[:MAX_TIMES].tolist():
        stated = page.attributes.get(row, "datetime") or ""
        text = short_text(page, row)
        if not (day := first_day(stated) or first_day(text, month_first=said.month_first)):
            continue
        near = _names_near(page, row)
        before = f"{text} {short_text(page, int(page.parent[row]))[:40]}".lower()
        doubtful = _ASIDE.are_in(near) or _CHANGED.are_in(near) or _CHANGED.are_in(before)
        trust = confidence * 0.7 if row < title_row - 40 else confidence
        yield Claim(day, "time", "datetime", row, _DOUBTFUL if doubtful else trust)
        confidence = _FURTHER_TIME


def _near(said: Statements, title_row: int) -> Iterator[Claim]:
    """Yield dates in short blocks, with more confidence near the title and in named elements.

    As the last resort, where no short block has one, dates in long blocks count too.
    """
    page, owners, factor = said.page, said.page.blocks.owner.data, 1.0
    title_block = bisect_left(owners, title_row) if title_row >= 0 else -1
    for number, text, day in islice(_first_days(said, title_block), MAX_SHOWN):
        is_near = title_block >= 0 and -4 <= number - title_block <= 12
        is_short = len(text) <= MAX_CHARS
        confidence = _near_confidence(page, owners[number], text, is_near) if is_short else 0.2
        yield Claim(day, "text", "near title", owners[number], confidence * factor)
        factor = _FURTHER


def _near_confidence(page: Page, owner: int, text: str, is_near: bool) -> float:
    """Return the confidence in the date that a short block shows."""
    near = _names_near(page, owner)
    if _CHANGED.are_in(text[:60].lower()) or _ASIDE.are_in(near):
        return 0.3
    confidence = 0.85 if is_near else 0.4
    if _DATE_CLASS.search(near):
        confidence += 0.05
    return confidence - 0.2 if len(text) > 60 else confidence


def _names_near(page: Page, row: int) -> str:
    """Return what an element and the one around it are called, in small letters."""
    numbers, classes = page.classes
    return f"{classes[numbers[row]]} {classes[numbers[page.parent[row]]]}"[:300].lower()


def _first_days(said: Statements, title_block: int) -> Iterator[tuple[int, str, str]]:
    """Yield the blocks that have a day, with texts and days: long ones only if no short one has."""
    page, first = said.page, said.page.blocks.first.data
    long, is_found = list[tuple[int, str]](), False
    for number in _maybe_dated(page, title_block):
        text = page.joined(first[number], first[number + 1])
        if len(text) > MAX_CHARS:
            long.append((number, text))
        elif day := first_day(text, month_first=said.month_first):
            is_found = True
            yield number, text, day
    for number, text in () if is_found else long:
        if day := first_day(text, month_first=said.month_first):
            yield number, text, day


def _maybe_dated(page: Page, title_block: int) -> Iterator[int]:
    """Yield which blocks around the title and after it may have a date, by their digits."""
    characters, first, begin = page.characters, page.blocks.first, max(0, title_block - 12)
    if native_available:
        # Mostly one of the first has the only date that is asked for.
        for start, end in pairwise((begin, begin + FEW_BLOCKS, begin + MAX_BLOCKS)):
            yield from characters._strings.dated(characters.classes, first, start, end)
        return
    digits = page.blocks.sums(characters.count_class(DIGIT))[begin : begin + MAX_BLOCKS]
    yield from ((digits >= MIN_DIGITS).nonzero()[0] + begin).tolist()
