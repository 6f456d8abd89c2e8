"""The measuring instrument: methods beside each other on pages with known answers."""
