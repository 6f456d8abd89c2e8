"""The HTTP service: pages in, results out, whatever the pages and the clients do.

It needs the extra ``joeira[service]``; `joeira.service.app` has ``create_app``.
"""
