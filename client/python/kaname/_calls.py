# SPDX-License-Identifier: BSD-3-Clause
"""Calls of a server: token, deadline, repetition while it cannot be reached."""
from __future__ import annotations

import time
from typing import Any, Callable, Iterator, TypeVar

import grpc

from ._listener import check_listener
from ._proxy import advice, proxy_of
from .endpoint import Endpoint
from .errors import Error, from_rpc
from ._proto.kaname.v1 import (admin_service_pb2_grpc, artifacts_service_pb2_grpc,
                               datasets_service_pb2_grpc, greens_service_pb2_grpc,
                               jobs_service_pb2_grpc)

Result = TypeVar("Result")

UNARY_S, PREFLIGHT_S, STREAM_S = 30.0, 600.0, 24 * 3600.0
_TRIES = 4
# A connection failed for another reason than that nobody listens: what gRPC 1.51 takes for the
# reason may be an errno of its own, so that nothing is known about the server.
_MORE_TRIES = 6
_LOST_CONTACT_S = 120.0


def _is_doubtful(error: Error) -> bool:
    return "failed to connect" in error.message and "Connection refused" not in error.message


class Calls:
    """The stubs of one server. Every call may be repeated and is, while the server cannot be
    reached; what it answers otherwise is raised as Error."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.server = f"the server at {endpoint.address} (from {endpoint.origin})"
        options = [("grpc.keepalive_time_ms", 60000), ("grpc.initial_reconnect_backoff_ms", 200),
                   ("grpc.max_reconnect_backoff_ms", 1000),
                   ("grpc.enable_http_proxy", 0 if proxy_of(endpoint) is None else 1)]
        if endpoint.ca:
            how = grpc.ssl_channel_credentials(
                endpoint.ca.encode(), endpoint.key.encode() or None,
                endpoint.certificate.encode() or None)
            self.channel = grpc.secure_channel(endpoint.address, how, options=options)
        else:
            self.channel = grpc.insecure_channel(endpoint.address, options=options)
        self.metadata = (("authorization", f"Bearer {endpoint.token}"),)
        self.jobs = jobs_service_pb2_grpc.JobsStub(self.channel)
        self.greens = greens_service_pb2_grpc.GreensStub(self.channel)
        self.artifacts = artifacts_service_pb2_grpc.ArtifactsStub(self.channel)
        self.datasets = datasets_service_pb2_grpc.DatasetsStub(self.channel)
        self.admin = admin_service_pb2_grpc.AdminStub(self.channel)

    def close(self) -> None:
        self.channel.close()

    def insist(self, attempt: Callable[[], Result]) -> Result:
        """``attempt`` until it raises nothing retryable, or the tries are used up."""
        delay, number = 0.2, 1
        while True:
            try:
                return attempt()
            except Error as error:
                tries = _TRIES + (_MORE_TRIES if _is_doubtful(error) else 0)
                if not error.retryable or number >= tries:
                    raise
            time.sleep(delay)
            delay, number = min(2.0 * delay, 1.0), number + 1

    def once(self, name: str, method: Any, request: Any, limit_s: float = UNARY_S) -> Any:
        """One attempt at a call with one answer; ``request`` may be an iterator of messages."""
        check_listener(self.endpoint)
        try:
            return method(request, timeout=limit_s, metadata=self.metadata)
        except grpc.RpcError as error:
            raise from_rpc(error, name, self.server,
                           advice(self.endpoint, error.details() or "")) from None

    def unary(self, name: str, method: Any, request: Any, limit_s: float = UNARY_S) -> Any:
        def attempt() -> Any:
            return self.once(name, method, request, limit_s)

        return self.insist(attempt)

    def stream(self, name: str, method: Any, request: Any) -> Iterator[Any]:
        """Messages of one stream, which is cancelled when nobody reads on."""
        check_listener(self.endpoint)
        call = method(request, timeout=STREAM_S, metadata=self.metadata)
        try:
            yield from call
        except grpc.RpcError as error:
            raise from_rpc(error, name, self.server,
                           advice(self.endpoint, error.details() or "")) from None
        finally:
            call.cancel()

    def resumed(self, open_stream: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """A stream that is taken up again where it broke, for as long as the server is not away
        for too long. ``open_stream`` begins after what came last."""
        last, delay = time.monotonic(), 0.2
        while True:
            try:
                for message in open_stream():
                    last, delay = time.monotonic(), 0.2
                    yield message
                    last = time.monotonic()  # the reader's time is not the server's
                return
            except Error as error:
                if not error.retryable or time.monotonic() - last > _LOST_CONTACT_S:
                    raise
            time.sleep(delay)
            delay = min(2.0 * delay, 1.0)
