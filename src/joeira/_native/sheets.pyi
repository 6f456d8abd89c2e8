from collections.abc import Collection, Mapping

class Sieve:
    def __init__(
        self,
        names: Collection[str],
        kinds: Mapping[str, int],
        wanted: tuple[str, Collection[str], Collection[str], bool],
        has_variables: bool = True,
    ) -> None: ...
    def __call__(self, text: str) -> str: ...

def shows_as_block(text: str, asked: Collection[str]) -> bool: ...
