"""A store like Amazon's, on the loopback address."""

import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

KNOWN = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket of a server on the loopback address, for this process and those it starts."""
    s3fs = pytest.importorskip("s3fs", reason="the extra 'cloud' is not installed")
    server = pytest.importorskip("moto.server", reason="moto is not installed: see scripts/extras")
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    for name, value in {**KNOWN, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    reset = urllib.request.Request(f"http://{host}:{port}/moto-api/reset", method="POST")
    urllib.request.urlopen(reset).close()  # it remembers what earlier ones of this process had
    filesystem = s3fs.S3FileSystem()
    filesystem.mkdir("bucket")
    yield filesystem
    s3fs.S3FileSystem.clear_instance_cache()
    started.stop()
