"""Rebuilds the shipped models from data sets; needs the ``[train]`` extra.

``python -m joeira.training --data DIR --out DIR`` reads the data sets of `pages.TRAINING_SETS` from
a folder, measures the recipe out of fold and writes weights and card.
"""
