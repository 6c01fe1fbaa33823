// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useState } from "preact/hooks";

import { call, CallError } from "../api";
import type { AuditEvent } from "../gen/kaname";
import { moment, num } from "../format";
import { place, set_query } from "../router";
import { Empty, Fault, Loading, Panel, Tag } from "../widgets/basics";
import { FilterBar } from "../widgets/filter";
import { type Column, Table } from "../widgets/table";

const PAGE = 100;
const DAY_S = 86400;

const COLUMNS: Column<AuditEvent>[] = [
  { key: "at", title: "When", cell: (row) => <time>{moment(row.at_s)}</time> },
  {
    key: "who",
    title: "Who",
    cell: (row) => (
      <>
        <b>{row.principal || "–"}</b> <em>{row.role}</em>
      </>
    ),
  },
  { key: "method", title: "Call", cell: (row) => row.method },
  { key: "resource", title: "Of what", cell: (row) => <span class="wraps">{row.resource}</span> },
  {
    key: "outcome",
    title: "Outcome",
    cell: (row) => {
      const refused = (row.outcome ?? "").startsWith("refused");
      return (
        <>
          <Tag tone={refused ? "bad" : "ok"}>{refused ? "refused" : "ok"}</Tag>{" "}
          <span class="wraps">{(row.outcome ?? "").replace(/^(ok|refused)[:, ]*/, "")}</span>
        </>
      );
    },
  },
];

/** Lists what was changed or refused, newest first. */
export function Audit() {
  const query = place.value.query;
  const words = {
    principal: query.get("principal") ?? "",
    method: query.get("method") ?? "",
    resource: query.get("resource") ?? "",
  };
  const refused = query.get("refused") === "yes";
  const days = Number(query.get("days") ?? 0);
  const [events, set_events] = useState<AuditEvent[]>([]);
  const [next, set_next] = useState<string | null>(null);
  const [error, set_error] = useState<CallError | null>(null);
  const [busy, set_busy] = useState(true);
  const [from_s, set_from_s] = useState(0);
  const read = async (token: string, from: number, signal?: AbortSignal) => {
    set_busy(true);
    try {
      const page = await call(
        "Admin/ListAuditEvents",
        {
          page_size: PAGE, page_token: token, principal: words.principal || undefined, method: words.method || undefined,
          resource: words.resource || undefined, refused: refused || undefined, from_s: from || undefined,
        },
        signal,
      );
      set_events((old) => [...(token ? old : []), ...(page.events ?? [])]);
      set_next(page.next_page_token || null);
      set_error(null);
    } catch (fault) {
      if (!signal?.aborted) set_error(fault as CallError);
    } finally {
      if (!signal?.aborted) set_busy(false);
    }
  };
  const key = JSON.stringify([words, refused, days]);
  useEffect(() => {
    const abort = new AbortController();
    const from = days ? Math.floor(Date.now() / 1000) - days * DAY_S : 0;
    set_from_s(from);
    void read("", from, abort.signal);
    return () => abort.abort();
  }, [key]);
  return (
    <>
      <FilterBar
        words={["principal", "method", "resource"]}
        values={query}
        change={set_query}
        hint={{ principal: "ada", method: "CancelJob", resource: "jobs/8d0c" }}
      />
      <div class="filter">
        <label class="inline">
          <input type="checkbox" checked={refused} onChange={(e) => set_query({ refused: e.currentTarget.checked ? "yes" : undefined })} />{" "}
          refusals alone
        </label>
        <label class="inline">
          Since{" "}
          <select value={String(days)} onChange={(e) => set_query({ days: e.currentTarget.value === "0" ? undefined : e.currentTarget.value })}>
            <option value="0">the beginning</option>
            <option value="1">a day</option>
            <option value="7">a week</option>
            <option value="30">30 days</option>
          </select>
        </label>
      </div>
      <Panel title={`${events.length}${next ? "+" : ""} events`}>
        {error ? <Fault error={error} again={() => read("", from_s)} /> : null}
        {events.length ? (
          <Table label="Audit" columns={COLUMNS} rows={events} id={(row) => String(num(row.id))} />
        ) : busy ? (
          <Loading what="the audit" />
        ) : error ? null : (
          <Empty>Nothing matches. What only reads is not written down.</Empty>
        )}
        {next ? (
          <p class="more">
            <button type="button" disabled={busy} onClick={() => read(next, from_s)}>
              Older ones
            </button>
          </p>
        ) : null}
      </Panel>
    </>
  );
}
