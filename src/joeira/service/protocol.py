"""HTTP/1.1 as uvicorn speaks it, with an end to its patience.

A client that sends the head of a request byte by byte, or goes on sending a body that was answered
already, would otherwise keep its connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from joeira.service.guard import HEADERS
from joeira.service.problems import Problem


class PatientProtocol(H11Protocol):
    """A connection that is closed when its client keeps it for nothing.

    uvicorn's ``timeout_keep_alive`` is the time from the beginning of a connection, or the end of
    an answer, to the end of the next request's head.
    """

    _clock: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[override]  # a narrower transport, as uvicorn has it
        self, transport: asyncio.Transport
    ) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        self._stop_clock()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or too long a head."""
        self._refuse(Problem(400, msg.strip(".").lower()))

    def _watch(self) -> None:
        """Run the clock while no request is being answered."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # before the first request
        if cycle is not None and not cycle.response_complete:
            self._stop_clock()
        elif self._clock is None and not self.transport.is_closing():
            self._clock = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        if self.transport.is_closing():
            return
        has_begun = self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]
        if has_begun:
            self._refuse(Problem(408, "the request took too long to arrive"))
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        """Answer without a route, and close."""
        body = problem.body
        headers = {
            **HEADERS,
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        try:
            for event in (
                h11.Response(status_code=problem.status, headers=list(headers.items())),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # in the middle of an answer: nothing can be said any more
        self.transport.close()
