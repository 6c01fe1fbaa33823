# SPDX-License-Identifier: BSD-3-Clause
"""A unix socket in front of the server's that passes bytes on, until it is told not to."""
import asyncio
import contextlib
import threading


class Link:
    """One connection through the proxy."""

    def __init__(self, client, server):
        self.ends = {"up": server, "down": client}  # who gets the bytes of each direction
        self.swallowed = set()
        self.delay_s = 0.0

    def cut(self):
        for end in self.ends.values():
            end.transport.abort()


class Proxy(threading.Thread):
    """Connections to ``path`` end at ``target``. The methods are for any thread; each says whether
    there was a connection to do it to."""

    def __init__(self, path, target, draw):
        super().__init__(daemon=True)
        self.path, self.target, self.draw = path, target, draw
        self.loop, self.links, self.ready = asyncio.new_event_loop(), set(), threading.Event()
        self.start()
        self.ready.wait()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_unix_server(self._accept, self.path))
        self.ready.set()
        self.loop.run_forever()

    async def _accept(self, from_client, to_client):
        try:
            from_server, to_server = await asyncio.open_unix_connection(self.target)
        except OSError:  # the server is away
            to_client.transport.abort()
            return
        link = Link(to_client, to_server)
        self.links.add(link)
        await asyncio.gather(self._pass_on(link, "up", from_client),
                             self._pass_on(link, "down", from_server))
        self.links.discard(link)
        link.cut()

    async def _pass_on(self, link, direction, source):
        end = link.ends[direction]
        with contextlib.suppress(OSError, RuntimeError):
            while data := await source.read(1 << 16):
                await asyncio.sleep(link.delay_s)
                if direction not in link.swallowed:
                    end.write(data)
                    await end.drain()
            if end.can_write_eof():
                end.write_eof()
            return
        link.cut()

    def _do(self, action, share=1.0):
        """``action`` to a share of the connections, at least one."""
        done = threading.Event()
        found = []

        def act():
            links = sorted(self.links, key=id)
            found.extend(self.draw.sample(links, max(1, round(share * len(links)))) if links else [])
            for link in found:
                with contextlib.suppress(OSError, RuntimeError):  # it has just ended
                    action(link)
            done.set()

        self.loop.call_soon_threadsafe(act)
        done.wait()
        return bool(found)

    def _then_cut(self, link, seconds):
        """Bytes are missing from it: it cannot go on."""
        self.loop.call_later(seconds, link.cut)

    def cut(self):
        return self._do(Link.cut)

    def half_close(self):
        return self._do(lambda link: link.ends["up"].write_eof(), 0.5)

    def lose_replies(self):
        """What the server does is done, and nobody is told."""
        def deafen(link):
            link.swallowed.add("down")
            self._then_cut(link, 0.5)
        return self._do(deafen, 0.5)

    def black_hole(self, seconds):
        def swallow(link):
            link.swallowed |= {"up", "down"}
            self._then_cut(link, seconds)
        return self._do(swallow)

    def delay(self, seconds, for_s):
        def slow(link):
            link.delay_s = seconds
            self.loop.call_later(for_s, setattr, link, "delay_s", 0.0)
        return self._do(slow)
