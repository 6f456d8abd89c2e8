"""The block model: how likely every block of a page is to be content, and what to keep of it.

Main content and sites share it: the view of the blocks, their features, the learned model with its
page types, the choice of blocks, and the words for that choice.
"""
