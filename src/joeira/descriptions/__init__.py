"""What the methods say of themselves: summaries, papers, parameters and measured scores."""

from joeira.descriptions.methods import Description, Parameter

__all__ = ["Description", "Parameter"]
