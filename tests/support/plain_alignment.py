"""Partial tree alignment read literally: trees are nested lists, nothing is shared or cut short."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Tree:
    tag: str
    below: list[Tree] = field(default_factory=list)

    @classmethod
    def read(cls, text: str) -> Tree:
        """Read ``r(a b(c))``."""
        top = cls("")
        path = [top]
        for word in text.replace("(", " ( ").replace(")", " ) ").split():
            if word == "(":
                path.append(path[-1].below[-1])
            elif word == ")":
                path.pop()
            else:
                path[-1].below.append(cls(word))
        return top.below[0]

    def __str__(self) -> str:
        return f"{self.tag}({' '.join(map(str, self.below))})" if self.below else self.tag

    def nodes(self) -> list[Tree]:
        return [self, *(node for child in self.below for node in child.nodes())]

    def leaves(self) -> list[Tree]:
        return [node for node in self.nodes() if not node.below]

    def copy(self, copies: dict[Tree, Tree]) -> Tree:
        made = copies[self] = Tree(self.tag)
        made.below = [child.copy(copies) for child in self.below]
        return made


def table(a: Tree, b: Tree) -> list[list[int]]:
    best = [[0] * (len(b.below) + 1) for _ in range(len(a.below) + 1)]
    for i, x in enumerate(a.below, 1):
        for j, y in enumerate(b.below, 1):
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + matching(x, y))
    return best


def matching(a: Tree, b: Tree) -> int:
    return table(a, b)[-1][-1] + 1 if a.tag == b.tag else 0


def match(seed: Tree, tree: Tree, found: dict[Tree, Tree]) -> None:
    """Fill in the partner in the seed of every node of the tree that has one."""
    if seed.tag != tree.tag:
        return
    found[tree] = seed
    best = table(seed, tree)
    i, j = len(seed.below), len(tree.below)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            match(seed.below[i], tree.below[j], found)


def insert(tree: Tree, found: dict[Tree, Tree]) -> tuple[bool, bool]:
    """Insert what has one place; return whether anything was inserted, and whether all has."""
    own = found.get(tree)
    if own is None:
        return False, True
    inserted, complete = False, True
    for child in tree.below:
        some, all_of_it = insert(child, found)
        inserted, complete = inserted or some, complete and all_of_it
    runs: list[list[int]] = []
    for place, child in enumerate(tree.below):
        if child in found:
            continue
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    for run in runs:
        left = found[tree.below[run[0] - 1]] if run[0] else None
        right = found[tree.below[run[-1] + 1]] if run[-1] + 1 < len(tree.below) else None
        before = own.below.index(left) if left else None
        after = own.below.index(right) if right else None
        if before is not None and after is not None:
            at = after if after == before + 1 else None
        elif before is not None:
            at = before + 1 if before == len(own.below) - 1 else None
        elif after is not None:
            at = 0 if after == 0 else None
        else:
            at = None if own.below else 0
        if at is None:
            complete = False
            continue
        own.below[at:at] = [tree.below[place].copy(found) for place in run]
        inserted = True
    return inserted, complete


def align(trees: list[Tree]) -> tuple[Tree, list[list[int]]]:
    """Return the seed, and the number of its leaf for each leaf of each tree (-1: none)."""
    order = sorted(trees, key=lambda tree: -len(tree.nodes()))
    partners: dict[Tree, dict[Tree, Tree]] = {order[0]: {}}
    seed = order[0].copy(partners[order[0]])
    waiting, left, progress = order[1:], [], False
    while waiting:
        tree = waiting.pop(0)
        found: dict[Tree, Tree] = {}
        match(seed, tree, found)
        more = len(found) > len(partners.get(tree, {}))
        inserted, complete = insert(tree, found)
        partners[tree] = found
        if not complete:
            left.append(tree)
        progress = progress or more or inserted
        if not waiting and progress:
            waiting, left, progress = left, [], False
    leaves = seed.leaves()
    rows = []
    for tree in trees:
        mates = [partners[tree].get(leaf) for leaf in tree.leaves()]
        rows.append([leaves.index(mate) if mate in leaves else -1 for mate in mates])
    return seed, rows
