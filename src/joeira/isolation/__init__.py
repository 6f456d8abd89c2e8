"""Process isolation: work that may crash, hang or run out of memory, and never takes others along.

`Workers` asks supervised processes; each question gets exactly one answer. Batches, the service,
Spark and evaluation all work through it.
"""
