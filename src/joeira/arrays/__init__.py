"""Array functions: numpy in, numpy out. Nothing here knows what a page is."""
