// SPDX-License-Identifier: BSD-3-Clause
import type { Job, Stats, Worker } from "../gen/kaname";
import { bytes, count, figure, num, short_id, span, uuid_of } from "../format";
import { link } from "../router";
import { newest_jobs, stats, workers } from "../state";
import { Ago, Bar, Empty, Figure, Loading, Panel, State, Tag } from "../widgets/basics";
import { Progress } from "./progress";

const SHOWN = 8;

export function Overview() {
  const now = stats.value;
  if (!now) return <Loading what="the overview" />;
  const active = [...newest_jobs.value.values()].filter((job) => job.state === "ACTIVE");
  return (
    <>
      <h1>Overview</h1>
      <Queue now={now} />
      <div class="columns">
        <div>
          <Panel
            title="Active jobs"
            actions={<a href={link(["jobs"], { state: "active" })}>All {num(now.jobs_active) ? count(now.jobs_active) : ""}</a>}
          >
            <ActiveJobs jobs={active} total={num(now.jobs_active)} />
          </Panel>
          <Panel title="Last failures">
            <Failures now={now} />
          </Panel>
        </div>
        <div>
          <Panel title="Workers" actions={<a href={link(["workers"])}>All</a>}>
            <WorkerSummary now={now} list={workers.value?.workers ?? []} />
          </Panel>
          <Panel title="Disk and database">
            <Rooms now={now} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function Queue({ now }: { now: Stats }) {
  const [ready, running] = [num(now.tasks_ready), num(now.tasks_running)];
  const [blocked, held] = [num(now.tasks_blocked), num(now.tasks_held)];
  const all = ready + running + blocked + held;
  const parts = [
    { share: running / (all || 1), tone: "run" as const },
    { share: ready / (all || 1), tone: "ok" as const },
    { share: blocked / (all || 1), tone: "off" as const },
    { share: held / (all || 1), tone: "warn" as const },
  ];
  const old = num(now.oldest_ready_age_s);
  return (
    <section class="panel figures" aria-label="Queue">
      <dl>
        <Figure label="Running" value={count(running)} note="tasks with workers" tone="run" />
        <Figure label="Ready" value={count(ready)} note="wait for a worker" tone="ok" />
        <Figure label="Blocked" value={count(blocked)} note="wait for other tasks" tone="off" />
        <Figure label="Held" value={count(held)} note="of paused or limited campaigns" tone="warn" />
        <Figure label="Oldest ready" value={ready ? span(old) : "–"} note="has waited" />
        <Figure label="Sources" value={figure(num(now.sources_per_minute), 2)} note="per minute, over 5 min" />
      </dl>
      <Bar parts={parts} label={`${count(all)} tasks: ${running} running, ${ready} ready, ${blocked} blocked, ${held} held`} />
    </section>
  );
}

function ActiveJobs({ jobs, total }: { jobs: Job[]; total: number }) {
  if (jobs.length === 0) {
    if (total > 0) {
      return <p class="quiet">{count(total)} older jobs are active.</p>;
    }
    return <Empty command="kaname submit docs/examples/plane/plane.yaml">No job is active. One begins with</Empty>;
  }
  return (
    <ul class="lines">
      {jobs.slice(0, SHOWN).map((job) => (
        <li key={job.name}>
          <a class="title" href={link(["jobs", uuid_of(job.name)])}>
            {job.title}
          </a>
          <span class="id">{short_id(job.name)}</span>
          {job.member ? <em class="quiet">{job.member}</em> : null}
          <Progress job={job} />
        </li>
      ))}
      {total > SHOWN ? <li class="quiet">and {count(total - Math.min(SHOWN, jobs.length))} more</li> : null}
    </ul>
  );
}

function WorkerSummary({ now, list }: { now: Stats; list: Worker[] }) {
  const states = now.workers_by_state?.length
    ? now.workers_by_state.filter((item) => num(item.count) > 0)
    : [...new Set(list.map((worker) => worker.state))].map((state) => ({
        state,
        count: String(list.filter((worker) => worker.state === state).length),
      }));
  if (states.length === 0) {
    return (
      <Empty command="kaname up --workers 2">
        No worker is here. One starts by itself when there is work; more than one on this machine:
      </Empty>
    );
  }
  const gpus = list.flatMap((worker) => worker.gpus ?? []);
  const busy = gpus.filter((gpu) => num(gpu.utilisation_ratio) > 0.05).length;
  const bad = list.filter((worker) => worker.reason);
  return (
    <>
      <ul class="pairs">
        {states.map((item) => (
          <li key={item.state}>
            <State of={item.state} />
            <b>{count(item.count)}</b>
          </li>
        ))}
        {gpus.length ? (
          <li>
            <span>GPUs at work</span>
            <b>
              {busy} of {gpus.length}
            </b>
          </li>
        ) : null}
      </ul>
      {bad.slice(0, 3).map((worker) => (
        <p key={worker.name} class="quiet">
          <Tag tone="warn">{worker.host}</Tag> {worker.reason}
        </p>
      ))}
    </>
  );
}

function Failures({ now }: { now: Stats }) {
  const list = now.last_failures ?? [];
  if (list.length === 0) return <p class="quiet">Nothing has failed lately.</p>;
  return (
    <ul class="failures">
      {list.slice(0, SHOWN).map((item) => (
        <li key={`${item.task_id} ${item.at_s}`}>
          <span class="when">
            <Ago at={item.at_s} />
          </span>
          <span class="what">
            {item.job ? (
              <a href={link(["jobs", uuid_of(item.job)], { stage: item.label, tab: "log" })}>{item.label || "task"}</a>
            ) : (
              <b>{item.label || "task"}</b>
            )}
            <em>
              {item.worker} {item.host ? `on ${item.host}` : ""}
            </em>
          </span>
          <span class="error">{item.error}</span>
        </li>
      ))}
    </ul>
  );
}

function Rooms({ now }: { now: Stats }) {
  const base = now.database;
  const dead = num(base?.dead_tuples);
  const live = num(base?.live_tuples);
  return (
    <>
      {(now.rooms ?? []).map((room) => {
        const [total, free, low] = [num(room.total_bytes), num(room.free_bytes), num(room.low_bytes)];
        const used = total > 0 ? 1 - free / total : 0;
        const tone = room.paused ? "bad" : free < 2 * low ? "warn" : "run";
        return (
          <div key={room.what} class="room">
            <div>
              <b>{room.what}</b>
              <span>{bytes(free)} free of {bytes(total)}</span>
            </div>
            <Bar parts={[{ share: used, tone }]} label={`${room.what}: ${Math.round(used * 100)} % used`} />
            <p class="quiet">
              {room.folder}
              {room.paused ? " – too little is free: nothing new begins" : `, nothing new begins below ${bytes(low)}`}
            </p>
          </div>
        );
      })}
      {base ? (
        <ul class="pairs">
          <li>
            <span title={base.version}>PostgreSQL {(base.version ?? "").split(" ")[0]}</span>
            <b>{bytes(base.bytes)}</b>
          </li>
          <li>
            <span>rows</span>
            <b>{count(live)}</b>
          </li>
          <li>
            <span>dead rows</span>
            <b>
              {count(dead)}
              {live + dead > 0 ? ` (${Math.round((100 * dead) / (live + dead))} %)` : ""}
            </b>
          </li>
          <li>
            <span>connections</span>
            <b>{count(base.connections)}</b>
          </li>
          <li>
            <span>schema</span>
            <b>{base.schema}</b>
          </li>
        </ul>
      ) : null}
      <p class="quiet">Up for {span(now.uptime_s)}.</p>
    </>
  );
}
