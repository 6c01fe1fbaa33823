// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useState } from "preact/hooks";

import { call } from "../api";
import type { Cordon, Drain, GpuHistory, GpuStatus, Worker } from "../gen/kaname";
import { Spark } from "../charts/spark";
import { bytes, count, counted, moment, num, percent, short_id, span } from "../format";
import { may, stats, workers } from "../state";
import { Ago, Empty, Fault, Loading, Panel, State, Tag } from "../widgets/basics";
import { ask } from "../widgets/confirm";
import { usePolled } from "../widgets/use";

const POLL_S = 30;
const PAGE = 50; // workers at once: each may have eight GPUs with four curves

/** One row per worker with its GPUs: what they do, how they have been for an hour, who took them out of service. */
export function Workers() {
  const list = workers.value;
  const history = usePolled(all_gpus, [], POLL_S);
  const drains = usePolled(async (signal) => (await call("Admin/ListDrains", {}, signal)).drains ?? [], [], POLL_S);
  const cordons = usePolled(all_cordons, [], POLL_S);
  const [shown, set_shown] = useState(PAGE);
  const [only, set_only] = useState("");
  if (!list) return <Loading what="workers" />;
  const all = list.workers ?? [];
  const rows = all.filter((row) => !only || row.state === only);
  const gpus = new Map((history.value ?? []).map((gpu) => [gpu.status?.uuid ?? "", gpu]));
  const again = () => {
    history.again();
    drains.again();
    cordons.again();
  };
  return (
    <>
      <h1>Workers and GPUs</h1>
      <Panel
        title={counted(all.length, "worker")}
        actions={
          <label class="inline">
            Show{" "}
            <select value={only} onChange={(e) => set_only(e.currentTarget.value)}>
              <option value="">all</option>
              {["IDLE", "BUSY", "DRAINING", "CORDONED", "NOT_READY", "LOST", "LEFT"].map((state) => (
                <option key={state} value={state}>
                  {state.replace("_", " ").toLowerCase()}
                </option>
              ))}
            </select>
          </label>
        }
      >
        {history.error ? <Fault error={history.error} again={again} /> : null}
        {all.length === 0 ? (
          <Empty command="kaname up --workers 2">
            No worker is here now. The server starts one when there is work, and it leaves after ten minutes without.
            More of them on this machine:
          </Empty>
        ) : rows.length === 0 ? (
          <Empty>No worker is {only.replace("_", " ").toLowerCase()}.</Empty>
        ) : (
          <ul class="workers">
            {rows.slice(0, shown).map((worker) => (
              <WorkerRow key={worker.name} worker={worker} gpus={gpus} again={again} cordons={cordons.value ?? []} />
            ))}
          </ul>
        )}
        {rows.length > shown ? (
          <p class="more">
            <button type="button" onClick={() => set_shown(shown + PAGE)}>
              {count(rows.length - shown)} more workers
            </button>
          </p>
        ) : null}
      </Panel>
      <OutOfService drains={drains.value ?? []} cordons={cordons.value ?? []} again={again} />
      <Dispatches />
    </>
  );
}

async function all_gpus(signal: AbortSignal): Promise<GpuHistory[]> {
  if (!may("Admin/ListGpuHistory")) return [];
  const all: GpuHistory[] = [];
  for (let token = ""; ; ) {
    const page = await call("Admin/ListGpuHistory", { page_size: 500, page_token: token }, signal);
    all.push(...(page.gpus ?? []));
    token = page.next_page_token ?? "";
    if (!token) return all;
  }
}

// Servers of earlier versions have neither history nor cordons.
async function all_cordons(signal: AbortSignal): Promise<Cordon[]> {
  if (!may("Admin/ListCordons")) return [];
  return (await call("Admin/ListCordons", {}, signal)).cordons ?? [];
}

function WorkerRow(props: { worker: Worker; gpus: Map<string, GpuHistory>; cordons: Cordon[]; again: () => void }) {
  const { worker } = props;
  const gone = worker.state === "LOST" || worker.state === "LEFT";
  const age = num(worker.heartbeat_age_s);
  const cordon = props.cordons.find((item) => item.worker === worker.name || (item.host && item.host === worker.host));
  return (
    <li class="worker">
      <div class="line">
        <b class="host">{worker.title || short_id(worker.name)}</b>
        <span class="quiet">{worker.host}</span>
        <State of={worker.state} />
        {cordon ? <Tag tone="bad">cordoned</Tag> : null}
        <span class="quiet">
          {num(worker.ranks)} × {num(worker.threads)} threads
        </span>
        <span class={age > 20 ? "late" : "quiet"}>heard {span(Math.round(age))} ago</span>
        <span class="quiet">{counted(worker.running, "task")}</span>
        {worker.version && worker.version !== stats.value?.version ? <Tag tone="warn">version {worker.version}</Tag> : null}
        {gone ? null : <WorkerActions worker={worker} cordon={cordon} again={props.again} />}
      </div>
      {worker.text ? <p class="does">{worker.text}</p> : null}
      {worker.reason ? <p class="why">{worker.reason}</p> : null}
      {worker.gpus?.length ? (
        <ul class="gpus">
          {worker.gpus.map((gpu) => (
            <GpuRow key={gpu.uuid} gpu={gpu} past={props.gpus.get(gpu.uuid ?? "")} again={props.again} />
          ))}
        </ul>
      ) : gone ? null : (
        <p class="quiet">No GPU: it computes on processors, or its machine has no driver.</p>
      )}
    </li>
  );
}

function known<T>(value: T | undefined | null): value is T {
  return value !== undefined && value !== null;
}

function GpuRow({ gpu, past, again }: { gpu: GpuStatus; past: GpuHistory | undefined; again: () => void }) {
  const used = num(gpu.memory_used_bytes);
  const total = num(gpu.memory_total_bytes);
  const rows = gpu.remapped_rows;
  const faults = past?.faults ?? [];
  const hour = past ? `over ${span(Math.round(num(past.every_s) * Math.max(0, (past.utilisation_ratio?.length ?? 1) - 1)))}` : "";
  const power_top = Math.max(1, ...(past?.power_w ?? [1]));
  const silent = !known(gpu.utilisation_ratio) && !known(gpu.temperature_c) && !known(gpu.memory_total_bytes);
  return (
    <li class="gpu">
      <div class="name">
        <b>{gpu.name || "GPU"}</b>
        <code class="id">{(gpu.uuid ?? "").replace(/^GPU-/, "").slice(0, 8)}</code>
        {past?.cordon ? <Tag tone="bad">cordoned</Tag> : null}
        {past?.drain ? <Tag tone="warn">drained</Tag> : null}
      </div>
      {silent ? (
        <p class="quiet">Its driver tells nothing: no reading of load, memory, power or temperature.</p>
      ) : (
        <dl class="readings">
          <Reading name="load" value={known(gpu.utilisation_ratio) ? percent(gpu.utilisation_ratio) : "–"} past={past?.utilisation_ratio} top={1} over={hour} />
          <Reading
            name="memory"
            value={total ? `${(used / 1e9).toFixed(0)} / ${bytes(total)}` : "–"}
            past={past?.memory_used_ratio}
            top={1}
            over={hour}
          />
          <Reading name="power" value={known(gpu.power_w) ? `${Math.round(num(gpu.power_w))} W` : "–"} past={past?.power_w} top={power_top} over={hour} />
          <Reading
            name="temperature"
            value={known(gpu.temperature_c) ? `${Math.round(num(gpu.temperature_c))} °C` : "–"}
            past={past?.temperature_c}
            top={100}
            over={hour}
            tone={num(gpu.temperature_c) >= 85 ? "hot" : ""}
          />
        </dl>
      )}
      <ul class="health">
        <Health name="XID" value={gpu.xid_errors} />
        <Health name="ECC corrected" value={gpu.ecc_corrected} mild />
        <Health name="ECC uncorrected" value={gpu.ecc_uncorrected} />
        {rows ? <Health name="rows remapped" value={String(num(rows.corrected) + num(rows.uncorrected))} mild /> : null}
        {rows?.pending ? <li class="bad">a remap waits for a reset</li> : null}
        {rows?.failed ? <li class="bad">a remap failed: replace the GPU</li> : null}
      </ul>
      {faults.slice(0, 3).map((fault) => (
        <p key={`${fault.at_s}`} class="why">
          <Ago at={fault.at_s} />: {fault.reason}
        </p>
      ))}
      {past?.cordon ? <Why word="Cordoned" of={past.cordon} /> : null}
      {past?.drain ? <Why word="Drained" of={past.drain} /> : null}
      <GpuActions gpu={gpu} past={past} again={again} />
    </li>
  );
}

function Why({ word, of }: { word: string; of: { reason?: string; by?: string; since_s?: number } }) {
  return (
    <p class="why">
      {word} {of.by ? `by ${of.by}` : "by its faults"} <Ago at={of.since_s} />
      {of.reason ? `: ${of.reason}` : ""}
    </p>
  );
}

function Reading(props: { name: string; value: string; past?: number[]; top: number; over: string; tone?: string }) {
  const past = (props.past ?? []).map((value) => num(value));
  const most = Math.max(...past.filter((value) => value >= 0), 0);
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.tone}>{props.value}</dd>
      <dd class="past">
        {past.length > 1 ? (
          <Spark
            values={past}
            top={props.top}
            tone={props.tone}
            label={`${props.name} ${props.over}, at most ${Math.round((100 * most) / props.top)} % of the scale`}
          />
        ) : (
          <span class="quiet">no history yet</span>
        )}
      </dd>
    </div>
  );
}

function Health({ name, value, mild }: { name: string; value: string | undefined; mild?: boolean }) {
  if (value === undefined) return null;
  return <li class={num(value) ? (mild ? "mild" : "bad") : ""}>{`${name} ${count(value)}`}</li>;
}

function WorkerActions({ worker, cordon, again }: { worker: Worker; cordon: Cordon | undefined; again: () => void }) {
  const who = `${worker.title || short_id(worker.name)} on ${worker.host}`;
  const draining = worker.state === "DRAINING";
  const drain = () =>
    ask({
      title: draining ? "Lift the drain?" : "Drain this worker?",
      text: draining ? `${who} works again.` : `${who} finishes its ${counted(worker.running, "task")} and leaves.`,
      act: draining ? "Lift the drain" : "Drain",
      reason: draining ? undefined : "Reason (for others)",
      run: async (reason) => {
        await call("Admin/DrainWorker", { name: worker.name, lift: draining, reason: reason || undefined });
        again();
        return draining ? "The worker works again." : "The worker is draining.";
      },
    });
  const hold = () =>
    ask({
      title: cordon ? "Lift the cordon?" : "Cordon this worker?",
      text: cordon ? `${who} claims tasks again.` : `${who} goes on with what it holds, stays, and claims nothing more.`,
      act: cordon ? "Lift the cordon" : "Cordon",
      reason: cordon ? undefined : "Reason (for others)",
      run: async (reason) => {
        const what = cordon?.host ? { host: cordon.host } : { worker: worker.name };
        await call("Admin/SetCordon", { cordon: { ...what, reason: reason || undefined }, lift: Boolean(cordon) });
        again();
        return cordon ? "The cordon is lifted." : "The worker is cordoned.";
      },
    });
  return (
    <span class="actions">
      {may("Admin/SetCordon") ? (
        <button type="button" class="small" onClick={hold}>
          {cordon ? "Uncordon" : "Cordon"}
        </button>
      ) : null}
      {may("Admin/DrainWorker") ? (
        <button type="button" class="small" onClick={drain}>
          {draining ? "Undrain" : "Drain"}
        </button>
      ) : null}
    </span>
  );
}

function GpuActions({ gpu, past, again }: { gpu: GpuStatus; past: GpuHistory | undefined; again: () => void }) {
  const who = `${gpu.name ?? "GPU"} ${gpu.uuid}`;
  const hold = () =>
    ask({
      title: past?.cordon ? "Put this GPU back to work?" : "Cordon this GPU?",
      text: past?.cordon ? `${who}: its faults are forgotten.` : `Workers with ${who} claim nothing until it is lifted.`,
      act: past?.cordon ? "Uncordon" : "Cordon",
      reason: past?.cordon ? undefined : "Reason (for others)",
      run: async (reason) => {
        await call("Admin/SetCordon", { cordon: { gpu_uuid: gpu.uuid, reason: reason || undefined }, lift: Boolean(past?.cordon) });
        again();
        return past?.cordon ? "The GPU is back at work." : "The GPU is cordoned.";
      },
    });
  const drain = () =>
    ask({
      title: past?.drain ? "Lift the drain?" : "Drain this GPU?",
      text: past?.drain ? `Workers with ${who} work again.` : `Workers with ${who} finish what they hold and leave.`,
      act: past?.drain ? "Lift the drain" : "Drain",
      reason: past?.drain ? undefined : "Reason (for others)",
      run: async (reason) => {
        await call("Admin/SetDrain", { drain: { gpu_uuid: gpu.uuid, reason: reason || undefined }, lift: Boolean(past?.drain) });
        again();
        return past?.drain ? "The drain is lifted." : "The GPU is drained.";
      },
    });
  return (
    <span class="actions">
      {may("Admin/SetCordon") ? (
        <button type="button" class="small" onClick={hold} aria-label={`${past?.cordon ? "Uncordon" : "Cordon"} GPU ${gpu.uuid}`}>
          {past?.cordon ? "Uncordon" : "Cordon"}
        </button>
      ) : null}
      {may("Admin/SetDrain") ? (
        <button type="button" class="small" onClick={drain} aria-label={`${past?.drain ? "Undrain" : "Drain"} GPU ${gpu.uuid}`}>
          {past?.drain ? "Undrain" : "Drain"}
        </button>
      ) : null}
    </span>
  );
}

/** Drains and cordons that stand, also of hosts and GPUs that no worker has now. */
function OutOfService({ drains, cordons, again }: { drains: Drain[]; cordons: Cordon[]; again: () => void }) {
  const [host, set_host] = useState("");
  useEffect(() => set_host(""), [drains.length]);
  const rows = [
    ...drains.map((item) => ({ kind: "drain" as const, item, what: item.host ? `host ${item.host}` : `GPU ${item.gpu_uuid}` })),
    ...cordons.map((item) => ({
      kind: "cordon" as const,
      item,
      what: item.host ? `host ${item.host}` : item.worker ? `worker ${short_id(item.worker)}` : `GPU ${item.gpu_uuid}`,
    })),
  ];
  const lift = (row: (typeof rows)[number]) =>
    ask({
      title: `Lift the ${row.kind} of ${row.what}?`,
      text: row.item.reason ? `Its reason was: ${row.item.reason}` : "It works again.",
      act: "Lift it",
      run: async () => {
        if (row.kind === "drain") await call("Admin/SetDrain", { drain: name_of(row.item), lift: true });
        else await call("Admin/SetCordon", { cordon: name_of(row.item), lift: true });
        again();
        return `The ${row.kind} is lifted.`;
      },
    });
  const drain_host = (event: Event) => {
    event.preventDefault();
    const name = host.trim();
    if (!name) return;
    ask({
      title: `Drain host ${name}?`,
      text: "All its workers, also those that come later, finish what they hold and leave until it is lifted.",
      act: "Drain the host",
      reason: "Reason (for others)",
      run: async (reason) => {
        await call("Admin/SetDrain", { drain: { host: name, reason: reason || undefined } });
        again();
        return `Host ${name} is drained.`;
      },
    });
  };
  if (rows.length === 0 && !may("Admin/SetDrain")) return null;
  return (
    <Panel title="Out of service">
      {rows.length === 0 ? <p class="quiet">Nothing is drained or cordoned.</p> : null}
      <ul class="lines">
        {rows.map((row) => (
          <li key={`${row.kind} ${row.what}`}>
            <Tag tone={row.kind === "drain" ? "warn" : "bad"}>{row.kind}</Tag> <b>{row.what}</b>
            <span class="quiet">
              {row.item.by ? `by ${row.item.by}, ` : row.kind === "cordon" ? "by its faults, " : ""}
              {row.item.since_s ? moment(row.item.since_s) : ""} {row.item.reason}
            </span>
            {may(row.kind === "drain" ? "Admin/SetDrain" : "Admin/SetCordon") ? (
              <button type="button" class="small" onClick={() => lift(row)}>
                Lift
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {may("Admin/SetDrain") ? (
        <form class="inline-form" onSubmit={drain_host}>
          <label>
            Drain a host <input value={host} spellcheck={false} onInput={(e) => set_host(e.currentTarget.value)} placeholder="node17" />
          </label>
          <button type="submit">Drain …</button>
        </form>
      ) : null}
    </Panel>
  );
}

function name_of(item: Drain & Cordon): Drain & Cordon {
  if (item.host) return { host: item.host };
  return item.worker ? { worker: item.worker } : { gpu_uuid: item.gpu_uuid };
}

function Dispatches() {
  const list = workers.value?.dispatches ?? [];
  if (list.length === 0) return null;
  return (
    <Panel title="Worker jobs of the cluster">
      <ul class="lines">
        {list.map((item) => (
          <li key={item.id}>
            <Tag tone={item.state === "running" ? "run" : item.state === "unknown" ? "warn" : "off"}>{item.state}</Tag>{" "}
            <b>
              {item.pool} {item.native_id}
            </b>
            <span class="quiet">
              {item.reason} {item.exit_code !== undefined ? `exit code ${item.exit_code}` : ""} <Ago at={item.intended_s} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
