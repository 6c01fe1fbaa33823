// SPDX-License-Identifier: BSD-3-Clause
import { useState } from "preact/hooks";

import { call } from "../api";
import type { Quota, SetQuotaRequest } from "../gen/kaname";
import { bytes, count, num } from "../format";
import { may, note } from "../state";
import { Empty, Fault, Loading, Panel } from "../widgets/basics";
import { type Column, Table } from "../widgets/table";
import { useRead } from "../widgets/use";

function of_limit(used: string | undefined, limit: string | undefined, say: (v: string | undefined) => string) {
  const full = limit !== undefined && num(used) >= num(limit);
  return (
    <span class={full ? "late" : ""}>
      {say(used)} / {limit === undefined ? "∞" : say(limit)}
    </span>
  );
}

export function Quotas() {
  const list = useRead(async (signal) => (await call("Admin/ListQuotas", {}, signal)).quotas ?? [], []);
  const [edited, set_edited] = useState<Quota | null>(null);
  const columns: Column<Quota>[] = [
    { key: "owner", title: "Owner", by: (row) => row.owner ?? "", cell: (row) => <b>{row.owner}</b> },
    { key: "queued", title: "Tasks queued", right: true, by: (row) => num(row.queued_used), cell: (row) => of_limit(row.queued_used, row.queued, count) },
    { key: "running", title: "Tasks running", right: true, by: (row) => num(row.running_used), cell: (row) => of_limit(row.running_used, row.running, count) },
    { key: "bytes", title: "Stored", right: true, by: (row) => num(row.bytes_used), cell: (row) => of_limit(row.bytes_used, row.bytes, bytes) },
    { key: "weight", title: "Share", right: true, by: (row) => num(row.weight), cell: (row) => num(row.weight) },
  ];
  if (may("Admin/SetQuota")) {
    columns.push({
      key: "act",
      title: "",
      right: true,
      cell: (row) => (
        <button type="button" class="small" onClick={() => set_edited(row)} aria-label={`Change the quota of ${row.owner}`}>
          Change
        </button>
      ),
    });
  }
  return (
    <>
      <Panel title="Quotas and shares">
        {list.error ? <Fault error={list.error} again={list.again} /> : null}
        {list.value?.length ? (
          <Table label="Quotas" columns={columns} rows={list.value} id={(row) => row.owner ?? ""} />
        ) : list.busy ? (
          <Loading what="quotas" />
        ) : (
          <Empty command="kaname quota set alice --running 8">No owner was given a quota: all have equal shares and no limits.</Empty>
        )}
      </Panel>
      {may("Admin/SetQuota") ? (
        <QuotaForm
          key={edited?.owner ?? ""}
          quota={edited}
          done={() => {
            set_edited(null);
            list.again();
          }}
        />
      ) : null}
    </>
  );
}

function QuotaForm({ quota, done }: { quota: Quota | null; done: () => void }) {
  const [error, set_error] = useState("");
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const word = (name: string) => String(form.get(name) ?? "").trim();
    const limit = (name: string, factor = 1) => {
      const text = word(name);
      return text === "" ? "-1" : String(Math.round(Number(text) * factor));
    };
    const request: SetQuotaRequest = {
      owner: word("owner"),
      queued: limit("queued"),
      running: limit("running"),
      bytes: limit("gigabytes", 1e9),
      weight: Number(word("weight") || "1"),
    };
    try {
      await call("Admin/SetQuota", request);
      set_error("");
      note(`The quota of ${request.owner} is set.`);
      done();
    } catch (fault) {
      set_error((fault as Error).message);
    }
  };
  return (
    <Panel title={quota ? `Quota of ${quota.owner}` : "Give an owner a quota"}>
      <form class="fields" onSubmit={save}>
        <label>
          Owner
          <input name="owner" required defaultValue={quota?.owner ?? ""} spellcheck={false} />
        </label>
        <label>
          Tasks queued
          <input name="queued" type="number" min="0" defaultValue={quota?.queued ?? ""} placeholder="unlimited" />
        </label>
        <label>
          Tasks running
          <input name="running" type="number" min="0" defaultValue={quota?.running ?? ""} placeholder="unlimited" />
        </label>
        <label>
          Stored [GB]
          <input
            name="gigabytes"
            type="number"
            min="0"
            step="any"
            defaultValue={quota?.bytes === undefined ? "" : String(num(quota.bytes) / 1e9)}
            placeholder="unlimited"
          />
        </label>
        <label>
          Share of the workers
          <input name="weight" type="number" min="0.01" step="any" defaultValue={String(num(quota?.weight) || 1)} />
        </label>
        <button type="submit" class="primary">
          Set
        </button>
      </form>
      {error ? (
        <p class="refused" role="alert">
          {error}
        </p>
      ) : null}
    </Panel>
  );
}
