# SPDX-License-Identifier: BSD-3-Clause
"""`python -m kaname`: the command line's verbs that read, where only Python is installed, and
`kaname data`."""
from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from . import __version__
from ._shown import say, shown_on_a_line
from .errors import Error, report

if TYPE_CHECKING:
    from .seismograms import Seismograms


def _connect(arguments: argparse.Namespace) -> Any:
    from .client import connect

    return connect(arguments.server, arguments.token, arguments.state)


def _job_json(job: Any) -> dict[str, Any]:
    return {"id": job.id, "title": job.title, "owner": job.owner, "state": job.state,
            "counts": job.counts, "created_s": job.created_s, "ended_s": job.ended_s or 0.0}


def _counts(job: Any) -> str:
    counts = job.counts
    text = f"{counts['done']} of {counts['sources']} done"
    for key, name in (("failed", "failed"), ("cancelled", "cancelled")):
        text += f", {counts[key]} {name}" if counts[key] else ""
    return text


def _print(arguments: argparse.Namespace, value: Any, text: str) -> None:
    say(json.dumps(value, indent=2) if arguments.json else text)


def _exit_code(job: Any) -> int:
    return {"done": 0, "failed": 4}.get(job.state, 6)


def _list(arguments: argparse.Namespace) -> int:
    jobs = _connect(arguments).jobs(state=arguments.only, limit=arguments.limit)
    lines = [f"{job.id[:8]}  {job.state:10} "
             f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(job.created_s))}  {shown_on_a_line(job.title):24} "
             f"{_counts(job)}" for job in jobs]
    _print(arguments, {"jobs": [_job_json(job) for job in jobs]}, "\n".join(lines) or "no jobs")
    return 0


def _status(arguments: argparse.Namespace) -> int:
    job = _connect(arguments).job(arguments.job)
    text = f"job      {job.id}\nname     {shown_on_a_line(job.title)}\nstate    {job.state}\nsources  {_counts(job)}"
    _print(arguments, _job_json(job), text)
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from .dataset import Dataset, of_path

    name = arguments.what
    if "." in name or "/" in name or os.path.exists(name):
        data = of_path(name)
        if not isinstance(data, Dataset):
            _show_seismograms(arguments, data)
            return 0
        largest = float(abs(data.greens[data.sources.done]).max()) if len(data.sources.done) else 0
        value = {"name": name, "title": data.title, "shape": list(data.greens.shape),
                 "epochs_s": data.epochs.tolist(), "sources": list(data.sources.id),
                 "stations": list(data.stations.id), "status": list(data.sources.status),
                 "largest_m": largest}
        text = (f"title    {data.title}\ngreens   {data.greens!r}\nlargest  {largest:.6g}\n"
                f"sources  {', '.join(data.sources.id[:8])}\n"
                f"stations {', '.join(data.stations.id[:8])}")
        _print(arguments, value, text)
        return 0
    job = _connect(arguments).job(name)
    stages = job.stages()
    value = {**_job_json(job), "items": [vars(stage) for stage in stages]}
    lines = [shown_on_a_line(f"  {s.label}  {s.state}{' (computed before)' if s.reused else ''}"
                             f"{': ' + s.error if s.error else ''}") for s in stages]
    _print(arguments, value, "\n".join([f"job {job.id}: {job.state}, {_counts(job)}", *lines]))
    return 0


def _show_seismograms(arguments: argparse.Namespace, data: Seismograms) -> None:
    shape = data.seismograms.shape
    value = {"name": data.name, "title": data.title, "shape": list(shape),
             "end_s": float(data.time[-1]), "sources": list(data.sources.id),
             "receivers": list(data.receivers.id), "status": list(data.sources.status)}
    text = (f"title     {data.title}\nwaves     {shape[0]} sources, {shape[1]} receivers, {shape[3]} "
            f"samples until {data.time[-1]:.6g} s\n"
            f"sources   {', '.join(data.sources.id[:8])}\n"
            f"receivers {', '.join(data.receivers.id[:8])}")
    _print(arguments, value, text)


def _download(arguments: argparse.Namespace) -> int:
    job = _connect(arguments).job(arguments.job)
    path, done = job.download_report(arguments.output, partial=arguments.partial,
                                     force=arguments.force)
    value = {"file": str(path), "bytes": done.bytes, "resumed_from": done.resumed_from}
    _print(arguments, value, f"{path}: {done.bytes} bytes")
    return 0


def _stream(arguments: argparse.Namespace) -> int:
    job = _connect(arguments).job(arguments.job)
    for source in job.stream(arguments.resume_token):
        if arguments.json:
            values = [] if source.greens is None else source.greens.ravel().tolist()
            say(json.dumps({"source": source.id, "state": source.state, "error": source.error,
                            "displacement_m": values, "resume_token": source.token}), flush=True)
            continue
        largest = "" if source.greens is None else (
            f", largest component {float(abs(source.greens).max()):.6g} m per m")
        error = f": {source.error}" if source.error else ""
        say(shown_on_a_line(f"{source.id}  {source.state}{error}{largest}"), flush=True)
    return _exit_code(job.refresh())


def _datasets(arguments: argparse.Namespace) -> int:
    found = _connect(arguments).datasets(arguments.query)
    value = {"datasets": [{"title": d.name, "job": d.job, "sha256": d.sha256} for d in found]}
    lines = [f"{(d.job or '')[:8]}  {(d.sha256 or '')[:12]}  {d!r}" for d in found]
    _print(arguments, value, "\n".join(lines) or "no datasets")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kaname", description=(__doc__ or "").strip())
    parser.add_argument("--version", action="version", version=__version__)
    verbs = parser.add_subparsers(dest="verb", required=True)

    def add(name: str, action: Any, about: str, *positional: tuple[str, str],
            optional: bool = False) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=about, description=about)
        verb.set_defaults(action=action)
        for key, text in positional:
            if optional:
                verb.add_argument(key, help=text, nargs="?")
            else:
                verb.add_argument(key, help=text)
        for option in ("server", "token", "state"):
            verb.add_argument(f"--{option}", help=f"else KANAME_{option.upper()}")
        verb.add_argument("--json", action="store_true", help="JSON to standard output")
        return verb

    job = ("job", "id, its first characters, a name, or latest")
    listed = add("list", _list, "Jobs, newest first")
    listed.add_argument("--only", metavar="STATE", help="active, done, failed or cancelled")
    listed.add_argument("--limit", type=int, default=20)
    add("status", _status, "How far a job is", job)
    add("show", _show, "What a dataset or a job holds", ("what", "greens.h5, seismograms.h5 or a job"))
    download = add("download", _download, "Get a job's dataset; a broken download goes on", job)
    download.add_argument("--output", help="file or folder; default: NAME.h5")
    download.add_argument("--partial", action="store_true", help="also of a job that has not ended")
    download.add_argument("--force", action="store_true", help="replace another file")
    stream = add("stream", _stream, "Each source's values as soon as it is done", job)
    stream.add_argument("--resume-token", default="", help="go on after this result")
    add("datasets", _datasets, "Datasets of the server", ("query", "part of the title, or the "
        "first characters of job or SHA-256"), optional=True)
    return parser


def main(words: list[str] | None = None) -> int:
    """Exit codes are those of kaname (docs/user/cli.md). Words after ``data`` are those of
    `kaname data`, which has a command line of its own."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["data"]:
        from .data.command import main as data

        return data(words[1:])
    arguments = _parser().parse_args(words)
    try:
        return int(arguments.action(arguments))
    except Error as error:
        return report(error, arguments.json)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
