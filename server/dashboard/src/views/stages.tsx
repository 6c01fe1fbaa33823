// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef, useState } from "preact/hooks";

import { call, CallError } from "../api";
import type { Item, JobUpdate } from "../gen/kaname";
import { bytes, count, num } from "../format";
import { link } from "../router";
import { reconnects } from "../state";
import { Empty, Fault, Loading, Panel, State, Tag } from "../widgets/basics";
import { Rows } from "../widgets/rows";

const PAGE = 1000;
const ROW_PX = 34;

/** Stages of a job, up to 100,000: read page by page, as far as somebody scrolls; only rows in sight exist. */
export function Stages({ job, update, turn }: { job: string; update: JobUpdate | null; turn: number }) {
  const [items, set_items] = useState<Item[]>([]);
  const [next, set_next] = useState<string | null>("");
  const [error, set_error] = useState<CallError | null>(null);
  const [only, set_only] = useState("");
  const reading = useRef(false);
  const all = useRef(false);
  const read = async (token: string, signal?: AbortSignal) => {
    if (reading.current) return;
    reading.current = true;
    set_error(null);
    try {
      const page = await call("Jobs/ListItems", { job, page_size: PAGE, page_token: token }, signal);
      set_items((old) => (token ? [...old, ...(page.items ?? [])] : (page.items ?? [])));
      set_next(page.next_page_token || null);
    } catch (fault) {
      if (!signal?.aborted) set_error(fault as CallError);
    } finally {
      reading.current = false;
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    reading.current = false;
    void read("", abort.signal);
    return () => abort.abort();
  }, [job, turn, reconnects.value]);
  useEffect(() => {
    const news = update?.item;
    if (!news) return;
    set_items((old) => {
      const at = old.findIndex((item) => item.label === news.label);
      if (at < 0) return old;
      const copy = [...old];
      copy[at] = { ...old[at], state: news.state, error: news.error };
      return copy;
    });
  }, [update]);
  // A choice of state looks through all stages.
  useEffect(() => {
    all.current = only !== "";
    if (all.current && next) void read(next);
  }, [only, next]);
  const shown = only ? items.filter((item) => item.state === only) : items;
  return (
    <Panel
      title={`${count(shown.length)}${next ? "+" : ""} ${only ? only.toLowerCase() : ""} stages`}
      actions={
        <label class="inline">
          Show{" "}
          <select value={only} onChange={(e) => set_only(e.currentTarget.value)}>
            <option value="">all</option>
            <option value="LIVE">live</option>
            <option value="DONE">done</option>
            <option value="FAILED">failed</option>
            <option value="CANCELLED">cancelled</option>
          </select>
        </label>
      }
    >
      {error ? <Fault error={error} again={() => read(next ?? "")} /> : null}
      {shown.length ? (
        <Rows
          label="Stages"
          head={["Stage", "State", "Verb", "Result", ""]}
          count={shown.length}
          height={ROW_PX}
          near_end={() => next && void read(next)}
          row={(at) => <StageRow job={job} item={shown[at]!} />}
          id={(at) => shown[at]!.label ?? String(at)}
        />
      ) : next !== null && !error ? (
        <Loading what="stages" />
      ) : error ? null : (
        <Empty>No stage is {only.toLowerCase() || "there"}.</Empty>
      )}
    </Panel>
  );
}

function StageRow({ job, item }: { job: string; item: Item }) {
  return (
    <>
      <span role="cell" class="main">
        {item.label}
        {item.reused ? <Tag tone="ok">reused</Tag> : null}
        {item.error ? (
          <em class="error" title={item.error}>
            {item.error}
          </em>
        ) : null}
      </span>
      <span role="cell">
        <State of={item.state} />
      </span>
      <span role="cell">{item.verb}</span>
      <span role="cell" class="right">
        {num(item.bytes) ? bytes(item.bytes) : "–"}
      </span>
      <span role="cell">
        <a href={link(["jobs", job.replace("jobs/", "")], { tab: "log", stage: item.label })} aria-label={`Log of ${item.label}`}>
          log
        </a>
      </span>
    </>
  );
}
