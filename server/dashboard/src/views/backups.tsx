// SPDX-License-Identifier: BSD-3-Clause
import { call } from "../api";
import type { Backup } from "../gen/kaname";
import { bytes, count, moment, num, span } from "../format";
import { Empty, Fault, Loading, Panel, State } from "../widgets/basics";
import { type Column, Table } from "../widgets/table";
import { usePolled } from "../widgets/use";

const POLL_S = 20;

const COLUMNS: Column<Backup>[] = [
  { key: "started", title: "Begun", by: (row) => num(row.started_s), cell: (row) => moment(row.started_s) },
  { key: "state", title: "State", by: (row) => row.state ?? "", cell: (row) => <State of={row.state} /> },
  {
    key: "folder",
    title: "Folder",
    cell: (row) => (
      <span class="wraps">
        {row.host}:{row.folder} {row.error ? <em class="error">{row.error}</em> : null}
      </span>
    ),
  },
  { key: "artifacts", title: "Artifacts", by: (row) => row.artifacts ?? "", cell: (row) => row.artifacts },
  { key: "files", title: "Files", right: true, by: (row) => num(row.files), cell: (row) => count(row.files) },
  { key: "bytes", title: "Size", right: true, by: (row) => num(row.bytes), cell: (row) => bytes(row.bytes) },
  { key: "database", title: "Database", right: true, by: (row) => num(row.database_bytes), cell: (row) => bytes(row.database_bytes) },
  {
    key: "took",
    title: "Took",
    right: true,
    by: (row) => num(row.ended_s) - num(row.started_s),
    cell: (row) => (num(row.ended_s) ? span(num(row.ended_s) - num(row.started_s)) : "–"),
  },
];

export function Backups() {
  const list = usePolled(async (signal) => (await call("Admin/ListBackups", {}, signal)).backups ?? [], [], POLL_S);
  return (
    <Panel title="Backups">
      {list.error ? <Fault error={list.error} again={list.again} /> : null}
      {list.value?.length ? (
        <Table label="Backups" columns={COLUMNS} rows={list.value} id={(row) => row.id ?? ""} />
      ) : list.busy && !list.value ? (
        <Loading what="backups" />
      ) : list.error ? null : (
        <Empty command="kaname admin backup FOLDER">
          No backup was made. One of the database and of all that it refers to, while the server runs:
        </Empty>
      )}
    </Panel>
  );
}
