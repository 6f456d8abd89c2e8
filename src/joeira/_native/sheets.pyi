from collections.abc import Collection

class Sieve:
    def __init__(
        self,
        names: Collection[str],
        properties: Collection[str],
        wanted: tuple[str, Collection[str], Collection[str]],
    ) -> None: ...
    def __call__(self, text: str) -> str: ...

def shows_as_block(text: str, asked: Collection[str]) -> bool: ...
