"""The block for datatrove pipelines; skipped where datatrove is not installed."""

import pytest

from joeira.batch import Job

data = pytest.importorskip("datatrove.data", reason="datatrove is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of what datatrove does


def test_every_document_comes_out_in_order() -> None:
    from joeira.integrations.datatrove import Joeira

    html = "<h1>Rain</h1><p>It rained for a whole week, and the river left its bed.</p>"
    texts = [html, "", html, "<p>"]
    documents = [
        data.Document(text, str(n), metadata={"url": None}) for n, text in enumerate(texts)
    ]
    found = list(Joeira(Job(method="bte"))(iter(documents)))
    assert [document.id for document in found] == ["0", "1", "2", "3"]
    assert [document.metadata["status"] for document in found] == ["ok", "empty", "ok", "empty"]
    assert "river" in found[0].text
    assert found[1].text == ""
    assert found[1].metadata["reason"]
