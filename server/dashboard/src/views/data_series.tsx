// SPDX-License-Identifier: BSD-3-Clause
// Stations of fitted series on a map, and the chosen one: observation, fit and residual in east, north and up.
import { useMemo, useState } from "preact/hooks";

import { HUES } from "../charts/hues";
import { Plot } from "../charts/plot";
import type { Amount, SeriesView, StationSeries, Step } from "../data/view_file";
import { count, counted, degrees, figure, trim } from "../format";
import { MapCanvas } from "../map/canvas";
import { nice_above } from "../map/colors";
import { make_scene } from "../map/geometry";
import { land_of } from "../map/land";
import { Legend } from "../map/legend";
import { link, place, set_query } from "../router";
import { Panel, Tag } from "../widgets/basics";
import { Rows } from "../widgets/rows";
import { type Column, Table } from "../widgets/table";
import { useRead } from "../widgets/use";

const NAMES = ["east", "north", "up"];
const MM = 1e-3;
const MJD_2000 = 51544;
const MJD_1970 = 40587;
const DAY_MS = 86_400_000;
const DAYS_OF_YEAR = 365.25;
const GREY = { light: "#7a8894", dark: "#7d8d99" };
const [OBSERVED, EARTHQUAKE, FIT, LEFT_OUT] = [HUES[0]!, HUES[1]!, HUES[2]!, HUES[3]!];

const year_text = (year: number) => trim(year, 2);
const year_of = (mjd: number) => 2000 + (mjd - MJD_2000) / DAYS_OF_YEAR;
const day_of = (mjd: number) => new Date((mjd - MJD_1970) * DAY_MS).toISOString().slice(0, 10);
const with_sigma = (of: Amount, k: number) => `${figure(of.amount[k])} ± ${figure(of.sigma[k], 2)}`;
const placed = (station: StationSeries) => station.lon_deg !== null && station.lat_deg !== null;
const place_of = (station: StationSeries) =>
  station.lon_deg !== null && station.lat_deg !== null ? degrees(station.lon_deg, station.lat_deg) : "without a place";

export function SeriesData({ view }: { view: SeriesView }) {
  const query = place.value.query;
  const station = view.stations.find((item) => item.id === query.get("station")) ?? view.stations[0]!;
  const scene = useMemo(
    () =>
      make_scene({
        geographic: true,
        stations: view.stations.map((item) => ({ id: item.id, lon_deg: item.lon_deg ?? undefined, lat_deg: item.lat_deg ?? undefined })),
      }),
    [view],
  );
  const land = useRead(() => land_of(scene), []);
  const earthquakes = useMemo(
    () => [...new Set(view.stations.flatMap((item) => item.steps.filter((step) => step.earthquake).map((step) => step.name)))].sort(),
    [view],
  );
  const wanted = query.get("arrows") ?? "rate";
  const arrows = wanted === "none" || earthquakes.includes(wanted) ? wanted : "rate";
  const motion = useMemo(() => motion_of(view, arrows), [view, arrows]);
  const said = arrows === "none" ? "no motion" : arrows === "rate" ? "rates" : `steps of ${arrows}`;
  return (
    <>
      <div class="data-view">
        <div class="map-main">
          {view.stations.some(placed) ? (
            <>
              <MapCanvas
                scene={scene}
                land={land.value}
                label={`Map of ${view.stations.length} stations with ${said}; ${station.id} is chosen.`}
                choose={(found) => found.station && set_query({ station: found.station })}
                look={{
                  patch: "", station: station.id, values: motion.values, top_horizontal: motion.horizontal, top_vertical: motion.vertical,
                  show: { vectors: true, uplift: true, contours: false, names: view.stations.length <= 30 }, slip: null,
                }}
              />
              <Legend
                per_slip={false}
                per={arrows === "rate" ? "/year" : ""}
                top_horizontal={motion.horizontal}
                top_vertical={motion.vertical}
                vectors={motion.values !== null}
                uplift={motion.values !== null}
                slip_m={0}
              />
            </>
          ) : (
            <p class="empty">No station of this file has a place: there is no map.</p>
          )}
          <form class="map-controls data-controls" onSubmit={(e) => e.preventDefault()}>
            <label>
              Station
              <select value={station.id} onChange={(e) => set_query({ station: e.currentTarget.value })}>
                {view.stations.map((item) => (
                  <option key={item.id}>{item.id}</option>
                ))}
              </select>
            </label>
            <label>
              Arrows
              <select value={arrows} onChange={(e) => set_query({ arrows: e.currentTarget.value })}>
                <option value="rate">rate</option>
                {earthquakes.map((name) => (
                  <option key={name} value={name}>
                    step of {name}
                  </option>
                ))}
                <option value="none">none</option>
              </select>
            </label>
          </form>
          {land.error ? <p class="quiet">Without outlines of land: {land.error.message}</p> : null}
        </div>
        <Station key={station.id} station={station} />
      </div>
      <Stations view={view} />
    </>
  );
}

/** Rates or steps of all stations in m, NaN where a station has none, and the largest of them. */
function motion_of(view: SeriesView, arrows: string) {
  if (arrows === "none") return { values: null, horizontal: 1, vertical: 1 };
  const values = new Float64Array(3 * view.stations.length).fill(NaN);
  let [horizontal, vertical] = [0, 0];
  view.stations.forEach((station, i) => {
    const of = arrows === "rate" ? station.rate : station.steps.find((step) => step.name === arrows)?.amount;
    if (!of) return;
    for (let k = 0; k < 3; ++k) values[3 * i + k] = MM * of[k]!;
    horizontal = Math.max(horizontal, MM * Math.hypot(of[0]!, of[1]!));
    vertical = Math.max(vertical, MM * Math.abs(of[2]!));
  });
  return { values, horizontal: horizontal || 1, vertical: nice_above(vertical) };
}

function Station({ station }: { station: StationSeries }) {
  const raw = place.value.query.get("rate") === "yes";
  const x = useMemo(() => station.mjd.map(year_of), [station]);
  const marks = station.steps.map((step) => ({ x: year_of(step.mjd), color: step.earthquake ? EARTHQUAKE : GREY }));
  return (
    <Panel
      title={station.id}
      class="data-station"
      actions={
        <label class="inline">
          <input type="checkbox" checked={!raw} onChange={(e) => set_query({ rate: e.currentTarget.checked ? undefined : "yes" })} />
          less its rate
        </label>
      }
    >
      <p class="quiet">
        {place_of(station)}. {counted(station.epochs, "epoch")}, {day_of(station.mjd[0]!)} to {day_of(station.mjd.at(-1)!)};{" "}
        {station.epochs_used === station.epochs ? "all fitted" : `${count(station.epochs - station.epochs_used)} left out of the fit`}
        {station.mjd.length < station.epochs ? `; ${count(station.mjd.length)} are drawn, with the extremes of the others` : ""}.
      </p>
      {NAMES.map((name, k) => (
        <Component key={name} station={station} name={name} k={k} x={x} marks={marks} raw={raw} />
      ))}
      <p class="quiet">
        Vertical lines: <span class="earthquake">earthquakes</span>, <span class="equipment">changes of equipment</span>. Epochs
        left out of the fit that lie beyond an axis stand at its end.
      </p>
      <Terms station={station} />
      {station.notes.length ? (
        <ul class="quiet notes-list">
          {station.notes.map((note, i) => (
            <li key={i}>{note}</li>
          ))}
        </ul>
      ) : null}
      <Epochs station={station} />
    </Panel>
  );
}

function Component(props: {
  station: StationSeries;
  name: string;
  k: number;
  x: number[];
  marks: { x: number; color: { light: string; dark: string } }[];
  raw: boolean;
}) {
  const { station, name, k, x, raw } = props;
  const rate = { amount: station.rate, sigma: station.rate_sigma };
  const shown = useMemo(() => {
    const slope = raw ? 0 : station.rate[k]!;
    const middle = 0.5 * (x[0]! + x.at(-1)!);
    const less = (values: number[]) => values.map((value, i) => value - slope * (x[i]! - middle));
    const [observed, fitted] = [less(station.observed[k]!), less(station.fitted[k]!)];
    const level = raw ? 0 : median(observed.filter((_, i) => !station.left_out.has(i)));
    return {
      ...split(observed.map((value) => value - level), station.left_out),
      fitted: fitted.map((value) => value - level),
      rest: split(station.residual[k]!, station.left_out),
    };
  }, [station, k, raw, x]);
  const curves = (parts: { used: (number | null)[]; out: (number | null)[] }) => [
    { label: "observed", values: parts.used, color: OBSERVED, dots: 2.5 },
    ...(station.left_out.size ? [{ label: "left out", values: parts.out, color: LEFT_OUT, dots: 4 }] : []),
  ];
  return (
    <section class="data-component" aria-label={name}>
      <h3>
        {name} <span class="quiet">{with_sigma(rate, k)} mm/year</span>
      </h3>
      <Plot
        label={`${station.id}, ${name}${raw ? "" : " less its rate"}: ${counted(x.length, "epoch")} and their fit, with ${counted(props.marks.length, "step")}`}
        x={x} x_label="year" x_text={year_text} y_label="mm" height={190} marks={props.marks} range={shown.range}
        curves={[...curves(shown), { label: "fit", values: shown.fitted, color: FIT, points: false }]}
      />
      <Plot
        label={`${station.id}, ${name}: residual, from ${figure(shown.rest.range[0])} to ${figure(shown.rest.range[1])} mm`}
        x={x} x_label="year" x_text={year_text} y_label="residual [mm]" height={130} marks={props.marks} range={shown.rest.range} bare
        curves={curves(shown.rest)}
      />
    </section>
  );
}

/** Values that were fitted and others, the latter within the ends that the former need. */
function split(values: number[], out: Set<number>) {
  let [low, high] = [Infinity, -Infinity];
  values.forEach((value, i) => {
    if (out.has(i)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  if (low > high) [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = 0.06 * (high - low) || 1;
  const range: [number, number] = [low - margin, high + margin];
  return {
    used: values.map((value, i) => (out.has(i) ? null : value)),
    out: values.map((value, i) => (out.has(i) ? Math.min(range[1], Math.max(range[0], value)) : null)),
    range,
  };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1]! : 0;
}

interface Term extends Amount {
  key: string;
  title: string;
  kind: string;
}

const TERMS: Column<Term>[] = [
  {
    key: "title",
    title: "Term",
    by: (row) => row.title,
    cell: (row) => (
      <>
        {row.title} <Tag>{row.kind}</Tag>
      </>
    ),
  },
  ...NAMES.map(
    (name, k): Column<Term> => ({
      key: name, title: `${name} [mm]`, right: true, by: (row) => row.amount[k]!, cell: (row) => with_sigma(row, k),
    }),
  ),
];

function Terms({ station }: { station: StationSeries }) {
  const kind = (step: Step) => (step.earthquake ? "earthquake" : step.about);
  const rows: Term[] = [
    ...station.steps.map((step) => ({ key: `s${step.name}`, title: `step of ${step.name}`, kind: kind(step), amount: step.amount, sigma: step.sigma })),
    ...station.relaxations.map((item) => ({
      key: `r${item.name}`, title: `${item.law} after ${item.name}`, kind: `${figure(item.days)} days`, amount: item.amount, sigma: item.sigma,
    })),
  ];
  return rows.length ? <Table label={`Steps of ${station.id}`} columns={TERMS} rows={rows} id={(row) => row.key} /> : null;
}

function Epochs({ station }: { station: StationSeries }) {
  const [open, set_open] = useState(false);
  const say = (k: number, i: number) => (
    <>
      {station.observed[k]![i]!.toFixed(2)} <em>({station.residual[k]![i]!.toFixed(2)})</em>
    </>
  );
  return (
    <details class="values" onToggle={(e) => set_open((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>Values that are drawn, with their residuals [mm]</summary>
      {open ? (
        <div class="epoch-rows">
          <Rows
            label={`Epochs of ${station.id}: observed since the first one, and the residual in brackets, in mm`}
            head={["Day", "East", "North", "Up", "In the fit"]}
            count={station.mjd.length}
            height={30}
            id={(i) => String(i)}
            row={(i) => (
              <>
                <span role="cell">{day_of(station.mjd[i]!)}</span>
                <span role="cell" class="right">{say(0, i)}</span>
                <span role="cell" class="right">{say(1, i)}</span>
                <span role="cell" class="right">{say(2, i)}</span>
                <span role="cell">{station.left_out.has(i) ? "left out" : "used"}</span>
              </>
            )}
          />
        </div>
      ) : null}
    </details>
  );
}

function Stations({ view }: { view: SeriesView }) {
  const [open, set_open] = useState(false);
  return (
    <details class="panel values" onToggle={(e) => set_open((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>Rates of {counted(view.stations.length, "station")} [mm/year]</summary>
      {open ? (
        <Rows
          label="Rates of the stations in mm/year"
          head={["Station", "East", "North", "Up", "Place"]}
          count={view.stations.length}
          height={30}
          id={(i) => String(i)}
          row={(i) => {
            const station = view.stations[i]!;
            const rate = { amount: station.rate, sigma: station.rate_sigma };
            return (
              <>
                <span role="cell" class="main">
                  <a href={link(place.value.parts, { ...Object.fromEntries(place.value.query), station: station.id })}>{station.id}</a>
                </span>
                <span role="cell" class="right">{with_sigma(rate, 0)}</span>
                <span role="cell" class="right">{with_sigma(rate, 1)}</span>
                <span role="cell" class="right">{with_sigma(rate, 2)}</span>
                <span role="cell">{place_of(station)}</span>
              </>
            );
          }}
        />
      ) : null}
    </details>
  );
}
