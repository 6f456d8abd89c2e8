"""Rebuilds the shipped models from data sets; needs the ``[train]`` extra.

``python -m training --data DIR --out DIR`` reads the data sets of `pages.TRAINING_SETS` from
a folder, measures the recipe out of fold and writes weights and card.
"""

import os

# The same weights on every processor: left to themselves the libraries below PyTorch take the
# widest instructions that there are, and wider ones add in another order.
os.environ["ATEN_CPU_CAPABILITY"] = "default"
os.environ["MKL_CBWR"] = "COMPATIBLE"
os.environ["ONEDNN_MAX_CPU_ISA"] = "SSE41"
