// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from "preact/hooks";

import { call, get } from "../api";
import type { DatasetMap, DatasetMap_Source } from "../gen/kaname";
import { bytes, count, counted, degrees, epoch, motion, num, short_id, uuid_of } from "../format";
import { MapCanvas } from "../map/canvas";
import { nice_above } from "../map/colors";
import { make_scene, type Scene } from "../map/geometry";
import { land_of } from "../map/land";
import { Legend } from "../map/legend";
import { Slices } from "../map/slices";
import { slip_models } from "../map/slip_model";
import { link, place, set_query } from "../router";
import { newest_jobs, note } from "../state";
import { Empty, Fault, Loading, Panel, Tag } from "../widgets/basics";
import { FilterBar } from "../widgets/filter";
import { Rows } from "../widgets/rows";
import { useRead } from "../widgets/use";
import { EpochSlider } from "./epochs";
import { Series } from "./series";

/** Datasets to look at; those of jobs that still compute are shown by what is done. */
export function MapList() {
  const query = place.value.query;
  const words = ["name", "owner", "tag"].map((word) => [word, query.get(word) ?? ""] as const);
  const filter = words
    .filter(([, value]) => value)
    .map(([field, value]) => `${field} = "${value.replace(/"/g, "")}${field === "name" ? "*" : ""}"`)
    .join(" AND ");
  const list = useRead(async (signal) => call("Datasets/ListDatasets", { page_size: 100, filter }, signal), [filter]);
  const active = [...newest_jobs.value.values()].filter((job) => job.state === "ACTIVE" && num(job.counts?.done) > 0);
  return (
    <>
      <h1>Map</h1>
      <FilterBar words={["name", "owner", "tag"]} values={query} change={set_query} hint={{ name: "nankai" }} />
      {active.length ? (
        <Panel title="Being computed">
          <ul class="lines">
            {active.map((job) => (
              <li key={job.name}>
                <a class="title" href={link(["map", uuid_of(job.name)])}>
                  {job.title}
                </a>
                <span class="id">{short_id(job.name)}</span>
                <span class="quiet">{counted(job.counts?.done, "source")} so far</span>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <Panel title={list.value?.next_page_token ? `${count(list.value.datasets?.length)}+ datasets` : counted(list.value?.datasets?.length, "dataset")}>
        {list.error ? <Fault error={list.error} again={list.again} /> : null}
        {list.value?.datasets?.length ? (
          <ul class="lines">
            {list.value.datasets.map((item) => (
              <li key={item.name}>
                <a class="title" href={link(["map", uuid_of(item.name)])}>
                  {item.title}
                </a>
                <span class="id">{short_id(item.name)}</span>
                {item.complete ? null : <Tag tone="warn">{count(item.sources_done)} of {count(item.sources)}</Tag>}
                {item.pinned ? <Tag>pinned</Tag> : null}
                {(item.tags ?? []).map((tag) => (
                  <Tag key={tag}>{tag}</Tag>
                ))}
                <span class="quiet">
                  {item.physics}, {counted(item.sources, "source")}, {counted(item.stations, "station")}, {bytes(item.bytes)}
                </span>
              </li>
            ))}
          </ul>
        ) : list.busy ? (
          <Loading what="datasets" />
        ) : list.error ? null : filter ? (
          <Empty>No dataset matches.</Empty>
        ) : (
          <Empty command="kaname submit docs/examples/plane/plane.yaml --wait">No dataset is here yet. A first one:</Empty>
        )}
      </Panel>
    </>
  );
}

export function MapView({ id }: { id: string }) {
  const [partial, set_partial] = useState(false);
  const got = useRead(
    (signal) => get<DatasetMap>(`v1/datasets/${id}/map${partial ? "?partial=true" : ""}`, signal),
    [id, partial],
  );
  // A job that has not ended has no dataset yet: then the map shows the sources that are done.
  useEffect(() => {
    if (got.error?.code === 9 && !partial) set_partial(true);
  }, [got.error]);
  if (got.error && !(got.error.code === 9 && !partial)) {
    return (
      <>
        <h1>Map</h1>
        {got.error.code === 5 ? (
          <Empty>{got.error.message}</Empty>
        ) : got.error.code === 15 ? (
          <Empty>
            This dataset is damaged: {got.error.message} A retry of <a href={link(["jobs", id])}>its job</a> makes it anew.
          </Empty>
        ) : (
          <Fault error={got.error} again={got.again} />
        )}
      </>
    );
  }
  if (!got.value) return <Loading what="the map" />;
  return <Loaded id={id} map={got.value} partial={partial} again={got.again} />;
}

interface Choice extends DatasetMap_Source {
  patch: string;
}

function Loaded({ id, map, partial, again }: { id: string; map: DatasetMap; partial: boolean; again: () => void }) {
  const scene = useMemo(() => make_scene(map), [map]);
  const slices = useMemo(() => new Slices(`datasets/${id}`), [id, map.sha256]);
  const land = useRead(() => land_of(scene), [id, map.sha256]);
  const models = useRead((signal) => slip_models(id, map, scene, signal), [id, map.sha256]);
  const query = place.value.query;
  const sources: Choice[] = useMemo(
    () => (map.patches ?? []).flatMap((patch) => (patch.sources ?? []).map((source) => ({ ...source, patch: patch.id ?? "" }))),
    [map],
  );
  const first = sources.find((source) => source.status === "done") ?? sources[0];
  const source = sources.find((item) => item.id === query.get("source")) ?? first;
  const epochs = (map.epochs_s ?? []).map(num);
  const at = Math.min(Math.max(0, Number(query.get("epoch") ?? 0) || 0), Math.max(0, epochs.length - 1));
  const station = scene.stations.find((item) => item.id === query.get("station"));
  const shown = {
    vectors: query.get("vectors") !== "no", uplift: query.get("uplift") !== "no",
    contours: query.get("contours") !== "no", names: query.get("names") === "yes",
  };
  const per_slip = (map.units ?? "").includes("m-1");
  const { values, error, top } = useMotion(slices, source, at, epochs.length);
  const model = models.value?.find((item) => item.event === source?.id) ?? models.value?.[0];
  const with_slip = model && model.patches.length > 0 && query.get("slip") !== "no";
  const slip = useMemo(
    () => (with_slip ? model.patches.map((p) => ({ outline: p.outline, share: p.slip_m / (model.largest_m || 1) })) : null),
    [model, with_slip],
  );
  const choose = (found: { station?: string; patch?: string }) => {
    if (found.station) return set_query({ station: found.station });
    const of = sources.filter((item) => item.patch === found.patch);
    const same = of.find((item) => item.component === source?.component) ?? of[0];
    if (same) set_query({ source: same.id });
  };
  const name = source ? `${source.patch}${source.component ? `, ${source.component.replace("_", " ")}` : ""}` : "nothing";
  const status = map.status_counts;
  return (
    <>
      <div class="heading">
        <div>
          <h1>{map.title}</h1>
          <p class="quiet">
            {counted(sources.length, "source")}, {counted(scene.stations.length, "station")}, {counted(epochs.length, "epoch")} of job{" "}
            <a href={link(["jobs", id])}>{id.slice(0, 8)}</a>
          </p>
        </div>
        {partial ? (
          <div class="actions">
            <button type="button" onClick={again}>
              Read what came since
            </button>
          </div>
        ) : null}
      </div>
      {partial ? (
        <p class="banner warn">
          <span>This job has not ended: {counted(status?.done, "source")} done, {count(status?.missing)} missing.</span>
        </p>
      ) : num(status?.failed) || num(status?.missing) ? (
        <p class="banner warn">
          <span>
            This dataset is partial: {counted(status?.failed, "source")} failed, {count(status?.missing)} missing. They have no
            values.
          </span>
        </p>
      ) : null}
      <div class="map-view">
        <div class="map-main">
          <MapCanvas
            scene={scene}
            land={land.value}
            label={`Map of ${map.title}: motion of ${scene.stations.length} stations by ${name} at ${epochs.length ? epoch(epochs[at]!) : "no epoch"}.`}
            choose={choose}
            look={{
              patch: source?.patch ?? "", station: station?.id ?? "", values, top_horizontal: top.horizontal,
              top_vertical: top.vertical, show: shown, slip,
            }}
          />
          <Legend
            per_slip={per_slip}
            top_horizontal={top.horizontal}
            top_vertical={top.vertical}
            vectors={shown.vectors && values !== null}
            uplift={shown.uplift && values !== null}
            slip_m={with_slip ? model.largest_m : 0}
          />
          {epochs.length > 1 ? <EpochSlider epochs={epochs} at={at} choose={(next) => set_query({ epoch: next ? String(next) : undefined })} /> : null}
        </div>
        <div class="map-side">
          <Controls sources={sources} source={source} scene={scene} station={station?.id ?? ""} shown={shown} slip={model ? with_slip === true : null} />
          {land.error ? <p class="quiet">Without outlines of land: {land.error.message}</p> : null}
          {model?.why ? <p class="quiet">The slip model of {model.event} is not drawn: {model.why}.</p> : null}
          {source && source.status !== "done" ? (
            <p class="banner warn" role="status">
              <span>
                {name} {source.status === "failed" ? `failed${source.failure ? `: ${source.failure}` : ""}` : "is missing: it was not computed yet"}
              </span>
            </p>
          ) : null}
          {error ? <Fault error={error} again={() => note("Choose it again to read it again.")} /> : null}
          {station && source ? (
            <Series slices={slices} source={source.id ?? ""} station={station} epochs={epochs} at={at} per_slip={per_slip} geographic={scene.geographic} />
          ) : (
            <p class="quiet">Click a station for its motion in time, a patch for what its slip moves.</p>
          )}
        </div>
      </div>
      <Values scene={scene} values={values} per_slip={per_slip} title={`${name}, ${epochs.length ? epoch(epochs[at]!) : ""}`} />
    </>
  );
}

/** The chosen block, and the largest motion of its source over first and last epoch: scales stay while time goes. */
function useMotion(slices: Slices, source: Choice | undefined, at: number, n_epochs: number) {
  const [values, set_values] = useState<Float64Array | null>(null);
  const [error, set_error] = useState<Error | null>(null);
  const [top, set_top] = useState({ horizontal: 1, vertical: 1 });
  const id = source?.status === "done" ? (source.id ?? "") : "";
  useEffect(() => {
    let here = true;
    set_error(null);
    if (!id || n_epochs === 0) {
      set_values(null);
      return;
    }
    slices.epoch(id, at).then(
      (block) => {
        if (!here) return;
        set_values(block);
        if (at + 1 < n_epochs) void slices.epoch(id, at + 1).catch(() => {});
      },
      (fault) => {
        if (!here) return;
        set_values(null);
        set_error(fault);
      },
    );
    return () => {
      here = false;
    };
  }, [slices, id, at, n_epochs]);
  useEffect(() => {
    let here = true;
    if (!id || n_epochs === 0) return;
    Promise.all([slices.epoch(id, 0), slices.epoch(id, n_epochs - 1)]).then(
      (blocks) => {
        if (!here) return;
        let [horizontal, vertical] = [0, 0];
        for (const block of blocks) {
          for (let i = 0; i < block.length; i += 3) {
            const size = Math.hypot(block[i]!, block[i + 1]!);
            if (size > horizontal) horizontal = size;
            if (Math.abs(block[i + 2]!) > vertical) vertical = Math.abs(block[i + 2]!);
          }
        }
        set_top({ horizontal: horizontal || 1, vertical: nice_above(vertical) });
      },
      () => {},
    );
    return () => {
      here = false;
    };
  }, [slices, id, n_epochs]);
  return { values, error, top };
}

function Controls(props: {
  sources: Choice[];
  source: Choice | undefined;
  scene: Scene;
  station: string;
  shown: { vectors: boolean; uplift: boolean; contours: boolean; names: boolean };
  slip: boolean | null;
}) {
  const patches = [...new Set(props.sources.map((item) => item.patch))];
  const of = props.sources.filter((item) => item.patch === props.source?.patch);
  const choose_patch = (patch: string) => {
    const same = props.sources.filter((item) => item.patch === patch);
    const next = same.find((item) => item.component === props.source?.component) ?? same[0];
    set_query({ source: next?.id });
  };
  const shows: [string, string, boolean][] = [
    ["vectors", "vectors", props.shown.vectors],
    ["uplift", "uplift", props.shown.uplift],
    ["contours", "depth contours", props.shown.contours],
  ];
  return (
    <form class="map-controls" onSubmit={(e) => e.preventDefault()}>
      <label>
        {patches.length === props.sources.length ? "Source" : "Patch"}
        <select value={props.source?.patch} onChange={(e) => choose_patch(e.currentTarget.value)}>
          {patches.map((patch) => (
            <option key={patch}>{patch}</option>
          ))}
        </select>
      </label>
      {of.length > 1 ? (
        <fieldset class="choice">
          <legend>Component</legend>
          {of.map((item) => (
            <label key={item.id}>
              <input
                type="radio"
                name="component"
                checked={item.id === props.source?.id}
                onChange={() => set_query({ source: item.id })}
              />
              <span>
                {(item.component || (item.id ?? "")).replace("_", " ")}
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
      <label>
        Station
        <select value={props.station} onChange={(e) => set_query({ station: e.currentTarget.value || undefined })}>
          <option value="">none</option>
          {props.scene.stations.map((station) => (
            <option key={station.id}>{station.id}</option>
          ))}
        </select>
      </label>
      <fieldset class="checks">
        <legend>Show</legend>
        <div>
        {shows.map(([key, title, on]) => (
          <label key={key}>
            <input type="checkbox" checked={on} onChange={(e) => set_query({ [key]: e.currentTarget.checked ? undefined : "no" })} /> {title}
          </label>
        ))}
        <label>
          <input type="checkbox" checked={props.shown.names} onChange={(e) => set_query({ names: e.currentTarget.checked ? "yes" : undefined })} /> names
        </label>
        {props.slip === null ? null : (
          <label>
            <input type="checkbox" checked={props.slip} onChange={(e) => set_query({ slip: e.currentTarget.checked ? undefined : "no" })} /> slip model
          </label>
        )}
        </div>
      </fieldset>
    </form>
  );
}

function Values({ scene, values, per_slip, title }: { scene: Scene; values: Float64Array | null; per_slip: boolean; title: string }) {
  const [open, set_open] = useState(false);
  const unit = per_slip ? "per m of slip" : "";
  return (
    <details class="panel values" onToggle={(e) => set_open((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>Values at the stations {unit}</summary>
      {open ? (
        <>
          <p class="quiet">{title}</p>
          <Rows
            label="Values at the stations"
            head={["Station", "East", "North", "Up", "Place"]}
            count={scene.stations.length}
            height={30}
            id={(i) => scene.stations[i]!.id}
            row={(i) => {
              const station = scene.stations[i]!;
              const say = (k: number) => (values ? motion(values[3 * i + k]!, false) : "–");
              return (
                <>
                  <span role="cell" class="main">
                    <a
                      href={link(place.value.parts, { ...Object.fromEntries(place.value.query), station: station.id })}
                    >
                      {station.id}
                    </a>
                  </span>
                  <span role="cell" class="right">{say(0)}</span>
                  <span role="cell" class="right">{say(1)}</span>
                  <span role="cell" class="right">{say(2)}</span>
                  <span role="cell">{scene.geographic ? degrees(station.lon, station.lat) : ""}</span>
                </>
              );
            }}
          />
        </>
      ) : null}
    </details>
  );
}
