# SPDX-License-Identifier: BSD-3-Clause
"""Which HTTP proxy a channel goes through: the rules of the command line's proxy_of."""
from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import time

from .endpoint import Endpoint


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_loopback(host: str) -> bool:
    """127.x.y.z, ::1 or localhost; a name such as 127.example.org is no address."""
    found = _ip(host)
    return host == "localhost" if found is None else found.is_loopback


def _is_near(host: str) -> bool:
    found = _ip(host)
    return is_loopback(host) or (found is not None and found.is_link_local)


def _resolves_nearby(host: str) -> bool:
    try:
        return any(_is_near(str(one[4][0])) for one in socket.getaddrinfo(host.strip("[]"), None))
    except OSError:
        return False  # a name that the proxy alone can resolve


def proxy_of(endpoint: Endpoint) -> tuple[str, str] | None:
    """Variable and address, without a password, of the proxy; None where the channel is direct: to
    this machine, its link or a socket, and without TLS."""
    if not endpoint.ca or endpoint.address.startswith("unix:"):
        return None
    variable = next((name for name in ("grpc_proxy", "https_proxy", "http_proxy")
                     if name in os.environ), "")
    url, host = os.environ.get(variable, ""), endpoint.address.rpartition(":")[0]
    ends = os.environ.get("no_grpc_proxy", os.environ.get("no_proxy", "")).lower().split(",")
    excepted = any(end and host.strip("[]").lower().endswith(end) for end in ends)
    if not url or _is_near(host) or excepted or _resolves_nearby(host):
        return None
    scheme, mark, rest = url.rpartition("://")
    return variable, scheme + mark + rest.rpartition("@")[2]


def certificate_time_advice(pem: str, now: float) -> str:
    """When none of the certificates of a PEM text holds now, as this machine's clock has it: since
    when or until when they do."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cadata=pem)
        found = context.get_ca_certs()
        begins = [ssl.cert_time_to_seconds(str(one["notBefore"])) for one in found]
        ends = [ssl.cert_time_to_seconds(str(one["notAfter"])) for one in found]
    except (ValueError, ssl.SSLError):
        return ""
    if not ends or any(first <= now <= last for first, last in zip(begins, ends)):
        return ""
    since = now < min(begins)
    clock, edge = (time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
                   for at in (now, min(begins) if since else max(ends)))
    return ("; the certificate that the server is known by "
            + (f"holds from {edge} on" if since else f"held until {edge}")
            + f", and this machine's clock says {clock}: set the clock"
            + ("" if since else ", or have the server make a new one"))


def advice(endpoint: Endpoint, said: str = "") -> str:
    """What the message of a call that found no server says: the proxy, or how to start one.
    ``said``: by the transport."""
    proxy = proxy_of(endpoint)
    if proxy is None:
        if "ALPN" in said:
            return ("; what listens there speaks TLS and no gRPC, such as the page of --http: "
                    "must be HOST:PORT of the server's --listen")
        return (certificate_time_advice(endpoint.ca, time.time())
                or "; is it running? `kaname up` starts it")
    host = endpoint.address.rpartition(":")[0].strip("[]")
    return (f"; the connection goes through the proxy {proxy[1]} (from {proxy[0]}), which must let "
            f"it pass: no_proxy={host} leads around it")
