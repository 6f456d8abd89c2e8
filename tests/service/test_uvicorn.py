"""What the service relies on in uvicorn, of which it refines a class that is not public."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from joeira.service.server import UVICORN, PatientProtocol, check_uvicorn
from support.command_line import ROOT, joeira


def test_uvicorn_has_what_the_service_relies_on() -> None:
    check_uvicorn()


@pytest.mark.parametrize(
    "method, parameters",
    [
        ("connection_made", ["transport"]),
        ("data_received", ["data"]),
        ("on_response_complete", []),
        ("connection_lost", ["exc"]),
        ("send_400_response", ["msg"]),
    ],
)
def test_refined_methods_take_what_uvicorn_gives_them(method: str, parameters: list[str]) -> None:
    for kind in (H11Protocol, PatientProtocol):
        takes = list(inspect.signature(getattr(kind, method)).parameters)
        assert takes == ["self", *parameters], f"uvicorn {uvicorn.__version__}: {kind.__name__}"


@pytest.mark.parametrize("method", ["send_400_response", "on_response_complete"])
def test_uvicorn_calls_the_refined_methods(method: str) -> None:
    source = inspect.getsource(H11Protocol)
    assert f"self.{method}" in source.replace(f"def {method}", "")


def test_the_supported_versions_are_those_that_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (required,) = (
        each for each in project["optional-dependencies"]["service"] if "uvicorn" in each
    )
    assert required == UVICORN, "say the same in joeira/service/server.py"


CHANGE = """
import sys
import uvicorn
from uvicorn.protocols.http import h11_impl
{change}
"""


@pytest.mark.parametrize(
    "change, missing",
    [
        ("sys.modules[h11_impl.__name__] = None", "H11Protocol"),
        ("del h11_impl.H11Protocol", "H11Protocol"),
        ("del h11_impl.H11Protocol.send_400_response", "H11Protocol.send_400_response"),
        ("del h11_impl.H11Protocol.on_response_complete", "H11Protocol.on_response_complete"),
        (
            "h11_impl.H11Protocol.__init__ = lambda self: None",
            "H11Protocol.conn, H11Protocol.cycle",
        ),
        (
            "h11_impl.RequestResponseCycle.__init__ = lambda self: None",
            "RequestResponseCycle.response_complete",
        ),
        ("del uvicorn.Server.capture_signals", "Server.capture_signals"),
    ],
)
def test_another_uvicorn_is_refused_at_the_start(tmp_path: Path, change: str, missing: str) -> None:
    """Python runs this file before anything else: as if uvicorn had changed."""
    (tmp_path / "sitecustomize.py").write_text(CHANGE.format(change=change))
    done = joeira("serve", "--port", "0", variables={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert f"uvicorn {uvicorn.__version__} has no {missing}" in done.stderr
    assert f"pip install '{UVICORN}'" in done.stderr
    assert "Traceback" not in done.stderr
