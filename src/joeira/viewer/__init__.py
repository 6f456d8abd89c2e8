"""The viewer: a page in the browser, with what every method made of it and why."""
