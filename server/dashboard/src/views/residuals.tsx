// SPDX-License-Identifier: BSD-3-Clause
import { useState } from "preact/hooks";

import { get } from "../api";
import type { Job, SolveHistory } from "../gen/kaname";
import { epoch, figure, num, YEAR_S } from "../format";
import { Plot } from "../charts/plot";
import { HUES } from "../charts/hues";
import { call } from "../api";
import { Empty, Fault, Loading, Panel } from "../widgets/basics";
import { useRead } from "../widgets/use";

const NAMED = 1000;

/** How the residual fell at each step of a source, and in how many iterations. */
export function Residuals({ id, job }: { id: string; job: Job }) {
  const partial = job.state === "ACTIVE";
  const items = useRead(async (signal) => {
    const page = await call("Jobs/ListItems", { job: `jobs/${id}`, page_size: NAMED }, signal);
    return (page.items ?? []).filter((item) => item.source && item.state !== "LIVE" && item.state !== "CANCELLED");
  }, [id, job.state, num(job.counts?.done) > 0]);
  const [wanted, set_wanted] = useState("");
  const chosen = wanted || items.value?.[0]?.label || "";
  const history = useRead(
    async (signal) =>
      chosen
        ? get<SolveHistory>(
            `v1/datasets/${id}/solves?source=${encodeURIComponent(chosen)}${partial ? "&partial=true" : ""}`,
            signal,
          )
        : null,
    [id, chosen, partial],
  );
  const source = history.value?.sources?.[0];
  if (items.value && items.value.length === 0) {
    return <Empty>No source has been solved yet: residuals come with the first one.</Empty>;
  }
  const times = history.value?.step_time_s ?? [];
  const n = source?.residual?.length ?? 0;
  const by_time = times.length === n && n > 1;
  const x = Array.from({ length: n }, (_, i) => (by_time ? num(times[i]) / YEAR_S : i));
  const clean = (values: number[] | undefined) =>
    (values ?? []).map((value) => (Number.isFinite(num(value)) && num(value) > 0 ? num(value) : null));
  const counts = (source?.iterations ?? []).map((value) => (num(value) < 0 ? null : num(value)));
  const sum = counts.reduce<number>((a, b) => a + (b ?? 0), 0);
  const worst = Math.max(0, ...clean(source?.residual).map((value) => value ?? 0));
  return (
    <Panel
      title="Residuals"
      actions={
        <label class="inline">
          Source{" "}
          <select value={chosen} onChange={(e) => set_wanted(e.currentTarget.value)}>
            {(items.value ?? []).map((item) => (
              <option key={item.label} value={item.label}>
                {item.label}
                {item.state === "FAILED" ? " (failed)" : ""}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {history.error ? <Fault error={history.error} again={history.again} /> : null}
      {source && n > 0 ? (
        <>
          <p class="quiet">
            {n} {history.value?.method === "spectrum" ? "shifts" : "steps"}
            {by_time ? `, up to ${epoch(num(times[n - 1]))}` : ""}; {sum} iterations in all, largest residual at the end{" "}
            {figure(worst)} of the load.
          </p>
          <Plot
            label={`Residuals of ${chosen}: ${n} steps, ${sum} iterations`}
            x={x}
            x_label={by_time ? "years after the slip" : history.value?.method === "spectrum" ? "shift" : "step"}
            y_label="residual over load"
            log
            height={260}
            curves={[
              { label: "before", values: clean(source.initial_residual), color: HUES[1]!, dash: [4, 3] },
              { label: "at the end", values: clean(source.residual), color: HUES[0]! },
            ]}
          />
          <Plot
            label={`Iterations of ${chosen} per step`}
            x={x}
            x_label={by_time ? "years after the slip" : "step"}
            y_label="iterations"
            height={170}
            curves={[{ label: "iterations", values: counts, color: HUES[2]! }]}
          />
        </>
      ) : history.busy || items.busy ? (
        <Loading what="residuals" />
      ) : history.error ? null : (
        <Empty>Nothing is known of the solves of this source: it failed before its first step.</Empty>
      )}
    </Panel>
  );
}
