"""Each installed peer reads a plain article; those that are not are skipped."""

from importlib.util import find_spec

import pytest

from joeira.evaluation import contenders
from joeira.evaluation.datasets import Example

SENTENCE = "The miller winnows the grain in the evening wind and keeps what is heavy. "
ARTICLE = Example(
    "1",
    "<html><head><title>Grain</title></head><body><nav><a href='/'>Home</a></nav><article><h1>Grain"
    f"</h1><p>{SENTENCE * 4}</p><p>{SENTENCE * 4}</p></article></body></html>",
    lang="en",
)


@pytest.mark.parametrize("name", contenders.PEERS["content"])
# They are not ours to repair: jusText and newspaper warn on import and use.
@pytest.mark.filterwarnings("ignore")
def test_peer_reads_an_article(name: str) -> None:
    if find_spec(contenders.PEERS["content"][name][0]) is None:
        pytest.skip(f"{name} is not installed (extra: bench)")
    assert "winnows the grain" in contenders.find_peer(name)()(ARTICLE)


@pytest.mark.parametrize("name", contenders.PEERS["metadata"])
@pytest.mark.filterwarnings("ignore")
def test_peer_reads_the_title(name: str) -> None:
    if find_spec(contenders.PEERS["metadata"][name][0]) is None:
        pytest.skip(f"{name} is not installed (extra: bench)")
    assert contenders.find_peer(name, "metadata")()(ARTICLE)["title"] == "Grain"
