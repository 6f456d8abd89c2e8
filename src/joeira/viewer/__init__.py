"""The viewer: a page in the browser, with the result of every method and the reasons."""
