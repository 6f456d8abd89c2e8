"""Batches on several machines with Apache Spark: the same rows, with the same isolation.

`extract_warcs` and `learn_and_extract_sites` give data frames. `run` writes shards, and can be
killed at any moment as `joeira.batch.run` can.

Needs ``pip install 'joeira[spark]'`` on all machines, and Java 17.
"""

from joeira.spark.frames import extract_warcs, learn_and_extract_sites
from joeira.spark.running import run

__all__ = ["extract_warcs", "learn_and_extract_sites", "run"]
