# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, drawn from one seed."""
import contextlib
import os
import random
import signal
import subprocess
import threading

from service_harness import psql

DATABASE = "host={state}/postgres-socket user=kaname dbname=postgres"
# Points of a program at which it ends itself, and at which of its passes: not so early that nothing
# is ever done (an agent that dies at each claim makes its tasks look poisonous).
FAIL_POINTS = (("store.committing", 5, 60), ("store.committed", 5, 60),
               ("artifact.renaming", 1, 8), ("artifact.renamed", 1, 8),
               ("agent.claimed", 4, 12), ("agent.completing", 4, 12),
               ("agent.completed", 4, 12))


def sql(service, query):
    """Rows of texts. Raises RuntimeError while the database is away."""
    done = subprocess.run([psql(), "-XAtq", "-F", "\t", DATABASE.format(state=service.state), "-c",
                           query], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


class Injector:
    """Draws faults; each method does one and says whether there was anything to do it to."""

    def __init__(self, service, proxy, seed):
        self.service, self.proxy, self.draw = service, proxy, random.Random(seed)
        self.counts, self.timers, self.flipped = {}, [], set()
        self.weights = {"kill_solve": 5, "stop_solve": 3, "kill_helper": 2, "kill_agent": 4,
                        "stop_agent": 3, "kill_server": 2, "stop_server": 2, "kill_database": 1,
                        "terminate_sessions": 4, "kill_one_session": 3, "cut": 3, "half_close": 2,
                        "lose_replies": 6, "black_hole": 2, "delay": 2, "flip_byte": 2,
                        "fill_disk": 1}
        self.draws = 0

    def one(self):
        """A fault that could be done, its name; None where nothing was there for it. Every second draw is of
        those that were never done so far: a short run meets each kind, too."""
        self.draws += 1
        weights = {name: weight for name, weight in self.weights.items()
                   if self.draws % 2 or name not in self.counts} or self.weights
        name = self.draw.choices(list(weights), list(weights.values()))[0]
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
            if getattr(self, name)():
                self.count(name)
                return name
        return None

    def settle(self):
        """Everything that was stopped goes on."""
        for timer in self.timers:
            timer.join()

    def _pick(self, program, *words):
        pids = sorted(self.service.pids(program, *words))
        return self.draw.choice(pids) if pids else None

    def _signal(self, pid, number):
        if pid is None:
            return False
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return False
        return True

    def _stop(self, pid, seconds):
        if not self._signal(pid, signal.SIGSTOP):
            return False
        timer = threading.Timer(seconds, self._signal, (pid, signal.SIGCONT))
        timer.start()
        self.timers.append(timer)
        return True

    def count(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1

    def fail_point(self):
        """Where the next server, or an agent that it starts, dies by itself; '' for nowhere."""
        if self.draw.random() < 0.4:
            return ""
        name, first, last = self.draw.choice(FAIL_POINTS)
        return f"{name}:{self.draw.randint(first, last)}"

    def kill_solve(self):
        return self._signal(self._pick("kaname-compute", "solve"), signal.SIGKILL)

    def stop_solve(self):
        return self._stop(self._pick("kaname-compute", "solve"), self.draw.uniform(0.2, 4.0))

    def kill_helper(self):
        return self._signal(self._pick("kaname-compute"), signal.SIGKILL)

    def kill_agent(self):
        return self._signal(self._pick("kaname-agent"), signal.SIGKILL)

    def stop_agent(self):
        """Sometimes beyond its lease: it comes back to tasks that are no longer its own."""
        return self._stop(self._pick("kaname-agent"), self.draw.uniform(0.5, 6.0))

    def kill_server(self):
        return self._signal(self._pick("kaname-server"), signal.SIGKILL)

    def stop_server(self):
        return self._stop(self._pick("kaname-server"), self.draw.uniform(0.2, 3.0))

    def kill_database(self):
        return self.service.kill("postgres") > 0

    def terminate_sessions(self):
        return len(sql(self.service, "select pg_terminate_backend(pid) from pg_stat_activity "
                                     "where pid <> pg_backend_pid() and datname = 'postgres'")) > 0

    def kill_one_session(self):
        return len(sql(self.service, "select pg_terminate_backend(pid) from pg_stat_activity where "
                                     "pid <> pg_backend_pid() and datname = 'postgres' order by "
                                     "random() limit 1")) > 0

    def flip_byte(self):
        """In the file of a finished source: readers see it, and a retry computes it again."""
        found = sql(self.service, "select a.sha256 from artifact a join job_item using "
                                  "(content_key) where label like 's%' order by random() limit 1")
        path = self.service.objects / found[0][0][:2] / found[0][0] if found else None
        if path is None or not path.exists() or path.name in self.flipped:
            return False
        with open(path, "r+b") as file:
            file.seek(self.draw.randrange(path.stat().st_size))
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1 << self.draw.randrange(8)]))
        self.flipped.add(path.name)
        return True

    def fill_disk(self):
        """No byte is left for a while."""
        if self.service.disk is None:
            return False
        ballast = self.service.disk / "ballast"
        with contextlib.suppress(OSError), open(ballast, "ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
        timer = threading.Timer(self.draw.uniform(1.0, 4.0), ballast.unlink, (True,))
        timer.start()
        self.timers.append(timer)
        return True

    def cut(self):
        return self.proxy.cut()

    def half_close(self):
        return self.proxy.half_close()

    def lose_replies(self):
        return self.proxy.lose_replies()

    def black_hole(self):
        return self.proxy.black_hole(self.draw.uniform(1.0, 6.0))

    def delay(self):
        return self.proxy.delay(self.draw.uniform(0.05, 0.5), 3.0)
