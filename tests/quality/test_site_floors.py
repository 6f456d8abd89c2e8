"""The default for sites stays above what it once reached, and above a page alone."""

from pathlib import Path

import pytest

from joeira.evaluation import datasets, site_scores

pytestmark = pytest.mark.quality

FLOORS = {"template": 0.95, "xcex[blocks=lossless;word_pattern=unicode]": 0.88}
SITES = ("news-google.com", "news-rus.ruvr.ru", "news-zdrowiutko.info", "portal-tv.msnbc.com_news")
PAGES = 20
NOISE = 0.01
"""By which the default for sites may be below the single page on any site."""


def test_site_methods_stay_above_their_floors(bench: Path) -> None:
    paths = [bench / "sites" / f"{name}.jsonl.gz" for name in SITES]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        pytest.skip(f"no {', '.join(missing)} under {bench}; set JOEIRA_BENCH to its folder")
    sources = [datasets.find(path, PAGES) for path in paths]
    found = site_scores.evaluate(sources, [*FLOORS, "learned"])
    low = {name: found.mean(name) for name, floor in FLOORS.items() if found.mean(name) < floor}
    assert not low
    assert found.mean("template") > found.mean("learned")
    for site, scores in found.scores.items():
        assert scores["template"].f1 > scores["learned"].f1 - NOISE, site
