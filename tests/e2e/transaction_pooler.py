# SPDX-License-Identifier: BSD-3-Clause
"""A pooler in transaction mode, as pgbouncer's: each transaction of a client runs in any free session of the server.
In statement mode a transaction of several statements ends its client."""
import contextlib
import os
import socket
import struct
import threading

SSL_REQUEST = 80877103


def exactly(link, n):
    data = b""
    while len(data) < n:
        got = link.recv(n - len(data))
        if not got:
            raise ConnectionError("the other side has left")
        data += got
    return data


def message(link):
    """One message behind the start: its kind, and all its bytes."""
    head = exactly(link, 5)
    return head[:1], head + exactly(link, struct.unpack(">I", head[1:])[0] - 4)


class TransactionPooler:
    """Listens in `folder` for clients of the PostgreSQL whose socket is in `server`."""

    def __init__(self, folder, server, by_statement=False):
        self.by_statement = by_statement
        self.server, self.free, self.greeting = f"{server}/.s.PGSQL.5432", [], b""
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, ".s.PGSQL.5432"))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def connected(self, start):
        """A new session of the server, and what it said up to its first ReadyForQuery."""
        link, said = socket.socket(socket.AF_UNIX), b""
        link.connect(self.server)
        link.sendall(start)
        kind = b""
        while kind != b"Z":
            kind, data = message(link)
            said += data if kind != b"K" else b"K" + struct.pack(">III", 12, 7, 7)
        return link, said

    def serve(self, client):
        with contextlib.suppress(ConnectionError, OSError):
            size, word = struct.unpack(">II", exactly(client, 8))
            while word == SSL_REQUEST:
                client.sendall(b"N")
                size, word = struct.unpack(">II", exactly(client, 8))
            start = struct.pack(">II", size, word) + exactly(client, size - 8)
            link, said = self.connected(start)
            self.free.append(link)
            client.sendall(said)
            while True:
                self.transaction(client, start, *message(client))

    def transaction(self, client, start, kind, data):
        with self.lock:
            link = self.free.pop() if self.free else None
        link = link or self.connected(start)[0]
        while True:
            link.sendall(data)
            while kind in b"QS":  # a query or a Sync: what comes back ends with ReadyForQuery
                answer, told = message(link)
                at_rest = answer == b"Z" and told[5:] == b"I"
                if answer == b"Z" and not at_rest and self.by_statement:
                    link.close()
                    self.refuse(client)
                if at_rest:  # before the client knows it, whose next call may be another session's
                    self.free.append(link)
                client.sendall(told)
                if at_rest:
                    return
                if answer == b"Z":
                    break
            kind, data = message(client)

    @staticmethod
    def refuse(client):
        words = b"SFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0"
        client.sendall(b"E" + struct.pack(">I", len(words) + 4) + words)
        client.close()
        raise ConnectionError("a transaction in statement mode")

    def close(self):
        self.listener.close()
