"""What a page says about itself: title, author, date and the like, with where each comes from."""

from joeira.metadata.claims import Candidate
from joeira.metadata.model import FIELDS, Metadata

__all__ = ["FIELDS", "Candidate", "Metadata"]
