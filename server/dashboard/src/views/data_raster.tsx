// SPDX-License-Identifier: BSD-3-Clause
// A raster of motion towards a satellite with the points that stand for it, and the covariogram of its errors.
import { useMemo, useState } from "preact/hooks";

import { HUES } from "../charts/hues";
import { Plot } from "../charts/plot";
import type { Covariogram, RasterPoint, RasterView } from "../data/view_file";
import { count, counted, degrees, figure } from "../format";
import { MapCanvas } from "../map/canvas";
import { uplift_color } from "../map/colors";
import { make_scene, type Scene } from "../map/geometry";
import { land_of } from "../map/land";
import { Ramp } from "../map/legend";
import { edge_of, make_picture, value_at } from "../map/picture";
import { link, place, set_query } from "../router";
import { dark } from "../theme";
import { Figure, Panel } from "../widgets/basics";
import { Rows } from "../widgets/rows";
import { useRead } from "../widgets/use";

const DEGREE = Math.PI / 180;
const MARGIN = 0.03; // of the longer side

export function RasterData({ view }: { view: RasterView }) {
  const query = place.value.query;
  const shown = { raster: query.get("raster") !== "no", cells: query.get("cells") !== "no", means: query.get("means") === "yes" };
  const point = view.points.find((item) => item.id === query.get("point"));
  const scene = useMemo(() => scene_of(view), [view]);
  const land = useRead(() => land_of(scene), []);
  const is_dark = dark.value;
  const picture = useMemo(() => make_picture(scene, view, view.limit, is_dark), [scene, view, is_dark]);
  const means = useMemo(() => {
    if (!shown.means) return null;
    const of = new Map(view.points.map((item) => [item.id, item]));
    return scene.patches.map((patch) => ({
      outline: patch.outline, share: 0, color: uplift_color(of.get(patch.id)!.value, view.limit, is_dark),
    }));
  }, [scene, view, shown.means, is_dark]);
  const describe = ({ patch, station, at }: { patch?: string; station?: string; at: [number, number] | null }) => {
    const found = view.points.find((item) => item.id === (station ?? patch));
    const pixel = at && shown.raster ? value_at(view, at) : null;
    return [
      found ? `${found.id}: ${figure(found.value)} ± ${figure(found.sigma, 2)} ${view.unit}` : "",
      pixel === null ? "" : `pixel ${figure(pixel)} ${view.unit}`,
    ].filter(Boolean).join(", ");
  };
  const facts = useMemo(() => facts_of(view), [view]);
  const shows: [keyof typeof shown, string][] = [["raster", "raster"], ["cells", "cells of the points"], ["means", "means of the cells"]];
  const turn = (key: keyof typeof shown, on: boolean) => set_query({ [key]: on === (key !== "means") ? undefined : on ? "yes" : "no" });
  return (
    <>
      <div class="map-view">
        <div class="map-main">
          <MapCanvas
            scene={scene}
            land={land.value}
            label={`Raster of ${view.source} towards the satellite: ${view.rows} rows and ${view.columns} columns from ${facts.least} to ${facts.most} ${view.unit}, ${counted(view.points.length, "point")}.`}
            choose={(found) => set_query({ point: found.station ?? found.patch })}
            describe={describe}
            look={{
              patch: point?.id ?? "", station: point?.id ?? "", values: null, top_horizontal: 1, top_vertical: 1,
              show: { vectors: false, uplift: false, contours: false, names: false, outlines: shown.cells }, slip: means,
              picture: shown.raster ? picture : null,
            }}
          />
          <div class="legend">
            <div>
              <span>{figure(-view.limit)}</span>
              <Ramp color={(t) => uplift_color(2 * t - 1, 1, is_dark)} />
              <span>
                {figure(view.limit)} {view.unit} towards the satellite
              </span>
            </div>
            <div>
              <svg class="arrow to-satellite" viewBox="-9 -9 18 18" width="18" height="18" aria-hidden="true">
                <g transform={`rotate(${facts.azimuth.toFixed(1)})`}>
                  <path d="M0 7V-3" />
                  <path class="head" d="M0 -8l3.2 6h-6.4z" />
                </g>
              </svg>
              <span>to the satellite</span>
            </div>
          </div>
        </div>
        <div class="map-side">
          <form class="map-controls" onSubmit={(e) => e.preventDefault()}>
            <fieldset class="checks">
              <legend>Show</legend>
              <div>
                {shows.map(([key, title]) => (
                  <label key={key}>
                    <input type="checkbox" checked={shown[key]} onChange={(e) => turn(key, e.currentTarget.checked)} /> {title}
                  </label>
                ))}
              </div>
            </fieldset>
          </form>
          {land.error ? <p class="quiet">Without outlines of land: {land.error.message}</p> : null}
          <dl class="figures-row">
            <Figure label="Pixels" value={count(view.pixels)} note={`shown as ${view.rows} × ${view.columns}, ${facts.missing} missing`} />
            <Figure label="Points" value={count(view.points.length)} note={facts.sigmas ? `σ ${facts.sigmas} ${view.unit}` : undefined} />
            <Figure label="Values" value={`${facts.least} to ${facts.most}`} note={`${view.unit}, of what is shown`} />
            <Figure label="Look" value={`${facts.incidence.toFixed(1)}° from the vertical`} note={`to the satellite, ${facts.azimuth.toFixed(0)}° from north`} />
          </dl>
          <Chosen point={point} unit={view.unit} />
          {view.covariogram ? <Errors of={view.covariogram} unit={view.unit} /> : <p class="quiet">Its errors have no covariogram.</p>}
        </div>
      </div>
      {view.notes.length ? (
        <Panel title="Notes">
          <ul class="quiet notes-list">
            {view.notes.map((note, i) => (
              <li key={i}>{note}</li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <Points view={view} />
    </>
  );
}

/** Cells as patches of the map, points without one as stations; all of the raster is seen at first. */
function scene_of(view: RasterView): Scene {
  const made = make_scene({
    geographic: true,
    projection: { lon_deg: 0.5 * (view.west_deg + view.east_deg), lat_deg: 0.5 * (view.south_deg + view.north_deg) },
    stations: view.points.filter((item) => !item.outline.length).map(({ id, lon_deg, lat_deg }) => ({ id, lon_deg, lat_deg })),
    patches: view.points.filter((item) => item.outline.length).map((item) => ({
      id: item.id, lon_deg: item.lon_deg, lat_deg: item.lat_deg,
      outline_lon_deg: item.outline.map((corner) => corner[0]), outline_lat_deg: item.outline.map((corner) => corner[1]),
    })),
  });
  const edge = edge_of(made, view);
  const [xs, ys] = [edge.map((p) => p.x), edge.map((p) => p.y)];
  const [west, north, east, south] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const margin = MARGIN * Math.max(east - west, south - north);
  return {
    ...made,
    patches: made.patches.map((patch) => ({ ...patch, flat: true })),
    extent: edge.length ? [west - margin, north - margin, east + margin, south + margin] : made.extent,
  };
}

function facts_of(view: RasterView) {
  let [least, most, missing] = [Infinity, -Infinity, 0];
  for (const value of view.values) {
    if (value === null) missing += 1;
    else [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  const sigmas = view.points.map((item) => item.sigma);
  const fold = (f: (a: number, b: number) => number) => figure(sigmas.reduce((a, b) => f(a, b)), 2);
  const [east, north, up] = view.look as [number, number, number];
  return {
    least: figure(least), most: figure(most), missing: count(missing),
    sigmas: sigmas.length ? `${fold(Math.min)} to ${fold(Math.max)}` : "",
    incidence: Math.acos(Math.min(1, Math.max(-1, up))) / DEGREE,
    azimuth: (Math.atan2(east, north) / DEGREE + 360) % 360,
  };
}

function Chosen({ point, unit }: { point: RasterPoint | undefined; unit: string }) {
  if (!point) return <p class="quiet">Click a cell for its point.</p>;
  return (
    <section aria-label={`Point ${point.id}`} class="series">
      <h2>{point.id}</h2>
      <p>
        {figure(point.value)} ± {figure(point.sigma, 2)} {unit}
      </p>
      <p class="quiet">
        {degrees(point.lon_deg, point.lat_deg)}, the mean of {counted(point.pixels, "pixel")}
      </p>
    </section>
  );
}

const square = (unit: string) => (unit.includes("/") ? `(${unit})²` : `${unit}²`);

function Errors({ of, unit }: { of: Covariogram; unit: string }) {
  const said = `${of.model}, ${figure(Math.sqrt(of.sill))} ${unit} over ${figure(of.length_km)} km, nugget ${figure(Math.sqrt(of.nugget))} ${unit}`;
  const estimated = of.observed.some((value) => value !== null);
  return (
    <section aria-label="Covariogram of the errors">
      <h2>Covariogram of the errors</h2>
      <p class="quiet">{said}</p>
      <Plot
        label={`Covariance of errors by distance: ${said}`}
        x={of.lag_km}
        x_label="distance [km]"
        y_label={square(unit)}
        height={210}
        curves={[
          ...(estimated ? [{ label: "pixels off the deformation", values: of.observed, color: HUES[0]!, dots: 5 }] : []),
          { label: of.model, values: of.fitted, color: HUES[1]!, points: false },
        ]}
      />
    </section>
  );
}

function Points({ view }: { view: RasterView }) {
  const [open, set_open] = useState(false);
  return (
    <details class="panel values" onToggle={(e) => set_open((e.currentTarget as HTMLDetailsElement).open)}>
      <summary>
        {counted(view.points.length, "point")} [{view.unit}]
      </summary>
      {open ? (
        <Rows
          label={`Points of the raster, values in ${view.unit}`}
          head={["Point", "Value", "σ", "Pixels", "Place"]}
          count={view.points.length}
          height={30}
          id={(i) => String(i)}
          row={(i) => {
            const point = view.points[i]!;
            return (
              <>
                <span role="cell" class="main">
                  <a href={link(place.value.parts, { ...Object.fromEntries(place.value.query), point: point.id })}>{point.id}</a>
                </span>
                <span role="cell" class="right">{figure(point.value)}</span>
                <span role="cell" class="right">{figure(point.sigma, 2)}</span>
                <span role="cell" class="right">{count(point.pixels)}</span>
                <span role="cell">{degrees(point.lon_deg, point.lat_deg)}</span>
              </>
            );
          }}
        />
      ) : null}
    </details>
  );
}
