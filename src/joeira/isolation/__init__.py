"""Process isolation: work that may crash, hang or run out of memory without affecting other work.

Every page that somebody else wrote is worked on here: batches, the service, Spark and evaluation
share these processes, and nobody else starts any. The parts:

`joeira.isolation.work`
    What is asked (`Question`), what is done (`Work`) and what it may use (`Limits`).
`joeira.isolation.workers`
    The side that asks: `Workers`, a team that gives exactly one answer to each question, in order,
    and `Worker`, one of them. It never touches a page.
`joeira.isolation.supervisor`
    The side that answers: a warm process that forks the child that touches pages, and replaces it.

Nothing here knows pages, rows or requests, so the room imports none of those who use it.
"""
