from collections.abc import Sequence

def said(
    metas: Sequence[tuple[str, ...]], facts: Sequence[str], limit: int
) -> tuple[str, str, set[str]]: ...
def addresses(
    links: Sequence[tuple[str, ...]], metas: Sequence[tuple[str, ...]], most: int
) -> list[str]: ...
