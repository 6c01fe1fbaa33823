// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef, useState } from "preact/hooks";

import { call, CallError } from "../api";
import type { Job, JobUpdate } from "../gen/kaname";
import { bytes, count, moment, num, short_id, span, uuid_of } from "../format";
import { events_of, Stream } from "../live";
import { go, link, place, set_query } from "../router";
import { may_change, note, now_s } from "../state";
import { Empty, Fault, Figure, Loading, State } from "../widgets/basics";
import { ask } from "../widgets/confirm";
import { Icon } from "../widgets/icon";
import { Tabs } from "../widgets/tabs";
import { useRead } from "../widgets/use";
import { in_words, Progress } from "./progress";
import { Log } from "./log";
import { Residuals } from "./residuals";
import { Reuse } from "./reuse";
import { Stages } from "./stages";

const LOOK_S = 20;

/** One job, followed: its stages, logs, residuals, what was reused, and what may be done with it. */
export function JobView({ id }: { id: string }) {
  const name = `jobs/${id}`;
  const first = useRead((signal) => call("Jobs/GetJob", { name }, signal), [id]);
  const [job, set_job] = useState<Job | null>(null);
  const [gone, set_gone] = useState<CallError | null>(null);
  const [update, set_update] = useState<JobUpdate | null>(null);
  const [turn, set_turn] = useState(0);
  useEffect(() => {
    if (first.value) set_job(first.value);
  }, [first.value]);
  useEffect(() => {
    if (first.error?.code === 5) set_gone(first.error);
  }, [first.error]);
  const watched = first.value !== null && job?.state === "ACTIVE";
  useEffect(() => {
    if (!watched) return;
    const stream = new Stream(events_of("Jobs/WatchJob", { name }), {
      on: (_, data) => {
        const news = data as JobUpdate;
        // A watch says less of a job than GetJob: what it leaves out stays.
        if (news.job) set_job((old) => ({ ...old, ...filled(news.job!) }));
        if (news.item?.label) set_update(news);
      },
      ended: (error) => {
        if (error?.code === 5) set_gone(error);
        else first.again(); // with its dataset
      },
    });
    return () => stream.stop();
  }, [id, watched, turn]);
  // A job that has ended changes only when somebody deletes or retries it: it is looked at now and then.
  const again = useRef(first.again);
  again.current = first.again;
  useEffect(() => {
    if (watched) return;
    const look = () => document.visibilityState === "visible" && again.current();
    const timer = setInterval(look, LOOK_S * 1000);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [watched]);
  if (gone) {
    return (
      <>
        <h1>{job?.title ?? "Job"}</h1>
        <Empty>
          {job ? "This job was deleted while it was shown." : `There is no job ${id}: it was deleted, or never was.`}{" "}
          <a href="#/jobs">All jobs</a>
        </Empty>
      </>
    );
  }
  if (!job) return first.error ? <Fault error={first.error} again={first.again} /> : <Loading what="the job" />;
  const changed = (next: Job) => {
    set_job((old) => ({ ...old, ...next }));
    set_turn((n) => n + 1);
    first.again();
  };
  const tab = place.value.query.get("tab") ?? "stages";
  return (
    <>
      <div class="heading">
        <div>
          <h1>{job.title}</h1>
          <p class="quiet">
            job <code class="id">{id}</code> of {job.owner}
            {job.member ? (
              <>
                , member <a href={link(["campaigns", uuid_of(job.campaign)])}>{job.member}</a>
              </>
            ) : null}
          </p>
        </div>
        <Actions job={job} changed={changed} deleted={() => go(["jobs"])} />
      </div>
      <section class="panel figures" aria-label="State">
        <dl>
          <Figure label="State" value={<State of={job.state} />} note={job.progress?.text} />
          <Figure
            label="Sources"
            value={`${count(job.counts?.done)} / ${count(job.counts?.sources)}`}
            note={num(job.counts?.failed) ? `${count(job.counts?.failed)} failed` : "done"}
            tone={num(job.counts?.failed) ? "bad" : undefined}
          />
          <Figure label="Reused" value={count(job.counts?.reused)} note="computed for earlier jobs" />
          <Figure
            label="Tasks"
            value={job.state === "ACTIVE" ? `${count(job.progress?.running)} + ${count(job.progress?.waiting)}` : "–"}
            note="running + waiting"
          />
          <Figure
            label={job.state === "ACTIVE" ? "Running for" : "Took"}
            value={span(Math.max(0, Math.floor((num(job.ended_s) || now_s.value) - num(job.created_s))))}
            note={`since ${moment(job.created_s)}`}
          />
          <Figure label="Left" value={job.state === "ACTIVE" && num(job.progress?.eta_s ?? -1) >= 0 && job.progress ? span(job.progress.eta_s) : "–"} note="about" />
        </dl>
        <Progress job={job} />
        <p class="unseen" role="status">
          {in_words(job.counts)}
        </p>
      </section>
      <Tabs
        label="Of this job"
        tabs={{ stages: "Stages", log: "Log", residuals: "Residuals", reuse: "Reuse" }}
        chosen={tab}
        choose={(next) => set_query({ tab: next })}
      />
      <div role="tabpanel" aria-label={tab}>
        {tab === "log" ? (
          <Log job={name} stage={place.value.query.get("stage") ?? ""} />
        ) : tab === "residuals" ? (
          <Residuals id={id} job={job} />
        ) : tab === "reuse" ? (
          <Reuse job={job} />
        ) : (
          <Stages job={name} update={update} turn={turn} />
        )}
      </div>
    </>
  );
}

function filled(job: Job): Job {
  const said = { ...job };
  for (const key of ["dataset", "report", "spec_sha256", "etag", "owner", "title"] as const) {
    if (!said[key]) delete said[key];
  }
  return said;
}

function Actions({ job, changed, deleted }: { job: Job; changed: (job: Job) => void; deleted: () => void }) {
  const id = job.name?.replace(/^jobs\//, "") ?? "";
  const active = job.state === "ACTIVE";
  const done = num(job.counts?.done) > 0;
  const complete = job.dataset?.complete ?? false;
  const what = (
    <>
      <b>{job.title}</b> ({short_id(job.name)}), {in_words(job.counts)}.
    </>
  );
  const cancel = () =>
    ask({
      title: "Cancel this job?",
      text: <>{what} What is computed stays; a retry computes the rest. Work that other jobs want goes on.</>,
      act: "Cancel the job",
      dangerous: true,
      run: async () => {
        changed(await call("Jobs/CancelJob", { name: job.name }));
        return "The job is cancelled.";
      },
    });
  const retry = () =>
    ask({
      title: "Compute again what failed or was cancelled?",
      text: what,
      act: "Retry the job",
      run: async () => {
        changed(await call("Jobs/RetryJob", { name: job.name }));
        return "The job is queued again.";
      },
    });
  const remove = () =>
    ask({
      title: "Delete this job?",
      text: <>{what} Its dataset goes from the lists; results stay for a while for who asks for the same.</>,
      act: "Delete the job",
      dangerous: true,
      run: async () => {
        await call("Jobs/DeleteJob", { name: job.name });
        deleted();
        return `${job.title} is deleted.`;
      },
    });
  const file = `v1/datasets/${id}/file`;
  return (
    <div class="actions">
      {job.dataset?.sha256 || done ? (
        <a class="button primary" href={link(["map", id])}>
          <Icon name="map" /> Map
        </a>
      ) : null}
      <a class="button" href={link(["mesh", id])}>
        <Icon name="mesh" /> Mesh
      </a>
      {job.dataset?.sha256 ? (
        <a class="button" href={file} download title={complete ? "" : "Sources are missing or failed: they are NaN"}>
          <Icon name="download" /> {bytes(job.dataset.bytes)}
          {complete ? "" : ", partial"}
        </a>
      ) : done ? (
        <a class="button" href={`${file}?partial=true`} download onClick={() => note("A dataset of the sources that are done is being made.")}>
          <Icon name="download" /> what is done
        </a>
      ) : null}
      {active && may_change(job.owner, "Jobs/CancelJob") ? (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      ) : null}
      {(job.state === "FAILED" || job.state === "CANCELLED") && may_change(job.owner, "Jobs/RetryJob") ? (
        <button type="button" onClick={retry}>
          Retry
        </button>
      ) : null}
      {!active && may_change(job.owner, "Jobs/DeleteJob") ? (
        <button type="button" class="danger" onClick={remove}>
          Delete
        </button>
      ) : null}
    </div>
  );
}
