# SPDX-License-Identifier: BSD-3-Clause
"""A Kaname server: jobs and datasets."""
from __future__ import annotations

import hashlib
import os
import pathlib
import re
import uuid
from typing import TYPE_CHECKING, Any, Iterator

from google.protobuf import any_pb2, json_format, symbol_database

from . import program
from ._calls import PREFLIGHT_S, Calls
from ._progress import ProgressLine
from ._proto.kaname.v1 import (admin_service_pb2, datasets_service_pb2, greens_service_pb2,
                               inversion_pb2, jobs_service_pb2)
from ._transfers import upload
from .endpoint import Endpoint, find_endpoint
from .errors import Error
from .job import Job

if TYPE_CHECKING:
    from .dataset import Dataset

_UNARY_BATCH = 3 << 20  # gRPC takes 4 MiB
_PIECE = 1 << 20
_PAGE = 1000
_SHORTEST_ID = 4
_KNOWN_MESSAGES = (jobs_service_pb2, inversion_pb2)  # that a specification may be


def connect(server: str | None = None, token: str | None = None,
            state: str | os.PathLike[str] | None = None,
            ca: str | os.PathLike[str] | None = None) -> Client:
    """A client of a server.

    Parameters
    ----------
    server : str, optional
        ``host:port`` or ``unix:/path``; else KANAME_SERVER, else the server of the state folder.
    token : str, optional
        Else KANAME_TOKEN, else that of the state folder.
    state : path, optional
        State folder of a server on this machine; else KANAME_STATE, else the default.
    ca : path, optional
        PEM file: who vouches for a server over TLS; else KANAME_CA, else the certificate in
        client.json. KANAME_CERT and KANAME_KEY name what is shown to a server that asks for one.

    Raises
    ------
    Error
        Unavailable when no server has been started here, Unauthenticated without a token. Whether
        the server answers is seen at the first call (``Client.serving``).
    """
    return Client(find_endpoint(server, token, state, ca))


def _filter_text(filters: dict[str, Any]) -> str:
    """What ListDatasets takes for these keywords; the server says what is wrong with a value."""
    fields = {"made_after": ("made_at", ">"), "made_before": ("made_at", "<")}
    known = {"name", "owner", "campaign", "tag", "fault", "physics", "structure", "station",
             "complete", "pinned", *fields}
    conditions = []
    for key, given in filters.items():
        if key not in known:
            raise TypeError(f"datasets() got an unexpected filter {key!r}; known: "
                            + ", ".join(sorted(known)))
        field, sign = fields.get(key, (key, "="))
        for value in given if isinstance(given, (list, tuple)) else [given]:
            if value is None:
                continue
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if '"' in text:
                raise ValueError(f"{key}: must have no double quote, got {text!r}")
            conditions.append(f'{field} {sign} "{text}"')
    return " AND ".join(conditions)


class Client:
    """Made by `connect`. Every call is repeated while the server cannot be reached; then it raises
    Unavailable. Close it, or use it in a ``with`` statement."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._calls = Calls(endpoint)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<kaname.Client of {self._calls.endpoint.address}>"

    def close(self) -> None:
        """Ends the connection."""
        self._calls.close()

    @property
    def endpoint(self) -> Endpoint:
        """Address and token."""
        return self._calls.endpoint

    def serving(self) -> bool:
        """Whether the server answers and takes work."""
        try:
            self._calls.once("GetStats", self._calls.admin.GetStats,
                             admin_service_pb2.GetStatsRequest(), 2.0)
            return True
        except Error:
            return False

    def submit(self, specification: program.Specification | str | os.PathLike[str],
               wait: bool = False, *, priority: int = 0, request_id: str | None = None,
               folder: str | os.PathLike[str] | None = None) -> Job:
        """Hands a specification to the server; files that it names are uploaded by hash.

        Parameters
        ----------
        specification : dict or path
            As docs/user/request.md has it; a dictionary has the keys of the YAML.
        wait : bool
            Until the job has ended, with a progress line in a terminal.
        priority : int
            -100..100, higher runs first.
        request_id : str
            UUID of this wish: repeating the call with it queues nothing twice.
        folder : path
            Where a dictionary's relative paths begin; default: the working directory.

        Returns
        -------
        Job
            ``job.report`` says what is new, shared and reused.

        Raises
        ------
        Error
            InvalidArgument with a violation for everything that is wrong.
        """
        if not -100 <= priority <= 100:
            raise Error("InvalidArgument", f"priority: must be -100..100, got {priority}")
        with program.specification_file(specification, folder) as path:
            report = program.validate(path)
            wrapped = any_pb2.Any()
            json_format.ParseDict(report["specification"], wrapped)
            message = symbol_database.Default().GetSymbol(wrapped.TypeName())()
            wrapped.Unpack(message)
            self._upload_files(message)
        request = request_id or str(uuid.uuid4())
        reply = self._submit(message, request, priority)
        job = Job(self, reply)
        return job.wait() if wait else job

    def _upload_files(self, message: Any) -> None:
        """Uploads the files that the message names and leaves their hashes and bare names."""
        paths: dict[str, str] = {}
        for file in _files_of(message):
            paths[file.sha256] = file.path
            file.path = pathlib.Path(file.path).name
        with ProgressLine("upload") as line:
            for sha256, path in paths.items():
                name = pathlib.Path(path).name
                upload(self._calls, path, sha256,
                       lambda done, total, name=name: line.show(  # type: ignore[misc]
                           done / total if total else 1.0, name))

    def _submit(self, message: Any, request_id: str, priority: int) -> Any:
        data = message.SerializeToString()
        if len(data) <= _UNARY_BATCH:
            request = jobs_service_pb2.CreateJobRequest(request_id=request_id, priority=priority)
            request.specification.Pack(message)
            return self._calls.unary("CreateJob", self._calls.jobs.CreateJob, request, PREFLIGHT_S)

        def parts() -> Iterator[Any]:
            batch = greens_service_pb2.SubmitBatchRequest
            yield batch(header=batch.Header(request_id=request_id, priority=priority,
                                            bytes=len(data), type=message.DESCRIPTOR.full_name))
            pieces = [data[at:at + _PIECE] for at in range(0, len(data), _PIECE)]
            for piece in pieces:
                yield batch(piece=piece)
            yield batch(commit=batch.Commit(pieces=len(pieces),
                                            sha256=hashlib.sha256(data).hexdigest()))

        def attempt() -> Any:
            return self._calls.once("SubmitBatch", self._calls.greens.SubmitBatch, parts(),
                                    PREFLIGHT_S)

        return self._calls.insist(attempt)

    def jobs(self, state: str | None = None, title: str | None = None,
             limit: int | None = None) -> list[Job]:
        """Jobs, newest first, all of them unless there is a limit.

        Parameters
        ----------
        state : {"active", "done", "failed", "cancelled"}, optional
        title : str, optional
            ``name`` of the specification.
        limit : int or None
            None, the default: all.
        """
        wanted = {"state": state, "title": title}
        parts = []
        for field, value in wanted.items():
            if value is not None and '"' in value:
                raise Error("InvalidArgument",
                            f"{field} must have no quotation mark, got '{value}'")
            if value is not None:
                parts.append(f'{field} = "{value}"')
        if limit is not None and limit < 1:
            raise Error("InvalidArgument", f"limit: must be >= 1 or None, got {limit}")
        return self._listed(" AND ".join(parts), limit)

    def _listed(self, query: str, limit: int | None) -> list[Job]:
        request = jobs_service_pb2.ListJobsRequest(filter=query)
        found: list[Job] = []
        while True:
            request.page_size = min(_PAGE, limit - len(found)) if limit is not None else _PAGE
            page = self._calls.unary("ListJobs", self._calls.jobs.ListJobs, request)
            found += [Job(self, job) for job in page.jobs]
            request.page_token = page.next_page_token
            if not request.page_token or (limit is not None and len(found) >= limit):
                return found

    def job(self, name: str = "latest") -> Job:
        """One job: by its id, the first characters of it (at least 4), the name of the newest
        job of that name, or ``latest``. Raises NotFound."""
        job_id = self._resolve(name)
        request = jobs_service_pb2.GetJobRequest(name=f"jobs/{job_id}")
        return Job(self, self._calls.unary("GetJob", self._calls.jobs.GetJob, request))

    def _resolve(self, text: str) -> str:
        hexadecimal = re.fullmatch(r"[0-9a-f-]+", text) is not None
        if hexadecimal and len(text) == 36:
            return text
        if text == "latest":
            newest = self.jobs(limit=1)
            if not newest:
                raise Error("NotFound", "there is no job yet")
            return newest[0].id
        if '"' not in text:
            titled = self.jobs(title=text, limit=1)
            if titled:
                return titled[0].id
        found = []
        if hexadecimal and len(text) >= _SHORTEST_ID:
            found = [job.id for job in self._listed(f'id = "{text}*"', None)]
        if len(found) > 1:
            raise Error("InvalidArgument",
                        f'name: must name one job, "{text}" begins the ids of {len(found)}')
        if not found:
            raise Error("NotFound", f'no job "{text}": a job is named by its id, its first '
                                    "characters (at least 4), a name, or latest")
        return found[0]

    def datasets(self, query: str | None = None, limit: int | None = None, *,
                 box: tuple[float, float, float, float] | None = None,
                 near: tuple[float, float] | None = None, within_km: float | None = None,
                 **filters: Any) -> list[Dataset]:
        """Datasets of all jobs, newest first, lazily over the wire.

        Parameters
        ----------
        query : str, optional
            Part of the title, or the first characters of the job's id or of the file's SHA-256;
            case does not count.
        limit : int, optional
            At most so many; default: all.
        box : (west, south, east, north), optional
            Degrees; sources and stations reach into it. An east below the west lies behind the
            date line.
        near, within_km : (lon, lat) and float, optional
            Some point of the box of sources and stations is so near, along a great circle.
        **filters
            ``name`` ("nankai*"), ``owner``, ``campaign`` (its id), ``tag``, ``fault``, ``physics``,
            ``structure``, ``station``: a text, or a list of texts that must all fit;
            ``complete``, ``pinned``: bool; ``made_after``, ``made_before``: "2026-01-31".
        """
        from .dataset import Dataset

        request = datasets_service_pb2.ListDatasetsRequest(page_size=_PAGE,
                                                           filter=_filter_text(filters))
        if (near is None) != (within_km is None):
            raise TypeError("near and within_km go together")
        if box is not None:
            (request.place.west_deg, request.place.south_deg, request.place.east_deg,
             request.place.north_deg) = box
        if near is not None and within_km is not None:
            request.near.lon_deg, request.near.lat_deg = near
            request.near.distance_m = 1e3 * within_km
        found: list[Dataset] = []
        wanted = (query or "").lower()
        while True:
            page = self._calls.unary("ListDatasets", self._calls.datasets.ListDatasets, request)
            for message in page.datasets:
                job_id = message.job.removeprefix("jobs/")
                if (wanted in message.title.lower() or job_id.startswith(wanted)
                        or message.sha256.startswith(wanted)):
                    found.append(Dataset.of_service(self, message))
                if limit is not None and len(found) >= limit:
                    return found
            request.page_token = page.next_page_token
            if not request.page_token:
                return found

    def dataset(self, name: str = "latest", *, partial: bool = False) -> Dataset:
        """The dataset of the job that `job` finds, lazily over the wire; with ``partial`` also of
        one that has not ended: its sources that are done, the others NaN."""
        from .dataset import Dataset

        return Dataset.of_service(self, self._get_dataset(self._resolve(name), partial))

    def _get_dataset(self, job_id: str, partial: bool) -> Any:
        request = datasets_service_pb2.GetDatasetRequest(name=f"datasets/{job_id}",
                                                         allow_partial=partial)
        return self._calls.unary("GetDataset", self._calls.datasets.GetDataset, request,
                                 PREFLIGHT_S)

    def stats(self) -> dict[str, Any]:
        """Version, tasks, workers, uptime [s] of the server."""
        reply = self._calls.unary("GetStats", self._calls.admin.GetStats,
                                  admin_service_pb2.GetStatsRequest())
        return {field.name: getattr(reply, field.name) for field in reply.DESCRIPTOR.fields}


def _files_of(message: Any) -> Iterator[Any]:
    """Every kaname.v1.File of a message, however deep."""
    if message.DESCRIPTOR.full_name == "kaname.v1.File":
        if message.sha256:
            yield message
        return
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        for item in value if field.label == field.LABEL_REPEATED else [value]:
            yield from _files_of(item)
