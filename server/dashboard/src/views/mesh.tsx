// SPDX-License-Identifier: BSD-3-Clause
import { get } from "../api";
import type { MeshReport, MeshReport_Surface } from "../gen/kaname";
import { Histogram } from "../charts/histogram";
import { count, figure, num, short_id, uuid_of } from "../format";
import { link } from "../router";
import { newest_jobs } from "../state";
import { Empty, Fault, Figure, Loading, Panel, State, Tag } from "../widgets/basics";
import { type Column, Table } from "../widgets/table";
import { useRead } from "../widgets/use";

const ROUND_OFF = 1e-6; // of element sizes, and metres

export function MeshList() {
  const jobs = [...newest_jobs.value.values()].sort((a, b) => num(b.created_s) - num(a.created_s));
  return (
    <>
      <h1>Mesh</h1>
      <Panel title="Of which job?">
        {jobs.length ? (
          <ul class="lines">
            {jobs.map((job) => (
              <li key={job.name}>
                <a class="title" href={link(["mesh", uuid_of(job.name)])}>
                  {job.title}
                </a>
                <span class="id">{short_id(job.name)}</span>
                <State of={job.state} />
              </li>
            ))}
          </ul>
        ) : (
          <Empty command="kaname submit docs/examples/plane/plane.yaml --wait">Meshes come with jobs. A first one:</Empty>
        )}
      </Panel>
    </>
  );
}

const km = (value: number | undefined) => `${figure(num(value) / 1000)} km`;
const deg = (value: number | undefined) => `${num(value).toFixed(1)}°`;

/** Quality and fidelity of a job's mesh, from the report that it was made with. */
export function MeshView({ id }: { id: string }) {
  const got = useRead((signal) => get<MeshReport>(`v1/jobs/${id}/mesh`, signal), [id]);
  const mesh = got.value;
  const title = newest_jobs.value.get(`jobs/${id}`)?.title;
  return (
    <>
      <div class="heading">
        <div>
          <h1>Mesh{title ? ` of ${title}` : ""}</h1>
          <p class="quiet">
            job <a href={link(["jobs", id])}>{id}</a>
          </p>
        </div>
      </div>
      {got.error ? (
        got.error.code === 9 ? (
          <Empty>The mesh of this job is not made yet: {got.error.message}</Empty>
        ) : got.error.code === 5 ? (
          <Empty>{got.error.message}</Empty>
        ) : (
          <Fault error={got.error} again={got.again} />
        )
      ) : !mesh ? (
        <Loading what="the mesh's report" />
      ) : (
        <Report mesh={mesh} />
      )}
    </>
  );
}

function Report({ mesh }: { mesh: MeshReport }) {
  const angles = mesh.dihedral_histogram_10deg ?? [];
  const sizes = mesh.size_ratio_histogram_half_octaves ?? [];
  const flaws = [
    ["open faces", mesh.open_faces], ["crowded faces", mesh.crowded_faces], ["folded faces", mesh.folded_faces],
    ["unused vertices", mesh.unused_vertices],
  ].filter(([, n]) => num(n as number) > 0);
  return (
    <>
      <section class="panel figures" aria-label="Mesh">
        <dl>
          <Figure label="Elements" value={count(mesh.elements)} note={`${count(mesh.vertices)} vertices`} />
          <Figure label="Unknowns" value={count(mesh.dof)} note={`${count(mesh.nodes)} nodes`} />
          <Figure label="Smallest angle" value={deg(mesh.min_dihedral_deg)} note={`99.9 % above ${deg(mesh.p001_min_dihedral_deg)}`} />
          <Figure label="Largest angle" value={deg(mesh.max_dihedral_deg)} note="dihedral" />
          <Figure label="Edges" value={km(mesh.min_edge_m)} note={`to ${km(mesh.max_edge_m)}`} />
          <Figure
            label="Watertight"
            value={mesh.watertight ? "yes" : "no"}
            note={flaws.map(([what, n]) => `${n} ${what}`).join(", ") || "no flaw"}
            tone={mesh.watertight ? "ok" : "bad"}
          />
        </dl>
      </section>
      <div class="columns even">
        <Panel title="Dihedral angles">
          <Histogram
            label={`Histogram of dihedral angles; smallest ${deg(mesh.min_dihedral_deg)}, largest ${deg(mesh.max_dihedral_deg)}`}
            x_label="dihedral angle [degrees], counts on a logarithmic scale"
            edges={angles.map((_, i) => `${i * 10}`)}
            counts={angles}
            bad={(i) => i === 0 || i >= 17}
          />
        </Panel>
        {sizes.length ? (
          <Panel title="Sizes over what was asked for">
            <Histogram
              label="Histogram of element sizes over the sizes asked for"
              x_label="size / size asked for"
              edges={["<¼", "¼", "0.35", "½", "0.71", "1", "1.4", "2", "2.8", "≥4"]}
              counts={sizes}
            />
            {mesh.within_two_of_size !== undefined ? (
              <p class="quiet">{(100 * num(mesh.within_two_of_size)).toFixed(1)} % between half and twice of it.</p>
            ) : null}
          </Panel>
        ) : null}
      </div>
      {mesh.interfaces?.surfaces?.length ? (
        <Panel title="Interfaces: distance from the model, over the local element size">
          <Table label="Interfaces" columns={SURFACES} rows={mesh.interfaces.surfaces} id={(row) => row.name ?? ""} />
        </Panel>
      ) : null}
      {mesh.faults?.length ? (
        <Panel title="Faults">
          <ul class="lines">
            {mesh.faults.map((fault) => (
              <li key={fault.name}>
                <b>{fault.name || "fault"}</b>
                <span class="quiet">
                  {count(fault.faces)} faces, {figure(num(fault.area_m2) / 1e6)} km², {km(settled(fault.fault_top_depth_m))} to{" "}
                  {km(fault.bottom_depth_m)} deep, {count(fault.split_nodes)} nodes slip
                  {num(fault.pieces) > 1 ? `, ${fault.pieces} pieces` : ""}
                </span>
                {num(fault.orphan_nodes) || num(fault.stuck_faces) || num(fault.stray_faces) ? (
                  <Tag tone="warn">
                    {count(fault.orphan_nodes)} orphans, {count(fault.stuck_faces)} stuck, {count(fault.stray_faces)} stray
                  </Tag>
                ) : null}
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <Panel title="In words">
        <pre class="report" tabIndex={0} aria-label="Report in words">
          {mesh.text}
        </pre>
      </Panel>
    </>
  );
}

/** Distances that are round-off of coordinates are none. */
function settled(value: number | undefined): number | undefined {
  return value !== undefined && Math.abs(num(value)) < ROUND_OFF ? 0 : value;
}

const SURFACES: Column<MeshReport_Surface>[] = [
  {
    key: "name",
    title: "Surface",
    by: (row) => row.name ?? "",
    cell: (row) => (
      <>
        {row.name} {row.is_fault ? <Tag>fault</Tag> : null}
      </>
    ),
  },
  { key: "faces", title: "Faces", right: true, by: (row) => num(row.faces), cell: (row) => count(row.faces) },
  { key: "mean", title: "Mean", right: true, by: (row) => num(row.mean), cell: (row) => figure(settled(row.mean), 2) },
  { key: "p99", title: "99 %", right: true, by: (row) => num(row.p99), cell: (row) => figure(settled(row.p99), 2) },
  { key: "max", title: "Largest", right: true, by: (row) => num(row.max), cell: (row) => figure(settled(row.max), 2) },
  { key: "max_m", title: "Largest [m]", right: true, by: (row) => num(row.max_m), cell: (row) => figure(settled(row.max_m)) },
];
