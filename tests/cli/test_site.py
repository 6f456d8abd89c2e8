"""``joeira site``, ``joeira extract --site`` and ``joeira extract-site``, as real processes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from support.command_line import joeira
from support.loopback import loopback_site


def html(number: int) -> str:
    text = "".join(
        f"<p>The mayor of town {number} said on day {k} that the bridge, number {k * number}, "
        "will be closed until further notice.</p>"
        for k in range(5)
    )
    return (
        "<div class=menu><p>Home and news and sport and weather of today</p></div>"
        f"<div class=story><h1>Bridge {number}</h1>{text}</div>"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(5):
        (pages / f"{number}.html").write_text(html(number), "utf-8")
    return pages


def test_learn_show_check_and_extract(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    learned = joeira("site", "learn", folder, "-o", site)
    assert learned.returncode == 0
    assert "learned from 5 pages" in learned.stderr
    assert not learned.stdout
    shown = joeira("site", "show", site)
    assert shown.returncode == 0
    assert "template, learned from 5 pages" in shown.stdout
    assert "div.story > p" in shown.stdout
    assert "5  Home and news and sport" in shown.stdout
    assert joeira("site", "check", site, folder).returncode == 0
    done = joeira("extract", folder / "1.html", "--site", site)
    assert done.returncode == 0
    assert "mayor of town 1" in done.stdout
    assert "Home and news" not in done.stdout


def test_pages_without_a_shared_template_are_told(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    kinds = ("article", "main", "section", "blockquote")
    others = [tmp_path / f"{kind}.html" for kind in kinds]
    for kind, path in zip(kinds, others, strict=True):
        path.write_text(f"<{kind} class={kind}><h2>Of {kind}</h2><p>Text of {kind}.</p>", "utf-8")
    learned = joeira("site", "learn", *others, "-o", site)
    assert learned.returncode == 0
    assert "warning: no shared template: 4 pages of 4 templates" in learned.stderr
    assert "no shared template" in joeira("site", "show", site).stdout
    learned = joeira("site", "learn", folder, others[0], others[1], "-o", site)
    assert "3 templates, distinguished by their slots: 5, 1, 1 pages" in learned.stderr


def test_pages_are_collected_and_answered(tmp_path: Path) -> None:
    with loopback_site() as server:
        links = ["/other.html", "/video-1.html", "/hidden.html", *(f"/{n}.html" for n in range(5))]
        items = "".join(f"<li><a href='{link}#top'>Link {link}</a></li>" for link in links)
        outside = "<a href='https://example.org/9.html'>elsewhere</a>"
        listed = server.add("/news", f"<ul>{items}</ul>{outside}")
        server.add("/robots.txt", "User-agent: *\nDisallow: /hidden", Content_Type="text/plain")
        for number in range(5):
            server.add(f"/{number}.html", html(number))
        server.add("/other.html", "<main><section><p>Another template altogether.</p></section>")
        folder = tmp_path / "pages"
        arguments = ("site", "collect", listed, "-o", folder, "--exclude", "video", "--delay", "0")
        done = joeira(*arguments, "--allow-private")
        assert done.returncode == 1  # robots.txt did not allow one
        assert "5 pages of one template, 3 links left out" in done.stderr
        assert "/video-1.html" not in server.paths
        assert "/hidden.html" not in server.paths
    rows = [
        json.loads(line) for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines()
    ]
    left_out = {row["url"].rpartition("/")[2]: row["left_out"] for row in rows if "left_out" in row}
    assert left_out["video-1.html"] == "excluded: video"
    assert left_out["other.html"] == "another template"
    assert "robots.txt" in left_out["hidden.html"]
    assert sorted(path.name for path in folder.glob("*.html"))[-1] == "0005.html"
    name = tmp_path / "gold"
    done = joeira(
        "site", "gold", folder, "-o", name, "--content", ".story", "--without", "h1",
        "--test-share", "0.5",
    )  # fmt: skip
    assert done.returncode == 0
    parts = [Path(f"{name}-{part}.jsonl").read_text("utf-8") for part in ("learn", "test")]
    answers = [json.loads(line)["text"] for part in parts for line in part.splitlines()]
    assert len(answers) == 5
    assert all(text.startswith("The mayor of town") for text in answers)


def test_pages_are_collected_slowly_and_no_more_than_wanted(tmp_path: Path) -> None:
    with loopback_site() as server:
        addresses = [server.add(f"/{number}.html", html(number)) for number in range(5)]
        saved = tmp_path / "list.html"
        saved.write_text("".join(f"<a href='/{n}.html'>{n}</a>" for n in range(5)), "utf-8")
        began = time.monotonic()
        done = joeira(
            "site", "collect", saved, "--url", f"{addresses[0].rpartition('/')[0]}/news", "-o",
            tmp_path / "pages", "--limit", "3", "--delay", "0.4", "--allow-private",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert time.monotonic() - began >= 0.8
        fetched = [path for path in server.paths if path.endswith(".html")]
        assert fetched == ["/0.html", "/1.html", "/2.html"]
    assert len(list((tmp_path / "pages").glob("*.html"))) == 3
    rows = (tmp_path / "pages" / "manifest.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(row).get("left_out") for row in rows] == [None] * 3 + [
        "beyond the limit"
    ] * 2


def test_why_asks_a_site(folder: Path, tmp_path: Path) -> None:
    site, other = tmp_path / "site.json", tmp_path / "xcex.json"
    joeira("site", "learn", folder, "-o", site)
    done = joeira("why", folder / "1.html", "Home and news", "--site", site)
    assert done.returncode == 0
    assert "same text on 5 of 5 pages" in done.stdout
    joeira("site", "learn", folder, "-o", other, "-m", "xcex", "--set", "preset=recommended")
    assert json.loads(other.read_text("utf-8"))["parameters"]["page_limit_percent"] == 25
    done = joeira("why", folder / "1.html", "Home and news", "--site", other, "--json")
    (block,) = json.loads(done.stdout)["site_blocks"]
    assert block["similar_pages"] == block["ibdf"] == -1
    assert not block["is_content"]
    both = joeira("why", folder / "1.html", "--site", site, "--method", "nce")
    assert both.returncode == 2
    assert "--site includes its method" in both.stderr


def test_a_changed_template_is_told(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    joeira("site", "learn", folder, "-o", site)
    new = tmp_path / "new.html"
    new.write_text("<main><section><h2>Other</h2><article>text of it</article>", "utf-8")
    done = joeira("site", "check", site, new)
    assert done.returncode == 1
    assert "the template has changed" in done.stdout


def test_pages_as_lines_and_another_method(tmp_path: Path) -> None:
    lines = tmp_path / "pages.jsonl"
    rows = [{"id": str(number), "html": html(number)} for number in range(4)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    site = tmp_path / "site.json"
    done = joeira("site", "learn", lines, "-o", site, "-m", "xcex", "--set", "blocks=lossless")
    assert done.returncode == 0
    assert json.loads(site.read_text("utf-8"))["parameters"]["blocks"] == "lossless"
    shown = joeira("site", "show", site).stdout
    assert "xcex, learned from 4 pages" in shown
    assert "     4  home news sport today weather" in shown  # function words are known without lang


def test_extract_site_writes_a_file_for_each_page(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = joeira("extract-site", folder, "-o", out, "--to", "markdown")
    assert done.returncode == 0
    assert sorted(path.name for path in out.iterdir()) == [f"{number}.md" for number in range(5)]
    assert "mayor of town 3" in (out / "3.md").read_text("utf-8")


def test_few_and_unreadable_pages(folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    done = joeira("site", "learn", folder / "1.html", tmp_path / "none.html", "-o", site)
    assert done.returncode == 2
    assert "none.html: no such file" in done.stderr
    assert "use at least three" in done.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    nothing = joeira("site", "learn", empty, "-o", site)
    assert nothing.returncode == 2
    assert "at least one page" in nothing.stderr


def test_misuse(folder: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"a": 1}', "utf-8")
    for arguments, code, problem in (
        (("extract", folder / "1.html", "--site", foreign), 1, "is not a site file"),
        (("site", "show", tmp_path / "none.json"), 2, "no such file"),
        (("site", "learn", folder, "-o", tmp_path / "s.json", "-m", "nce"), 2, "no method 'nce'"),
        (("site", "learn", folder, "-o", tmp_path / "s.json", "--set", "x=1"), 2, "no parameter"),
        (("site", "learn", folder, "-o", foreign / "s.json"), 4, "because a file has this name"),
        (("extract", folder / "1.html", "--site", foreign, "-m", "nce"), 2, "includes its method"),
    ):
        done = joeira(*arguments)
        assert done.returncode == code
        assert problem in done.stderr
        assert not done.stdout


def test_segments_of_a_site(folder: Path, tmp_path: Path) -> None:
    site, page = tmp_path / "blocks.json", folder / "3.html"
    learned = joeira(
        "site",
        "learn",
        folder,
        "-o",
        site,
        "--method",
        "som",
        "--set",
        "beta=3",
        "--set",
        "pruning=thresholds",
    )
    assert learned.returncode == 0
    shown = joeira("site", "show", site)
    assert "     5  html/body/div\n" in shown.stdout
    found = json.loads(joeira("segment", page, "--site", site, "--to", "json").stdout)
    assert found["method"] == "som"
    assert found["segments"][0]["label"] == "html/body/div"
    assert found["segments"][0]["text"].startswith("Home and news")
    wrong = joeira("extract", page, "--site", site)
    assert wrong.returncode != 0
    assert "segment()" in wrong.stderr
    assert joeira("segment", page, "--site", site, "--method", "tps").returncode == 2


def test_a_machine_is_trained_on_marked_sites(folder: Path, tmp_path: Path) -> None:
    marked, model, site = tmp_path / "marked", tmp_path / "model.npz", tmp_path / "site.json"
    marked.mkdir()
    for name in ("one", "two"):
        rows = [
            {
                "id": f"{name}{number}",
                "html": f"<div id=m><a>Home</a><b>News {number}</b></div>"
                f"<div id=t><h1>{name} {number}</h1><p>Rain again {number}</p></div>",
                "blocks": [{"xpath": f"//div[@id='{id_}']", "type": "x"} for id_ in "mt"],
            }
            for number in range(8)
        ]
        (marked / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = joeira("site", "train-segments", marked, "-o", model)
    assert done.returncode == 0, done.stderr
    assert "poly degree=3" in done.stdout
    learn = ("site", "learn", folder, "-o", site, "--method", "som", "--set", f"model={model}")
    assert joeira(*learn).returncode == 0
    page = folder / "3.html"
    assert joeira("segment", page, "--site", site).returncode == 0
    model.unlink()
    missing = joeira("segment", page, "--site", site)
    assert missing.returncode != 0
    assert "model.npz" in missing.stderr
    alone = joeira("site", "train-segments", marked / "one.jsonl", "-o", model)
    assert alone.returncode != 0
    assert "at least two sites" in alone.stderr
    measured = joeira("evaluate", marked / "one.jsonl", "--task", "site_segments")
    assert measured.returncode == 0
    assert "som" in measured.stdout
