"""The main content of a page: a mask over its texts, with a score and a reason for each.

Less of a result is the same content without some of its texts, which then say why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, Bools, Case, strings
from joeira.arrays.trees import enclosing
from joeira.blockmodel.reasons import Reason, Reasons, sentence, with_before
from joeira.content.explanation import Explanation
from joeira.errors import UsageError
from joeira.page import Page
from joeira.page.tables import data_tables

if TYPE_CHECKING:
    from joeira.content.posts import Post
    from joeira.metadata import Metadata

SCRIPTS = ("html", "caret")
"""Ways to write sub and sup in Markdown."""

# Renderers and metadata are imported where they are asked for: most programs ask for one output.


@dataclass(frozen=True, eq=False)
class ReasonTable(Reasons):
    """The reasons of a method that tells some cases apart."""

    cases: AnyInts
    """Per text: number of its case."""
    kind: type[Case]
    """The cases of the method."""
    scores: NDArray[np.floating[Any]]
    """Per text: ``{score}`` in the sentence of its case."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What else sentences name: one value for the page, or an array with a value per text."""

    def case(self, index: int) -> Case:
        """Return the case of a text."""
        return self.kind(self.cases[index])

    def parts(self, index: int) -> tuple[str, ...]:
        """Return the sentence of a text's case."""
        values = {
            name: value[index] if isinstance(value, np.ndarray) else value
            for name, value in self.values.items()
        }
        score = float(self.scores[index])
        return (sentence(self.case(index)).format(score=score, **values),)


@dataclass(frozen=True, eq=False)
class Revised(Reasons):
    """The reasons of a result of which some texts were left out, or taken in, afterwards."""

    reasons: Reasons
    revision: AnyInts
    """Per text: the `Reason` of its revision; 0 for those as decided before."""
    page: Page

    def case(self, index: int) -> Case:
        """Return why a text was revised, or what was decided about it before."""
        reason = self.revision[index]
        return Reason(reason) if reason else self.reasons.case(index)

    def parts(self, index: int) -> tuple[str, ...]:
        """Return why a text was revised, and what was decided about it before."""
        before = self.reasons.parts(index)
        reason = self.revision[index]
        if not reason:
            return before
        way = self.page.hidden_reason(int(self.page.text_rows[index]))
        return with_before(sentence(Reason(reason)).format(way=way), before)


def without(content: Content, left_out: AnyInts, note: str = "") -> Content:
    """Return a result without the texts that there is a reason to leave out.

    Args:
        content: The result.
        left_out: Per text, the `Reason` to leave it out; 0 where there is none.
        note: What the result says about the page if nothing is left.
    """
    keep = content.keep & (left_out == 0)
    lost = content.keep.any() and not keep.any()
    note = "; ".join(filter(None, (content.note, note if lost else "")))
    return replace(revise(content, keep, left_out), note=note)


def revise(content: Content, keep: Bools, revision: AnyInts) -> Content:
    """Return a result that keeps other texts, each of them with the `Reason` of its revision."""
    return replace(content, keep=keep, reasons=Revised(content.reasons, revision, content.page))


def configured(content: Content, configuration: str) -> Content:
    """Return a result with the hash of the method that made it."""
    # What `replace` does, without checking again on every page what has been checked.
    found = object.__new__(type(content))
    values = vars(content)
    if len(values) > len(_FIELDS):  # what has been asked of it since
        values = {name: values[name] for name in _FIELDS}
    vars(found).update(values, configuration=configuration)
    return found


def without_hidden(content: Content) -> Content:
    """Return a result without what readers of the page do not see."""
    page = content.page
    cleaned = without_invisible(page)
    left_out = np.where(page.hidden[page.text_rows] > 0, Reason.HIDDEN, 0)
    empty = np.array([not text or text.isspace() for text in cleaned.texts], bool)
    left_out[empty] = Reason.INVISIBLE
    left = without(content, left_out, "all that looked like content is hidden")
    return replace(left, page=with_notes(cleaned, page.hidden_notes), visible_only=True)


def without_tables(content: Content) -> Content:
    """Return a result without its tables of data."""
    page = content.page
    inside = enclosing(data_tables(page), page.end, page.text_rows) >= 0
    left_out = np.where(inside, Reason.TABLE, 0)
    return without(content, left_out, "all that looked like content is in tables")


def without_comments(content: Content) -> Content:
    """Return a result without what readers wrote under the article."""
    left_out = np.where(content.page.in_comments, Reason.COMMENT, 0)
    return without(content, left_out, "all that looked like content is comments")


def comments_only(content: Content) -> Content:
    """Return what readers wrote, comments and reviews, whether or not the method kept it."""
    page = content.page
    theirs = page.in_comments | _left_out_as_theirs(content.reasons, len(content.keep))
    if content.visible_only:
        theirs = theirs & (page.hidden[page.text_rows] == 0)
    return replace(revise(content, theirs, np.where(theirs, Reason.COMMENT, 0)), note="")


def _left_out_as_theirs(reasons: Reasons, texts: int) -> Bools:
    """Return which texts a method took for what readers wrote, knowing more than the page."""
    theirs = np.zeros(texts, bool)
    while isinstance(reasons, Revised):
        theirs |= np.isin(reasons.revision, (Reason.COMMENT, Reason.REVIEW))
        reasons = reasons.reasons
    return theirs


def with_notes(page: Page, limits: tuple[str, ...]) -> Page:
    """Return a page that tells of limits at which hidden text may have passed."""
    if not limits:
        return page
    note = f"hidden text may have passed: {', '.join(limits)}"
    return replace(page, notes=(*page.notes, note), again=partial(with_notes, page, limits))


def without_invisible(page: Page) -> Page:
    """Return a page whose texts have no invisible characters: the same one if it had none."""
    texts = tuple(map(strings.without_invisible, page.texts))
    if texts == page.texts:
        return page
    return replace(page, texts=texts, again=partial(without_invisible, page))


@dataclass(frozen=True, eq=False)
class Content:
    """The main content of a page: which of its texts are kept, with scores and reasons."""

    page: Page = field(repr=False)
    keep: NDArray[np.bool_] = field(repr=False)
    """Per text of the page (``page.texts``): is it content?"""
    scores: NDArray[np.floating[Any]] = field(repr=False)
    """Per text: how strongly the method holds it to be content, on the method's own scale."""
    reasons: Reasons = field(repr=False)
    method: str
    title: str | None = None
    """Title that the method itself found, if it looks for one."""
    note: str = ""
    """What the method has to say about the page as a whole."""
    page_confidence: float | None = None
    """Calibrated estimate of the word F1 of this result, where the method has one."""
    pagetype: tuple[str, float] | None = None
    """Kind of page and its probability, where the method has a guess."""
    visible_only: bool = False
    """Has all been left out that readers of the page do not see?"""
    configuration: str = ""
    """Short hash of the method and its parameters; '' when `joeira.extract` did not make this."""

    def __post_init__(self) -> None:
        """Freeze the columns."""
        if not len(self.keep) == len(self.scores) == self.page.text_count:
            message = "keep and scores must have one value per text of the page"
            raise UsageError(message)
        self.keep.setflags(write=False)
        self.scores.setflags(write=False)

    def __bool__(self) -> bool:
        """Return whether anything was kept."""
        return bool(self.keep.any())

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<Content by {self.method}: {int(self.keep.sum())} of {len(self.keep)} texts>"

    @property
    def status(self) -> str:
        """``ok``, ``empty`` (nothing kept) or ``cut`` (limits of the parser were reached)."""
        if self.page.notes:
            return "cut" if self else "empty"
        return "ok" if self else "empty"

    @property
    def reason(self) -> str:
        """Why the result is what it is, as far as it concerns the page as a whole."""
        notes = [*self.page.notes, *([self.note] if self.note else [])]
        if not self and not notes:
            notes = [
                "no text looked like content" if self.page.text_count else "the page has no text"
            ]
        return "; ".join(notes)

    def text(self, *, title: bool = False, posts: bool = False) -> str:
        """Return plain text: paragraphs apart, list items on lines, table rows tab-separated.

        Args:
            title: Whether the title that the page shows stands first, chosen or not.
            posts: Whether the author and the date of each post of a thread stand above it.
        """
        from joeira.render import text

        if not (title or posts):
            return text.render(self.page, self.keep)
        heading, keep = self._title_apart() if title else (self.keep & False, self.keep)
        keep, parts = self._divided(keep) if posts else (keep, {})
        above = " ".join(text.render(self.page, heading).split())
        return "\n\n".join(filter(None, (above, text.render(self.page, keep, parts))))

    def markdown(
        self,
        *,
        links: bool = True,
        images: bool = True,
        formatting: bool = True,
        title: bool = True,
        posts: bool | None = None,
        scripts: str = "html",
    ) -> str:
        """Return Markdown (GFM) of the kept content, if wanted without links, images, emphasis.

        Args:
            links: Whether links are written.
            images: Whether images are written.
            formatting: Whether bold, italic and the like are written.
            title: Whether the title that the page shows stands first, chosen or not; else it is
                left out.
            posts: Whether a heading with author and date stands above each post of a thread; on
                forum pages unless told.
            scripts: How sub and sup are written: ``html`` (``x<sup>2</sup>``) or ``caret``
                (``x^2^``).
        """
        from joeira.render import markdown
        from joeira.render.selection import Show

        if scripts not in SCRIPTS:
            message = f"no way to write sub and sup {scripts!r}; known: {', '.join(SCRIPTS)}"
            raise UsageError(message)
        show = Show(links, images, formatting, alternatives=not self.visible_only, scripts=scripts)
        heading, keep = self._title_apart()
        if posts is None:
            posts = self.pagetype is not None and self.pagetype[0] == "forum"
        keep, parts = self._divided(keep) if posts else (keep, {})
        body = markdown.render(self.page, keep, show, parts)
        above = markdown.render_title(self.page, heading, formatting) if title else ""
        return "\n\n".join(filter(None, (above, body)))

    def _divided(self, keep: Bools) -> tuple[Bools, dict[int, str]]:
        """Return what is kept of a thread, and the rows where posts begin with what is above each.

        Of a post that is what was written; around the posts it is what the method chose.
        """
        posts = [post for post in self.posts if post.text_rows]
        if not posts:
            return keep, {}
        page = self.page
        divided = keep.copy()
        for post in posts:
            first, stop = page.text_index[list(post.rows)]
            divided[first:stop] = False
        for post in posts:
            divided[page.text_index[list(post.text_rows)]] = True
            divided[page.text_index[list(post.cell_rows)]] = False
        return divided, {post.text_rows[0]: post.heading for post in posts}

    def _title_apart(self) -> tuple[Bools, Bools]:
        """Return the texts of the title that the page shows, and what is kept beside it."""
        heading = np.zeros(len(self.keep), bool)
        if not self:
            return heading, self.keep
        from joeira.render import selection

        title = selection.shown_title(self.page, self.keep)
        if title is None:
            return heading, self.keep
        heading[title.first : title.stop] = True
        return heading, selection.without_title(self.page, self.keep, title)

    def html(self, *, links: bool = True, images: bool = True, formatting: bool = True) -> str:
        """Return clean, safe HTML of the kept content, if wanted without links and the like."""
        from joeira.render import html
        from joeira.render.selection import Show

        show = Show(links, images, formatting, alternatives=not self.visible_only)
        return html.render(self.page, self.keep, show)

    def xml(
        self,
        *,
        tei: bool = False,
        links: bool = True,
        images: bool = True,
        formatting: bool = True,
    ) -> str:
        """Return XML of the kept content, the comments and the metadata, as trafilatura names them.

        Args:
            tei: Whether it is a document of the Text Encoding Initiative (TEI P5).
            links: Whether links are written.
            images: Whether images are written.
            formatting: Whether bold, italic and the like are written.
        """
        from joeira.render import xml
        from joeira.render.selection import Show

        render = xml.render_tei if tei else xml.render
        show = Show(links, images, formatting, alternatives=not self.visible_only)
        theirs = self.comments.keep
        return render(self.page, self.keep & ~theirs, theirs, self.metadata.to_dict(), show)

    def to_dict(self, schema: str | None = None) -> dict[str, Any]:
        """Return the result as plain data, with our names or in a `schema` that others know.

        Args:
            schema: ``trafilatura``, ``fineweb`` or ``schemaorg``.
        """
        from joeira.render.schemas import SCHEMAS, content_to_dict

        fields = content_to_dict(self)
        if schema is None:
            return fields
        if schema not in SCHEMAS:
            message = f"no schema {schema!r}; known: {', '.join(SCHEMAS)}"
            raise UsageError(message)
        return SCHEMAS[schema](fields)

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself, such as its title and date; read when asked for."""
        from joeira.metadata import Metadata

        return Metadata(self.page, self.title, self.pagetype, self.keep)

    def visible(self) -> Content:
        """Return the content without what readers of the page do not see.

        That is hidden text (see `joeira.page.visibility`), invisible characters and the alternative
        texts of images. Tabs and accordions hide real content too, so this is not the default.
        """
        return without_hidden(self)

    @cached_property
    def comments(self) -> Content:
        """The comments under the article, kept or not; empty where the page has none, or no other.

        The page's structure shows what is a comment, see `joeira.page.comments`.
        Reviews that the method left out are among them.
        """
        return comments_only(self)

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """The posts of a thread or of questions and answers; none where the page is no such.

        Those under an article are ``content.comments.posts``.
        """
        from joeira.content.posts import find_posts

        # Kept although left out as a comment: so it is in `comments` alone.
        theirs = _left_out_as_theirs(self.reasons, len(self.keep))
        return find_posts(self, is_readers=bool(self) and not (self.keep & ~theirs).any())

    def without_comments(self) -> Content:
        """Return the content without the comments under the article."""
        return without_comments(self)

    def without_tables(self) -> Content:
        """Return the content without the tables of data."""
        return without_tables(self)

    @cached_property
    def hidden_words(self) -> dict[str, int]:
        """Number of kept words that a browser would not show, by how they are hidden."""
        from joeira.page.visibility import Hidden

        page = self.page
        words = np.bincount(page.hidden[page.text_rows], page.text_words * self.keep, len(Hidden))
        return {way.sentence: int(words[way]) for way in Hidden if way and words[way]}

    @cached_property
    def invisible_characters(self) -> dict[str, int]:
        """Number of characters in the kept texts that no reader sees, by kind."""
        return strings.invisible_characters(
            "\n".join(compress(self.page.texts, self.keep.tolist()))
        )

    def blocks(self) -> list[str]:
        """Return the kept blocks as plain texts."""
        bounds = self.explain().bounds()
        runs = zip(pairwise(bounds), self.keep[bounds[:-1]].tolist(), strict=True)
        return [self.page.joined(start, stop) for (start, stop), kept in runs if kept]

    def explain(self) -> Explanation:
        """Return method, status and reason, and for every block its decision, score and reason."""
        return Explanation(self, self.method, self.configuration, self.status, self.reason)

    def report(self) -> str:
        """Return a web page that shows every decision: what was kept, what was dropped, and why.

        It is one file without scripts that loads nothing. Of a page with more than 50,000 blocks it
        shows that many.
        """
        from joeira.content import explanation

        return explanation.render(self)


_FIELDS = tuple(each.name for each in fields(Content))
