// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from "preact/hooks";

import { call, CallError } from "../api";
import type { Job } from "../gen/kaname";
import { counted, minute, moment, num, short_id, span, uuid_of } from "../format";
import { link, place, set_query } from "../router";
import { newest_jobs, now_s } from "../state";
import { Empty, Fault, Loading, Panel, State } from "../widgets/basics";
import { FilterBar, beginning, filter_text } from "../widgets/filter";
import { type Column, Table } from "../widgets/table";
import { in_words, Progress } from "./progress";

const PAGE = 100;

const COLUMNS: Column<Job>[] = [
  {
    key: "title",
    title: "Job",
    by: (job) => job.title ?? "",
    cell: (job) => (
      <>
        <a class="title" href={link(["jobs", uuid_of(job.name)])}>
          {job.title}
        </a>{" "}
        <span class="id">{short_id(job.name)}</span>
        {job.member ? <em class="quiet"> {job.member}</em> : null}
      </>
    ),
  },
  { key: "state", title: "State", by: (job) => job.state ?? "", cell: (job) => <State of={job.state} /> },
  {
    key: "progress",
    title: "Progress",
    by: (job) => num(job.progress?.fraction ?? (num(job.counts?.done) / (num(job.counts?.sources) || 1))),
    cell: (job) => <Progress job={job} />,
  },
  {
    key: "sources",
    title: "Sources",
    right: true,
    by: (job) => num(job.counts?.sources),
    cell: (job) => <span title={in_words(job.counts)}>{num(job.counts?.sources)}</span>,
  },
  { key: "owner", title: "Owner", by: (job) => job.owner ?? "", cell: (job) => job.owner },
  { key: "priority", title: "Priority", right: true, wide: true, wider: true, by: (job) => num(job.priority), cell: (job) => num(job.priority) },
  {
    key: "created",
    title: "Submitted",
    wide: true,
    by: (job) => num(job.created_s),
    cell: (job) => <time title={moment(job.created_s)}>{minute(job.created_s)}</time>,
  },
  {
    key: "took",
    title: "Took",
    right: true,
    wide: true,
    by: (job) => took(job),
    cell: (job) => span(took(job)),
  },
];

function took(job: Job): number {
  return Math.max(0, Math.floor((num(job.ended_s) || now_s.value) - num(job.created_s)));
}

/** Jobs by filter, page after page; those on screen follow the events of the overview. */
export function Jobs() {
  const query = place.value.query;
  const filter = filter_text({
    state: query.get("state") ?? "",
    title: query.get("title") ?? "",
    owner: query.get("owner") ?? "",
    id: beginning(query.get("id")),
  });
  const [jobs, set_jobs] = useState<Job[]>([]);
  const [next, set_next] = useState<string | null>("");
  const [error, set_error] = useState<CallError | null>(null);
  const [busy, set_busy] = useState(true);
  const read = async (token: string, signal?: AbortSignal) => {
    set_busy(true);
    set_error(null);
    try {
      const page = await call("Jobs/ListJobs", { page_size: PAGE, page_token: token, filter }, signal);
      set_jobs((old) => [...(token ? old : []), ...(page.jobs ?? [])]);
      set_next(page.next_page_token || null);
    } catch (fault) {
      if (!signal?.aborted) set_error(fault as CallError);
    } finally {
      if (!signal?.aborted) set_busy(false);
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    void read("", abort.signal);
    return () => abort.abort();
  }, [filter]);
  const live = newest_jobs.value;
  const rows = useMemo(() => {
    const known = new Set(jobs.map((job) => job.name));
    const added = filter ? [] : [...live.values()].filter((job) => !known.has(job.name));
    const newest = [...added, ...jobs.map((job) => live.get(job.name ?? "") ?? job)];
    return newest.sort((a, b) => num(b.created_s) - num(a.created_s));
  }, [jobs, live, filter]);
  return (
    <>
      <h1>Jobs</h1>
      <FilterBar
        states={["active", "done", "failed", "cancelled"]}
        words={["title", "owner", "id"]}
        values={query}
        change={set_query}
      />
      <Panel title={filter ? `${rows.length}${next ? "+" : ""} that match` : next ? `${rows.length} newest` : counted(rows.length, "job")}>
        {error ? <Fault error={error} again={() => read("")} /> : null}
        {rows.length ? (
          <Table label="Jobs" columns={COLUMNS} rows={rows} id={(job) => job.name ?? ""} />
        ) : busy ? (
          <Loading what="jobs" />
        ) : error ? null : filter ? (
          <Empty>No job matches. Titles and owners are compared as a whole; of an id its first characters; state is one of the four.</Empty>
        ) : (
          <Empty command="kaname submit docs/examples/plane/plane.yaml --wait">No job was submitted yet. The first one:</Empty>
        )}
        {next ? (
          <p class="more">
            <button type="button" disabled={busy} onClick={() => read(next)}>
              {busy ? "Reading …" : `Older ones (${PAGE} more)`}
            </button>
          </p>
        ) : null}
      </Panel>
    </>
  );
}
