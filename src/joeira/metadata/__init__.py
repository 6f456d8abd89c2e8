"""What a page says about itself: title, author, date and the like."""

from joeira.metadata.read import Metadata, read

__all__ = ["Metadata", "read"]
