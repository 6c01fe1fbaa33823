// SPDX-License-Identifier: BSD-3-Clause
// Patches of a scenario's slip model for the map: rectangles of the specification, and tables by patches or
// corners (docs/user/slip_models.md). Other formats are named, and read by the solvers alone.
import { call, get } from "../api";
import type { DatasetMap, GreensBatch, SlipEvent } from "../gen/kaname";
import { num } from "../format";
import type { Point, Scene } from "./geometry";

export interface SlipPatch {
  outline: Point[];
  slip_m: number;
}
export interface SlipModel {
  event: string;
  patches: SlipPatch[];
  largest_m: number;
  /** Why there are none; empty: there are. */
  why: string;
}

const MOST_BYTES = 8e6;
const DEGREE = Math.PI / 180;

/** Corners of a rectangle by its centre: along strike, and down dip to the right of it. */
function rectangle(scene: Scene, lon: number, lat: number, length_km: number, width_km: number, strike: number, dip: number) {
  const centre = scene.project(lon, lat);
  const up = scene.project(lon, lat + 0.01);
  if (!centre || !up) return [];
  const turn = scene.geographic ? Math.atan2(up.x - centre.x, -(up.y - centre.y)) : 0;
  const azimuth = strike * DEGREE + turn;
  const along = { x: Math.sin(azimuth), y: -Math.cos(azimuth) };
  const down = { x: -along.y, y: along.x };
  const [a, b] = [length_km / 2, (width_km / 2) * Math.cos(dip * DEGREE)];
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, d]) => ({
    x: centre.x + a * s! * along.x + b * d! * down.x,
    y: centre.y + a * s! * along.y + b * d! * down.y,
  }));
}

function of_table(scene: Scene, text: string): SlipPatch[] | string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() && !line.startsWith("#"));
  const names = (lines.shift() ?? "").split(",").map((name) => name.trim());
  const column = (name: string) => names.indexOf(name);
  const km = (row: string[], stem: string) => {
    const at = column(`${stem}_km`);
    return at >= 0 ? Number(row[at]) : Number(row[column(`${stem}_m`)]) / 1000;
  };
  const slip = column("slip_m");
  if (slip < 0) return "it is in a format that this page does not draw";
  const rows = lines.map((line) => line.split(",").map((word) => word.trim()));
  if (column("lon_centre_deg") >= 0) {
    return rows.map((row) => ({
      outline: rectangle(
        scene, Number(row[column("lon_centre_deg")]), Number(row[column("lat_centre_deg")]), km(row, "length"),
        km(row, "width"), Number(row[column("strike_deg")]), Number(row[column("dip_deg")]),
      ),
      slip_m: Number(row[slip]),
    }));
  }
  if (column("lon0_deg") >= 0) {
    return rows.map((row) => ({
      outline: [0, 1, 2, 3].flatMap((i) => {
        const at = scene.project(Number(row[column(`lon${i}_deg`)]), Number(row[column(`lat${i}_deg`)]));
        return at ? [at] : [];
      }),
      slip_m: Number(row[slip]),
    }));
  }
  return "it is in a format that this page does not draw";
}

async function of_event(scene: Scene, event: SlipEvent, signal: AbortSignal): Promise<SlipModel> {
  const scale = num(event.scale) || 1;
  let patches: SlipPatch[] = [];
  let why = "";
  if (event.patches?.length) {
    patches = event.patches.map((part) => ({
      outline: rectangle(
        scene, num(part.lon_deg), num(part.lat_deg), num(part.length_m) / 1000, num(part.width_m) / 1000,
        num(part.strike_deg), num(part.dip_deg),
      ),
      slip_m: num(part.slip_m),
    }));
  } else if (event.slip_model?.sha256) {
    const path = event.slip_model.path ?? "its slip model";
    const answer = await fetch(`v1/artifacts/${event.slip_model.sha256}`, { signal });
    if (!answer.ok) why = `${path} cannot be read: HTTP ${answer.status}`;
    else if (num(answer.headers.get("Content-Length")) > MOST_BYTES) why = `${path} is too large to be drawn`;
    else {
      const read = of_table(scene, await answer.text());
      if (typeof read === "string") why = `${path}: ${read}`;
      else patches = read;
    }
  } else why = "it has no slip of its own";
  patches = patches.filter((patch) => patch.outline.length > 2 && Number.isFinite(patch.slip_m));
  for (const patch of patches) patch.slip_m *= scale;
  const largest_m = patches.reduce((most, patch) => Math.max(most, patch.slip_m), 0);
  return { event: event.name ?? "", patches, largest_m, why };
}

/** Slip models of a scenario's events; none of what is no scenario. */
export async function slip_models(id: string, map: DatasetMap, scene: Scene, signal: AbortSignal): Promise<SlipModel[]> {
  if (!map.events?.length) return [];
  const job = await call("Jobs/GetJob", { name: `jobs/${id}` }, signal);
  if (!job.spec_sha256) return [];
  const batch = await get<GreensBatch>(`v1/artifacts/${job.spec_sha256}`, signal);
  return Promise.all((batch.events ?? []).map((event) => of_event(scene, event, signal)));
}
