"""Scores of posts against the posts of a page's answer.

A post is found when its text and that of one post of the answer have a word F1 of at least 0.8;
posts are matched one to one, best first. Of the posts that are found, the author is right when the
name is the same, or its link where the answer has a link for a name, and the date when it is the
same day, or the same words where the answer only says how long ago it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from joeira.arrays import Floats
from joeira.evaluation.datasets import Example
from joeira.evaluation.metadata_scores import plain
from joeira.metadata.dates import first_day

MIN_F1 = 0.8
COLUMNS = ("answered", "returned", "found", "authors", "authors_right", "dates", "dates_right")
"""Posts of the answer, of the output and of both; of the latter those with an author in the answer,
and those with the right one; the same of dates."""
WIDTH = len(COLUMNS)
Output = list[dict[str, Any]]
"""Posts as plain data: ``author``, ``author_url``, ``date``, ``date_text`` and ``text``."""

_SHORT_YEAR = re.compile(r"['’](\d\d)\b")
_ORIGIN = re.compile(r"^(?:https?:)?//[^/]*/|^[./]+")
