"""The default for sites: the block model of single pages, corrected by the rest of the site.

Not from one paper. Content Extractor and X-CEX know a site and nothing of language or markup; the
learned block model knows these and nothing of the site. Here both speak:

1. the block model gives every block a probability of being content;
2. blocks in one slot (same tags and classes from the body down) of one template play one part, so
   a block's probability is averaged with that of its slot over the pages of its template;
3. a text of several words that stands in the same slot of another page too is template: its odds
   fall, and those of new texts beside it in a list fall, too, if less. A slot with
   one block on most pages, and another text on each, is a field of the template: the odds of its
   headings, which are titles, and of texts that are no links rise. So do those of tables of
   labels and values that vary from page to page. Those of comments fall;
4. the core of a page is what is probable and not repeated. A block for which the smallest element
   that holds it and half of the core is mostly something else stands apart: its odds fall;
5. these corrections count the more, the more pages of the template are known; for a page that
   shares its template with no other only repeats count, and the rest is as for a page alone;
6. the blocks with the best expected word F1 are kept, and what would be kept of the page alone,
   unless the site speaks against it. Copies, buttons, reviews and headings over nothing are left
   out again as on a page alone, unless the site knows them for titles, fields or details.

Nothing is fitted to a site and no labels are needed. What is stored are counts: on how many pages a
text stands in a slot, how many texts a slot has, and how probable content is in it. Tables have a
fixed size; a full one forgets what is rarest, and says by how much its counts may be too low. The
constants below were chosen on seventeen public sites.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Floats
from joeira.blockmodel import model
from joeira.blockmodel.choosing import (
    choose,
    follow_sections,
    is_too_little,
    reasons_to_leave_out,
)
from joeira.blockmodel.completion import complete
from joeira.blockmodel.reasons import Reason
from joeira.content.result import Content, revise
from joeira.page import Page
from joeira.papers import Paper
from joeira.params import check, param
from joeira.sites.corpus import fingerprint, identify
from joeira.sites.near_duplicates import KnownPages, Sketch, from_plain, sketch, to_plain
from joeira.sites.profile import CappedCounts, Growing, Profile
from joeira.sites.template import slots as site_slots
from joeira.sites.template.slots import (
    DENSE_CORE,
    REPEATED_MIN_WORDS,
    SiteBlocks,
    SiteExplanations,
    SiteFeatures,
    Slot,
    SlotColumns,
    core_density,
)

REPEATED_MAX_ODDS = 3.0
"""Log-odds that a text on eight or more pages loses; each doubling of the pages costs 1."""
STALE_ODDS = 2.0
"""Log-odds that a new text loses in a list of which all other texts come back on other pages."""
CORE_SHARE = 0.5
"""Part of the core that the element around a block must hold."""
CORE_ROUNDS = 3
"""The core is found again once what stands apart from it is known to be less probable."""
TYPE_CHANCE = 0.8
"""A page that is so probably a list or a product is one."""
LIST_CORE_WEIGHT = 0.5
"""How much standing apart from the core counts on a list: its entries are many small parts."""
PRODUCT_CORE_WEIGHT = 0.0
"""The same for a product, of which price, details and description stand in parts of their own."""
HALF_KNOWN_PAGES = 3
"""So many pages give what the site says half of its weight."""
FIELD_MIN_PAGES = 3
FIELD_MIN_SHARE = 0.5
FIELD_MIN_VARIETY = 0.8
"""A field of the template has one block a page, on most pages, nearly always another text."""
TITLE_ODDS = 6.0
"""Log-odds that a heading wins which is a field."""
FIELD_ODDS = 2.0
"""Log-odds that another field wins, unless it is a link."""
OWN_PAGE_SHARE = 0.1
"""A value, such as a name, may stand on this share of the pages and still be a page's own."""
DETAIL_ODDS = 6.0
"""Log-odds that labels and values win in a table whose values vary from page to page."""
COMMENT_ODDS = 3.0
"""Log-odds that comments lose, but in a forum, where they are the subject."""
HELD_ODDS = 0.5
"""What the page alone would keep is dropped only where the site takes more than this."""
_LISTS = ("collection", "listing")
FEW_WORDS = 40
"""With fewer kept words a page may have its text elsewhere than in its tree."""
MUCH_MORE = 10
"""How many times as long a text beside the tree must be to be preferred to what is in it."""


class Alone(NamedTuple):
    """What the default for single pages wants of a choice, as `joeira.content.learned` says."""

    beta: float = 0.9
    breadth: float = 1.3
    min_content_words: float = 10.0
    min_article_words: float = 50.0
    min_copy_words: float = 8.0


_AS_ALONE = Alone()
_SURE = 0.01
_SNIPPET_CHARS = 60


@dataclass(frozen=True)
class Template:
    """Keep the best blocks by the learned model and by how they vary between pages of a site."""

    beta: float = param(
        1.0,
        "Weight of recall against precision: more than for single pages, because repeats are "
        "known.",
        gt=0,
    )
    slot_weight: float = param(
        0.75, "Weight of a slot's mean probability against the block's own.", ge=0, le=1
    )
    max_texts: int = param(
        50_000,
        "Maximum number of texts whose pages are counted; beyond it, the rarest are dropped.",
        ge=1,
    )
    min_content_words: float = param(
        10.0,
        "A page with fewer expected words of content has none, unless they are a tenth of its "
        "words: a short page may be short content. One that waits for scripts has none.",
        ge=0,
    )

    papers: ClassVar[tuple[Paper, ...]] = ()

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def fit(self, pages: Iterable[Page], /) -> TemplateSite:
        """Return what tells the content of the site's pages."""
        return TemplateSite(self, texts=CappedCounts(self.max_texts)).update(pages)

    def restore(self, data: dict[str, Any]) -> TemplateSite:
        """Return what `TemplateSite.to_dict` described."""
        counts = {str(text): int(count) for text, count in data["texts"].items()}
        profile = Profile.restore(data["templates"])
        prints = tuple(map(str, data["pages"]))
        return TemplateSite(
            self,
            prints,
            CappedCounts(self.max_texts, counts, int(data["texts_missed"])),
            {str(text): str(words) for text, words in data["repeated"].items()},
            profile,
            tuple(
                {
                    int(slot, 16): Slot(
                        str(known[0]), *map(int, known[1:4]), *map(float, known[4:])
                    )
                    for slot, known in slots.items()
                }
                for slots, _ in zip(data["slots"], profile.groups, strict=True)
            ),
            from_plain(data.get("sketches", {}), prints),
        )


@dataclass(frozen=True, eq=False)
class TemplateSite:
    """What is known of a site."""

    method: Template
    fingerprints: tuple[str, ...] = field(default=(), repr=False)
    """One for each page learned from."""
    texts: CappedCounts[str] = field(default_factory=lambda: CappedCounts[str](1), repr=False)
    repeated: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The beginning of each text that stands on several pages."""
    profile: Profile = field(default_factory=Profile, repr=False)
    slots: tuple[Mapping[int, Slot], ...] = field(default=(), repr=False)
    """Per template."""
    sketches: Mapping[str, Sketch] = field(default_factory=dict, repr=False)
    """By fingerprint: what a page is known by that is nearly equal to it."""

    def update(self, pages: Iterable[Page], /) -> TemplateSite:
        """Return a site with more pages; those before need not be at hand."""
        prints = dict.fromkeys(self.fingerprints)
        near = KnownPages(self.sketches)
        texts = self.texts.growing()
        repeated = dict(self.repeated)
        profile = self.profile
        slots = [dict(known) for known in self.slots]
        for page in pages:
            print_, own = identify(page)
            if print_ in prints or near.same_as(own) is not None:
                continue
            prints[print_] = None
            near.add(print_, own)
            blocks = SiteBlocks.of(page)
            profile, number = profile.with_page(blocks.slot_set)
            slots += [{} for _ in range(number + 1 - len(slots))]
            is_new = _new_texts(blocks.digests, texts)
            slots[number] = site_slots.with_page(slots[number], blocks, is_new)
            texts.count(blocks.digests)
            for digest, text in zip(blocks.digests, blocks.texts, strict=True):
                if texts[digest] > 1 and digest not in repeated:
                    repeated[digest] = text[:_SNIPPET_CHARS]
            if len(repeated) > len(texts):
                repeated = {digest: text for digest, text in repeated.items() if texts[digest]}
        return TemplateSite(
            self.method,
            tuple(prints),
            texts.done(),
            repeated,
            profile,
            tuple(slots),
            near.sketches,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.fingerprints),
            "sketches": to_plain(self.sketches),
            "templates": self.profile.to_dict(),
            "slots": [
                {f"{slot:016x}": list(known) for slot, known in slots.items()}
                for slots in self.slots
            ],
            "repeated": dict(self.repeated),
            "texts_missed": self.texts.missed,
            "texts": dict(self.texts.counts),
        }

    def extract(self, page: Page, /) -> Content:
        """Return the main content of a page of the site.

        Where the tree of the page has next to none, it is looked for in what scripts would make of
        the page, which has no template that the site knows.
        """
        content = self._of_tree(page)
        words = int(page.text_words[content.keep].sum())
        if words >= FEW_WORDS:
            return content
        from joeira.page.embedded import longest_text

        embedded = longest_text(page)
        if embedded is None:
            return content
        if words and not (embedded.is_certain and embedded.words >= MUCH_MORE * words):
            return content
        hidden = self._of_tree(embedded.page(page))
        notes = (embedded.note(words), *page.notes, hidden.note)
        return replace(hidden, note="; ".join(filter(None, notes))) if hidden else content

    def _of_tree(self, page: Page) -> Content:
        blocks = SiteBlocks.of(page)
        features = self._features(blocks, is_known=self._knows(page))
        probability = features.probability
        keep, expected = self._best(features, probability)
        alone, _ = self._best(features, blocks.scores.probability)
        loss = _log_odds(blocks.scores.probability) - _log_odds(probability)
        keep |= alone & (loss < HELD_ODDS)
        if not keep.any():
            keep = _own_part(alone, features)
        note = blocks.matrix.view.cut
        if not keep.any():
            content_words = float((probability * blocks.words).sum())
            note = f"only about {content_words:.0f} words of content expected, too few for a page"
            if alone.any():
                note += "; what the single-page model would keep is also on other pages"
        complete(blocks.matrix.view, keep, probability)
        content = Content(
            page,
            blocks.matrix.view.per_text(keep),
            blocks.matrix.view.per_text(probability),
            SiteExplanations(features, keep),
            "template",
            note=note,
            page_confidence=model.load().expected_quality(expected) if keep.any() else None,
            pagetype=blocks.scores.likeliest_type if keep.any() else None,
        )
        return _revised(content, features, keep)

    def _knows(self, page: Page) -> bool:
        """Return whether a page was learned from, or one that is nearly equal to it."""
        if fingerprint(page) in self._known:
            return True
        return bool(self.sketches) and self._near.same_as(sketch(page)) is not None

    @cached_property
    def _near(self) -> KnownPages:
        return KnownPages(self.sketches)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.fingerprints)

    def _best(self, features: SiteFeatures, probability: Floats) -> tuple[Bools, float]:
        """Return the blocks with the best expected F, none where too few words are expected.

        A page without others of its template is decided about as a page alone.
        """
        blocks = features.blocks
        if features.template_pages == 1:
            scores = replace(blocks.scores, probability=probability)
            choice = choose(blocks.matrix, scores, _AS_ALONE)
            return choice.keep, choice.expected_f
        keep, expected = model.best_expected_f(probability, blocks.words, self.method.beta)
        content_words = float((probability * blocks.words).sum())
        if is_too_little(blocks.matrix.view, content_words, self.method.min_content_words):
            keep[:] = False
        return keep, expected

    def _features(self, blocks: SiteBlocks, *, is_known: bool) -> SiteFeatures:
        """Return what speaks for and against each block; a new page counts as one page more."""
        more = 0 if is_known else 1
        total = len(self.fingerprints) + more
        on_pages = np.array([self.texts[digest] + more for digest in blocks.digests], np.int64)
        slots, is_field, template_pages = self._slots_of(blocks, more)
        is_shared = template_pages > 1
        weight = self.method.slot_weight * is_shared
        pooled = (1 - weight) * blocks.scores.probability + weight * slots.mean
        repeated = (on_pages > 1) & (blocks.words >= REPEATED_MIN_WORDS)
        is_title = is_field & blocks.is_heading
        is_value = is_field & ~blocks.is_heading & ~blocks.is_linked & ~blocks.is_number
        is_detail = np.zeros(len(on_pages), bool)
        if template_pages >= FIELD_MIN_PAGES:
            is_own = on_pages <= max(1, OWN_PAGE_SHARE * template_pages)
            is_detail = site_slots.in_varied_tables(blocks, slots, is_own, template_pages)
        told = (
            DETAIL_ODDS * is_detail
            + TITLE_ODDS * is_title
            + FIELD_ODDS * is_value
            - COMMENT_ODDS * (blocks.is_comment & (blocks.scores.likeliest_type[0] != "forum"))
        )
        is_new = (on_pages <= 1) & (blocks.words >= REPEATED_MIN_WORDS)
        told -= STALE_ODDS * slots.staleness * is_new
        trust = _trust(template_pages) * is_shared
        told *= trust
        # A text may come back on pages of other templates, too.
        doublings = np.minimum(np.log2(np.maximum(on_pages, 1)), REPEATED_MAX_ODDS)
        told -= _trust(total) * repeated * doublings
        core_weight = _core_weight(blocks.scores.page_types)
        probability = density = pooled
        for _ in range(CORE_ROUNDS):
            density = core_density(blocks, probability * ~repeated, CORE_SHARE)
            apart = np.minimum(_log_odds(density) - _log_odds(np.array(DENSE_CORE)), 0)
            odds = _log_odds(pooled) + trust * core_weight * apart + told
            probability = 1 / (1 + np.exp(-odds))
        return SiteFeatures(
            blocks,
            probability,
            total,
            on_pages,
            slots,
            is_field,
            density,
            is_detail,
            template_pages,
        )

    def _slots_of(
        self, blocks: SiteBlocks, more: int
    ) -> tuple[SlotColumns, NDArray[np.bool_], int]:
        """Return what is known of each block's slot, which blocks fill a field, and the pages."""
        number, _ = self.profile.group_of(blocks.slot_set)
        known: Mapping[int, Slot] = self.slots[number] if number >= 0 else {}
        pages = (self.profile.groups[number].pages if number >= 0 else 0) + more
        if more:
            known = site_slots.with_page(known, blocks, _new_texts(blocks.digests, self.texts))
        slots = site_slots.columns(known, blocks)
        is_field = slots.fields(pages, min_share=FIELD_MIN_SHARE, min_variety=FIELD_MIN_VARIETY)
        return slots, is_field & (pages >= FIELD_MIN_PAGES), pages


def _revised(content: Content, features: SiteFeatures, keep: Bools) -> Content:
    """Return a result without what a page alone leaves out again, and with headings it takes in.

    These are copies, buttons, reviews, signatures, and headings over nothing that is kept. What
    the site knows for titles, fields and details stays, and so do buttons that say something else
    on every page, such as questions that unfold their answers.
    """
    blocks = features.blocks
    scores = replace(blocks.scores, probability=features.probability)
    left_out = reasons_to_leave_out(blocks.matrix, keep, scores, _AS_ALONE)
    taken_in = np.zeros_like(left_out)
    if scores.likeliest_type[0] != "forum":
        taken_in = follow_sections(blocks.matrix.view, keep, left_out, scores)
    is_known = features.is_field & (left_out != Reason.COPY)
    left_out[is_known | features.is_detail] = 0
    if features.template_pages >= FIELD_MIN_PAGES:
        left_out[(left_out == Reason.BUTTON) & (features.on_pages <= 1)] = 0
    revision = np.maximum(left_out, taken_in)
    if not revision.any():
        return content
    kept = (keep & (left_out == 0)) | (taken_in > 0)
    return revise(content, *map(blocks.matrix.view.per_text, (kept, revision)))


def _trust(pages: int) -> float:
    """Return how much counts what so many pages say."""
    return pages / (pages + HALF_KNOWN_PAGES)


def _core_weight(types: Mapping[str, float]) -> float:
    """Return how much it counts on a page of some type to stand apart from the core."""
    if sum(types.get(kind, 0.0) for kind in _LISTS) > TYPE_CHANCE:
        return LIST_CORE_WEIGHT
    return PRODUCT_CORE_WEIGHT if types.get("product", 0.0) > TYPE_CHANCE else 1.0


def _own_part(alone: NDArray[np.bool_], features: SiteFeatures) -> NDArray[np.bool_]:
    """Return what a page alone would keep that no other page has, if that is most of it.

    Where the site leaves nothing of a page, its places were misjudged, unless its texts repeat.
    """
    words = features.blocks.words
    own = alone & (features.on_pages <= 1)
    return own if 2 * words[own].sum() > words[alone].sum() else np.zeros(len(own), bool)


def _new_texts(digests: list[str], known: CappedCounts[str] | Growing[str]) -> NDArray[np.bool_]:
    """Return which texts are the first of their kind."""
    first = {digest: number for number, digest in reversed(list(enumerate(digests)))}
    is_new = np.zeros(len(digests), bool)
    is_new[[number for digest, number in first.items() if not known[digest]]] = True
    return is_new


def _log_odds(probability: Floats) -> Floats:
    sure = np.clip(probability, _SURE, 1 - _SURE)
    odds: Floats = np.log(sure / (1 - sure))
    return odds
