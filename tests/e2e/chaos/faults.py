# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, drawn from one seed."""
import contextlib
import os
import random
import signal
import subprocess
import threading

DATABASE = "host={state}/postgres-socket user=kaname dbname=postgres"


def sql(service, query):
    """Rows of texts. Raises RuntimeError while the database is away."""
    done = subprocess.run(["psql", "-XAtq", "-F", "\t", DATABASE.format(state=service.state), "-c",
                           query], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


class Injector:
    """Draws faults; each method does one and says whether there was anything to do it to."""

    def __init__(self, service, seed):
        self.service, self.draw = service, random.Random(seed)
        self.counts, self.timers = {}, []
        self.weights = {"kill_solve": 5, "stop_solve": 3, "kill_helper": 2, "kill_agent": 4,
                        "stop_agent": 3, "kill_server": 2, "stop_server": 2, "kill_database": 1,
                        "terminate_sessions": 4, "kill_one_session": 3}

    def one(self):
        """A fault that could be done, its name; None where nothing was there for it."""
        name = self.draw.choices(list(self.weights), list(self.weights.values()))[0]
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
            if getattr(self, name)():
                self.counts[name] = self.counts.get(name, 0) + 1
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
