"""``joeira segment``, run as users run it."""

import json
from pathlib import Path

import pytest

from support.command_line import joeira

PAGE = (
    "<title>t</title><nav><a href=/>Home</a> <a href=/n>News</a></nav><main><h1>Storm</h1>"
    "<p>Rain is expected in the valley, and the river will rise by a metre before night.</p></main>"
    "<footer>The Daily</footer><script>evil()</script>"
)


@pytest.fixture
def page(tmp_path: Path) -> str:
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    return str(file)


def test_text_names_each_segment(page: str) -> None:
    written = joeira("segment", page).stdout
    assert written.startswith("[navigation ")
    assert "\n\n[main " in written
    assert "%]\nHome News\n" in written


def test_json_has_label_probability_and_place(page: str) -> None:
    found = json.loads(joeira("segment", page, "--to", "json").stdout)["segments"]
    last = found[-1]
    assert (last["label"], last["xpath"]) == ("footer", "/html/body/footer")
    assert 0 < last["score"] <= 1


def test_html_outlines_the_segments_and_runs_nothing(page: str) -> None:
    written = joeira("segment", page, "--to", "html").stdout
    assert 'data-segment="1 navigation' in written
    assert "evil" not in written


def test_a_page_without_text_ends_with_its_own_code() -> None:
    assert joeira("segment", "-", stdin=b"<p> </p>").returncode == 3


def test_several_pages(page: str, tmp_path: Path) -> None:
    alone = joeira("segment", page)
    done = joeira("segment", page, "-", stdin=PAGE.encode())
    assert done.returncode == 0
    assert done.stdout == f"==> {page} <==\n{alone.stdout}\n==> - <==\n{alone.stdout}"
    rows = joeira("segment", page, page, "--to", "json").stdout.splitlines()
    assert json.loads(rows[0]) == json.loads(joeira("segment", page, "--to", "json").stdout)
    assert len(rows) == 2


def test_several_web_pages_need_a_folder(page: str, tmp_path: Path) -> None:
    refused = joeira("segment", page, page, "--to", "html")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "need a folder" in refused.stderr
    out = tmp_path / "out"
    assert joeira("segment", page, page, "--to", "html", "-o", out).returncode == 0
    assert sorted(path.name for path in out.iterdir()) == ["page-2.html", "page.html"]
    assert (out / "page.html").read_text("utf-8") == joeira("segment", page, "--to", "html").stdout


def test_so_few_pages_of_a_site_are_told(page: str, tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    assert joeira("site", "learn", page, "-o", site, "--method", "som").returncode == 0
    done = joeira("segment", page, "--site", site)
    assert done.returncode == 0
    assert "learned from 1 page: use at least 8" in done.stderr


def test_only_the_default_can_use_a_browser(page: str) -> None:
    refused = joeira("segment", page, "--method", "tps", "--rendered")
    assert refused.returncode == 2
    assert "rendered" in refused.stderr
