# SPDX-License-Identifier: BSD-3-Clause
"""Users who submit, repeat themselves, cancel and watch while everything fails around them, and
note each answer they got."""
import json
import random
import threading
import time
import uuid

VISCOSITIES = tuple(f"1.{k:02d}e19" for k in range(1, 31))
SOURCES = 8


def specification(data, folder, viscosity):
    """Two packs of about a second; jobs of one viscosity want the same work."""
    text = (data / "tiny.yaml").read_text()
    for old, new in {"name: tiny": f"name: v{viscosity.replace('.', '-').replace('e', '-')}",
                     "1e19": viscosity, "rake_deg: [0, 90]": "n_strike: 2\n    n_dip: 2",
                     "size_at_fault_km: 10": "size_at_fault_km: 5",
                     "step_years: 1, end_years: 3": "step_years: 0.1, end_years: 3"}.items():
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{viscosity}.yaml"
    path.write_text(text)
    return path


class History:
    """(time, what, facts) of every answer, in order."""

    def __init__(self):
        self._rows, self._lock = [], threading.Lock()

    def note(self, what, **facts):
        with self._lock:
            self._rows.append({"at": time.time(), "what": what, **facts})

    def of(self, what):
        with self._lock:
            return [row for row in self._rows if row["what"] == what]

    def write(self, path):
        with self._lock:
            path.write_text("".join(json.dumps(row) + "\n" for row in self._rows))


class Client(threading.Thread):
    def __init__(self, service, request_files, history, seed, env):
        super().__init__(daemon=True)
        self.env = env
        self.service, self.request_files, self.history = service, request_files, history
        self.draw, self.ending = random.Random(seed), threading.Event()
        self.jobs, self.cancelled, self.watchers = [], set(), []

    def run(self):
        while not self.ending.is_set():
            self._act()
            self.ending.wait(self.draw.uniform(0.5, 2.5))
        for watcher in self.watchers:
            watcher.join()

    def _call(self, *words):
        """JSON of a command; None when the answer did not come."""
        done = self.service.call(*words, "--json", env=self.env, timeout=300)
        if done.returncode:
            self.history.note("refused", words=[str(w) for w in words], code=done.returncode,
                              error=done.stdout + done.stderr)
            return None
        return json.loads(done.stdout)

    def _act(self):
        wish = self.draw.random()
        if wish < 0.55 or not self.jobs:
            self._submit(self.draw.choice(self.request_files), str(uuid.UUID(int=self.draw.getrandbits(128),
                                                                     version=4)))
        elif wish < 0.65:
            self._submit(*self.draw.choice(self.jobs)[1:])
        elif wish < 0.75:
            job = self.draw.choice(self.jobs)[0]
            answer = self._call("cancel", job)
            self.cancelled.add(job)
            if answer and answer["jobs"][0]["state"] == "cancelled":
                self.history.note("cancelled", job=job)
        elif wish < 0.8:
            self._retry(self.draw.choice(self.jobs)[0])
        elif wish < 0.84:
            self._forget(self.draw.choice(self.jobs))
        elif wish < 0.94:
            job = self.draw.choice(self.jobs)[0]
            self.watchers.append(threading.Thread(target=self._watch, args=(job,), daemon=True))
            self.watchers[-1].start()
        else:
            self._call("list")

    def _submit(self, request_file, request):
        answer = self._call("submit", request_file, "--request-id", request)
        if answer:
            self.history.note("submitted", user=self.name, job=answer["id"], request_file=request_file.name,
                              request=request)
            if answer["id"] not in [job[0] for job in self.jobs]:
                self.jobs.append((answer["id"], request_file, request))

    def _retry(self, job):
        """Only what failed: a retry of what was cancelled would begin it again."""
        if job not in self.cancelled:
            self.history.note("retrying", job=job)  # done or not: the answer may be lost
            self._call("retry", job)

    def _forget(self, job):
        """Its results are garbage then, and the servers collect it at once."""
        self.jobs.remove(job)  # deleted or not: the answer may be lost
        self.history.note("deleting", job=job[0])
        self._call("delete", job[0])

    def _watch(self, job):
        done = self.service.call("watch", job, "--json", env=self.env, timeout=600)
        # One event per line; a watch that was given up ends in an error of several.
        events = [json.loads(line) for line in done.stdout.splitlines()
                  if line.startswith('{"event"') or line.startswith('{"item"')
                  or line.startswith('{"job"')]
        ends = [event["item"]["label"] for event in events
                if event["event"] in ("item_done", "item_failed", "item_cancelled")]
        self.history.note("watched", job=job, code=done.returncode, ends=ends)
