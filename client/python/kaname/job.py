# SPDX-License-Identifier: BSD-3-Clause
"""One job of a server."""
from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._progress import ProgressLine, bytes_text, time_text
from ._proto.kaname.v1 import greens_service_pb2, job_pb2, jobs_service_pb2
from ._shown import file_name_of
from ._transfers import Downloaded, download, read_chunks, sha256_file
from .errors import Error

if TYPE_CHECKING:
    from .answer import Answers
    from .client import Client
    from .dataset import Dataset

Array = npt.NDArray[np.float64]
__all__ = ["Job", "JobEvent", "Source", "Stage"]


@dataclass(frozen=True)
class Stage:
    """A stage of a job: a source, the mesh, the package. ``state``: live, done, failed,
    cancelled."""

    label: str
    state: str
    verb: str
    source: bool
    reused: bool
    error: str


@dataclass(frozen=True)
class JobEvent:
    """What `Job.watch` yields. ``kind``: progress, submitted, item_done, item_failed,
    item_cancelled, job_ended, retried.

    ``fraction``: share of the job's sources that have ended, from 0 to 1, those that failed or
    were there before among them; one that is being solved counts by the share of its steps that
    is done. The mesh before them and the dataset after them count nothing: it is 0 while the mesh
    is made, and 1 while the dataset is. Of a job without sources it is the share of its stages.
    ``done`` and ``sources`` count whole sources. ``eta_s`` is None when unknown. ``token`` resumes
    behind this event."""

    kind: str
    stage: Stage | None
    fraction: float
    eta_s: float | None
    text: str
    done: int
    sources: int
    token: str


@dataclass(frozen=True)
class Source:
    """A source that `Job.stream` yields.

    Attributes
    ----------
    id : str
    state : {"done", "failed", "cancelled"}
    error : str
    greens : array [epoch][station][east, north, up], m per m of slip (m of a scenario), or None
        of one that is not done
    epochs : array [epoch], s after the slip
    stations : tuple of str
    token : str
        Resumes behind this source.
    """

    id: str
    state: str
    error: str
    greens: Array | None
    epochs: Array
    stations: tuple[str, ...]
    token: str


def _state(kind: Any, value: int) -> str:
    return str(kind.State.Name(value)).lower()


def _stage(item: Any) -> Stage:
    return Stage(item.label, _state(job_pb2.Item, item.state), item.verb, item.source, item.reused,
                 item.error)


class Job:
    """Made by `Client.submit`, `Client.job` and `Client.jobs`. What it says of itself is as of the
    last call; `refresh` asks again."""

    def __init__(self, client: Client, message: Any) -> None:
        self._client, self._message = client, message

    def __repr__(self) -> str:
        return (f"<kaname.Job {self.id[:8]} {self.title}: {self.state}, {self.sources_done} of "
                f"{self.sources} sources>")

    @property
    def client(self) -> Client:
        return self._client

    @property
    def id(self) -> str:
        """UUID."""
        return str(self._message.name).removeprefix("jobs/")

    @property
    def title(self) -> str:
        """``name`` of the specification."""
        return str(self._message.title)

    @property
    def owner(self) -> str:
        return str(self._message.owner)

    @property
    def state(self) -> str:
        """active, done, failed (some sources; the dataset holds the others) or cancelled."""
        return _state(job_pb2.Job, self._message.state)

    @property
    def ended(self) -> bool:
        return self.state != "active"

    @property
    def sources(self) -> int:
        return int(self._message.counts.sources)

    @property
    def sources_done(self) -> int:
        return int(self._message.counts.done)

    @property
    def counts(self) -> dict[str, int]:
        """Sources by what became of them; ``reused`` are among ``done``."""
        counts = self._message.counts
        return {field.name: getattr(counts, field.name) for field in counts.DESCRIPTOR.fields}

    @property
    def created_s(self) -> float:
        """Unix time [s]."""
        return float(self._message.created_s)

    @property
    def ended_s(self) -> float | None:
        """Unix time [s]; None of an active job."""
        return float(self._message.ended_s) or None

    @property
    def report(self) -> dict[str, Any] | None:
        """Of a job that `Client.submit` gave, also after it has ended: stages ``created``,
        ``joined``, ``reused``, whether it was ``replayed``, ``warnings``. None of a job that was
        found: the server keeps no report."""
        if not self._message.HasField("report"):
            return None
        report = self._message.report
        return {"created": report.created, "joined": report.joined, "reused": report.reused,
                "replayed": report.replayed, "warnings": list(report.warnings)}

    @property
    def specification(self) -> dict[str, Any]:
        """What was asked for, as the server took it: defaults filled in, SI units. It may be
        changed and submitted; files in it are named by hash (`kaname files` gets them back)."""
        if not self._message.spec_sha256:
            self.refresh()
        calls = self._client._calls
        sha256 = self._message.spec_sha256
        data = calls.insist(lambda: b"".join(m.chunk for m in read_chunks(calls, sha256, 0)))
        return dict(json.loads(data))

    def refresh(self) -> Job:
        """Asks the server; gives this job."""
        calls = self._client._calls
        return self._take(calls.unary("GetJob", calls.jobs.GetJob,
                                      jobs_service_pb2.GetJobRequest(name=f"jobs/{self.id}")))

    def _take(self, message: Any) -> Job:
        """The job as it is now, with the report of its submit, which the server says once."""
        if self._message.HasField("report") and not message.HasField("report"):
            message.report.CopyFrom(self._message.report)
        self._message = message
        return self

    def stages(self) -> list[Stage]:
        """Sources first, in their order; last the one whose result is the dataset."""
        calls = self._client._calls
        request = jobs_service_pb2.ListItemsRequest(job=f"jobs/{self.id}", page_size=1000)
        found: list[Stage] = []
        while True:
            page = calls.unary("ListItems", calls.jobs.ListItems, request)
            found += [_stage(item) for item in page.items]
            request.page_token = page.next_page_token
            if not request.page_token:
                return found

    def watch(self, token: str = "") -> Iterator[JobEvent]:
        """Events from the first (or behind ``token``) until the job has ended, over lost
        connections and restarts of the server, with progress between them."""
        calls = self._client._calls
        request = jobs_service_pb2.WatchJobRequest(name=f"jobs/{self.id}", resume_token=token)
        updates = calls.resumed(lambda: calls.stream("WatchJob", calls.jobs.WatchJob, request))
        for update in updates:
            request.resume_token = update.resume_token
            kind = ("progress" if update.event == 0
                    else str(jobs_service_pb2.JobUpdate.Event.Name(update.event)).lower())
            job = update.job
            progress = job.progress
            eta_s = progress.eta_s if job.HasField("progress") and progress.eta_s >= 0.0 else None
            fraction = (progress.fraction if job.HasField("progress")
                        else job.counts.done / max(job.counts.sources, 1))
            yield JobEvent(kind, _stage(update.item) if update.HasField("item") else None,
                           fraction, eta_s, progress.text, job.counts.done,
                           job.counts.sources, update.resume_token)

    def wait(self) -> Job:
        """Until the job has ended, with a progress line in a terminal; gives this job. A failed
        source raises nothing: see `state`, `stages`, `log`."""
        with ProgressLine("solve") as line:
            for event in self.watch():
                text = f"{event.done}/{event.sources} sources"
                if event.eta_s is not None:
                    text += f", about {time_text(event.eta_s)} to go"
                line.show(event.fraction, f"{text}; {event.text}" if event.text else text)
        return self.refresh()

    def stream(self, token: str = "") -> Iterator[Source]:
        """The finished sources, then each as soon as it is done; ends with the job. Goes on over
        lost connections, and in another process behind ``token``, that of the last source seen."""
        calls = self._client._calls
        request = greens_service_pb2.StreamResultsRequest(job=f"jobs/{self.id}",
                                                          resume_token=token)
        axes = greens_service_pb2.GreensResult.Axes()

        def open_stream() -> Iterator[Any]:
            axes.Clear()  # said again by a stream that takes over
            return calls.stream("StreamResults", calls.greens.StreamResults, request)

        for result in calls.resumed(open_stream):
            if result.resume_token:
                request.resume_token = result.resume_token
            if result.HasField("axes"):
                axes.MergeFrom(result.axes)
                continue
            yield self._source(result, axes)

    def _source(self, result: Any, axes: Any) -> Source:
        epochs = np.array(axes.epochs_s, dtype=np.float64)
        shape = (len(epochs), len(axes.stations), max(len(axes.components), 3))
        state = _state(job_pb2.Item, result.state)
        greens: Array | None = None
        if state == "done":
            greens = np.array(result.displacement_m, dtype=np.float64)
            if greens.size == 0:  # too large for a message
                greens = self._slice_of(result.source, result.ordinal)
            greens = greens.reshape(shape)
        return Source(result.source, state, result.error, greens, epochs, tuple(axes.stations),
                      result.resume_token)

    def _slice_of(self, source: str, ordinal: int) -> Array:
        from ._greens import WireBlocks

        blocks = WireBlocks(self._client._calls, f"datasets/{self.id}")
        ids, values = blocks.read_source(ordinal)
        if ids != [source]:
            raise Error("Internal", f"source {ordinal} must be '{source}', the server has {ids}")
        return values

    def cancel(self) -> Job:
        """Ends it; what other jobs need goes on. Harmless on a job that has ended."""
        return self._change("CancelJob", jobs_service_pb2.CancelJobRequest(name=f"jobs/{self.id}"))

    def retry(self) -> Job:
        """Computes what failed or was cancelled again."""
        return self._change("RetryJob", jobs_service_pb2.RetryJobRequest(name=f"jobs/{self.id}"))

    def _change(self, name: str, request: Any) -> Job:
        calls = self._client._calls
        return self._take(calls.unary(name, getattr(calls.jobs, name), request))

    def delete(self) -> None:
        """Forgets an ended job; results stay until nobody refers to them."""
        calls = self._client._calls
        request = jobs_service_pb2.DeleteJobRequest(name=f"jobs/{self.id}",
                                                    etag=self._message.etag)
        calls.unary("DeleteJob", calls.jobs.DeleteJob, request)

    def dataset(self, *, partial: bool = False) -> Dataset:
        """Its dataset, lazily over the wire; with ``partial`` also of an active job: the sources
        that are done, the others NaN. Raises NotReady."""
        return self._client.dataset(self.id, partial=partial)

    def answer(self, *rheologies: Mapping[str, float],
               epochs_years: Sequence[float] | None = None,
               slip: Mapping[str, float] | None = None,
               slip_history: Mapping[str, Any] | None = None) -> Answers:
        """The motion for other rheologies within the ranges of the job's viscosities, which the
        server answers without solving.

        Parameters
        ----------
        *rheologies : mapping
            Numbers by name, as ``{"mantle": 3e18}``: viscosities in Pa s, and of another body
            ``NAME.kelvin``, ``NAME.kelvin_mu_ratio``, ``NAME.relaxed_mu_ratio``; none: the
            reference.
        epochs_years : sequence, optional
            Years since the slip, increasing, up to the end of the solve; default: the dataset's.
        slip : mapping, optional
            Slip of sources in m, over which the motion is summed; default: each source's own.
        slip_history : mapping, optional
            As in a specification, ``{"kind": "ramp", "duration_s": 3e7}``; default: the dataset's.

        Raises
        ------
        Error
            InvalidArgument for what is out of range, with the range, and for a job without ranges.
        """
        from .answer import answer_request, receive

        calls = self._client._calls
        request = answer_request(f"datasets/{self.id}", rheologies, epochs_years, slip,
                                 slip_history)
        answers: Answers = calls.insist(
            lambda: receive(calls.stream("Answer", calls.greens.Answer, request), request))
        return answers

    def download(self, path: str | os.PathLike[str] | None = None, *, partial: bool = False,
                 force: bool = False) -> pathlib.Path:
        """Gets the dataset as a file; a broken download goes on, and the bytes are checked by
        their SHA-256 before the file has its name.

        Parameters
        ----------
        path : path, optional
            File or folder (then ``greens.h5`` in it); default: ``TITLE.h5``.
        partial : bool
            Also of a job that has not ended: the sources that are done.
        force : bool
            Replace a file that is not this dataset.

        Raises
        ------
        Error
            Conflict when another file is there, NotReady when the job has not ended, DataLoss
            when the bytes do not have their hash (nothing is left then).
        """
        return self.download_report(path, partial=partial, force=force)[0]

    def download_report(self, path: str | os.PathLike[str] | None = None, *, partial: bool = False,
                        force: bool = False) -> tuple[pathlib.Path, Downloaded]:
        """`download`, and how many bytes it is and how many were there from an earlier attempt."""
        message = self._client._get_dataset(self.id, partial)
        target = pathlib.Path(path if path is not None else file_name_of(message.title, ".h5"))
        if target.is_dir():
            target = target / "greens.h5"
        if target.exists():
            if target.stat().st_size == message.bytes and sha256_file(target) == message.sha256:
                return target, Downloaded(message.bytes, 0)
            if not force:
                raise Error("Conflict", f"path must not replace '{target}', which is there already "
                                        "and not this dataset; name another place, or give force")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(target.name + ".part")
            with ProgressLine("download") as line:
                done = download(self._client._calls, message.sha256, part,
                                lambda done, total: line.show(
                                    done / total if total else 1.0,
                                    f"{bytes_text(done)} of {bytes_text(total)}"))
            part.replace(target)
        except OSError as error:
            raise Error("Unavailable", f"path must be a place that can be written, got '{target}': "
                                       f"{error}") from error
        return target, done

    def log(self, stage: str | None = None, follow: bool = False) -> str:
        """What a stage printed: ``mesh``, ``package`` or a source's id; None: of mesh, package and
        failed sources, one after the other. With ``follow`` until the stage ends."""
        if stage is not None:
            return "".join(self.tail(stage, follow))
        shown = [s for s in self.stages() if not s.source or s.state == "failed"]
        return "\n".join(f"==> {s.label}: {s.state} <==\n" + "".join(self.tail(s.label, follow))
                         for s in shown)

    def tail(self, stage: str, follow: bool = True) -> Iterator[str]:
        """The log of a stage in pieces as they come."""
        calls = self._client._calls
        request = jobs_service_pb2.TailLogsRequest(job=f"jobs/{self.id}", label=stage,
                                                   follow=follow)
        for chunk in calls.stream("TailLogs", calls.jobs.TailLogs, request):
            yield chunk.data.decode(errors="replace")
