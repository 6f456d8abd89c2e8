from joeira import __version__

project = "Joeira"
author = "The Joeira developers"
copyright = "The Joeira developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
default_role = "code"  # `name` in a docstring is code, as in Markdown

html_theme = "furo"
html_title = f"Joeira {release}"
html_show_copyright = False
html_copy_source = False
