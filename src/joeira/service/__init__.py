"""The HTTP service: pages in, results out, robust against hostile pages and clients.

It needs the extra ``joeira[service]``; `joeira.service.app` has ``create_app``.
"""
