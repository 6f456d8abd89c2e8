"""``joeira doctor``: it tells what there is, and notices what does not work."""

import json

import pytest

from joeira import __version__
from joeira.cli import doctor
from support.command_line import joeira


def test_a_healthy_installation() -> None:
    done = joeira("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"ok      joeira             {__version__}" in done.stdout
    for part in ("program", "extras", "helpers", "self-test"):
        assert f"{part}\n  " in done.stdout
    assert "failed" not in done.stdout


def test_as_data() -> None:
    report = json.loads(joeira("doctor", "--json").stdout)
    assert report["joeira"] == __version__
    tried = {each["name"]: each for each in report["findings"] if each["part"] == "self-test"}
    assert {"extract", "records", "segment", "metadata", "site", "processes"} == set(tried)
    assert all(each["is_well"] for each in tried.values())


def test_what_does_not_work_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks() -> str:
        raise OSError("no such device")

    tests = {"well": lambda: "", "wrong": lambda: "expected 1, found 2", "broken": breaks}
    monkeypatch.setattr(doctor, "_TESTS", tests)
    found = {each.name: each for each in doctor._self_test()}
    assert [each.is_well for each in found.values()] == [True, False, False]
    assert found["wrong"].about == "expected 1, found 2"
    assert found["broken"].about == "OSError: no such device"


def test_an_extra_that_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["numpy>=1", "no-such-package>=3; extra == 'fancy'", "pytest; extra == 'test'"]
    monkeypatch.setattr(doctor, "_requirements", lambda: lines)
    (found,) = doctor._extras()
    assert (found.name, found.is_well) == ("fancy", None)
    assert found.about == "pip install 'joeira[fancy]'"
