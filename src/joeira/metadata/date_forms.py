"""Dates as people and programs write them, to ISO days.

Numbers and month names are what is read, so the words around them do not matter. Month names are
those of the European languages, Turkish, Indonesian and Arabic; Chinese, Japanese and Korean dates
carry their units. A day is as written: no time zone moves it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date

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
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_WORD = r"(?P<m>[^\W\d_]{3,14})"
_END = r"(?!\d)"
_CLOCK = (
    r"(?:,?\s*(?:um|at|a las|à)?\s*\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\s*[ap]\.?m\.?)?"
    r"(?:\s*[A-Z]{2,5})?\s*)?"
)

# In order of certainty: the first form that a text has at its earliest place is taken.
_YEAR_FIRST = re.compile(
    rf"(?<!\d){_YEAR}(?:[-/.]|\s*[年년]\s*|\.\s)(?P<m>0?[1-9]|1[0-2])(?:[-/.]|\s*[月월]\s*|\.\s)(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)"
)
_COMPACT = re.compile(
    rf"(?<!\d){_YEAR}(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?:T?\d{{4,6}}Z?)?(?!\d)"
)
_DAY_FIRST = re.compile(
    r"(?<![\d/.-])(?P<a>\d{1,2})(?P<s>\s?[./-]\s?)(?P<b>\d{1,2})\s?[./-]\s?(?P<y>(?:19|20)\d\d|\d\d)(?![\d/-])"
)
_DAY_WORD = re.compile(
    rf"(?<!\d)(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|er|º|ª|\.)?(?:[\s\-/]|\s*(?:de|d'|of)\s){{1,3}}{_WORD}\.?,?(?:[\s\-/,]|de\s|del\s){{1,4}}{_YEAR}{_END}",
    re.IGNORECASE,
)
_WORD_DAY = re.compile(
    rf"(?<!\w){_WORD}\.?\s{{0,3}}(?P<d>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?!\d)[,.]?\s{{0,3}}{_CLOCK}(?:[,]\s*)?{_YEAR}{_END}",
    re.IGNORECASE,
)
_YEAR_WORD = re.compile(
    rf"(?<!\d){_YEAR}[.,]?[\s\-]{{1,3}}{_WORD}\.?[\s\-]{{1,3}}(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)"
)
_FORMS = (_YEAR_FIRST, _DAY_WORD, _WORD_DAY, _YEAR_WORD, _DAY_FIRST, _COMPACT)
_SECONDS = re.compile(r"\s*(1[0-9]{9})(?:\d{3})?(?:\.\d+)?\s*")
_IN_ADDRESS = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[-/._]?)(?P<m>0?[1-9]|1[0-2])(?P=s)(?P<d>3[01]|[12]\d|0?[1-9])(?!\d)"
)
_ANY = re.compile(r"(?:19|20)\d\d|\d\s?[./-]\s?\d|1\d{9}")
"""Every form above has one of these: most texts need not be searched for each."""
_ANY_YEAR = re.compile(r"(?:19|20)\d\d")
"""Every form has one, but for days first and seconds."""


def first_day(text: str, *, month_first: bool = False) -> str | None:
    """Return the first date in a text as an ISO day; None when it has none.

    Args:
        text: Any text; only its beginning is read.
        month_first: How to read 3/4/2020, where the numbers do not tell.
    """
    text = text[:MAX_DATE_CHARS]
    if not _ANY.search(text):
        return None
    for form in _FORMS:  # no date is earlier than one at the very beginning, as most are
        match = form.match(text)
        day = _day_of(match, month_first) if match else None
        if day:
            return day
    return next((day for _, day in days(text, month_first=month_first)), None)


def days(text: str, *, month_first: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the place and ISO day of every date in a text, in order of place."""
    text = text[:MAX_DATE_CHARS]
    if not _ANY.search(text):
        return
    found: dict[int, str] = {}
    for form in _FORMS if _ANY_YEAR.search(text) else (_DAY_FIRST,):
        for match in form.finditer(text):
            day = _day_of(match, month_first)
            if day:
                found.setdefault(match.start(), day)
    if not found:
        match_seconds = _SECONDS.fullmatch(text)
        if match_seconds:
            found[0] = date.fromordinal(719_163 + int(match_seconds[1]) // 86_400).isoformat()
    yield from sorted(found.items())


def in_address(address: str) -> str | None:
    """Return the ISO day that a web address has in its path."""
    for match in _IN_ADDRESS.finditer(address[:2_000]):
        if match["s"] or len(match[0]) == 8:
            day = _day(int(match["y"]), int(match["m"]), int(match["d"]))
            if day:
                return day
    return None


def _day_of(match: re.Match[str], month_first: bool) -> str | None:
    """Return the ISO day that a form of dates has found; None if there is no such day."""
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
