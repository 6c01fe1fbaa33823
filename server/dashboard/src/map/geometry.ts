// SPDX-License-Identifier: BSD-3-Clause
// A dataset's map in kilometres: x right, y down, azimuthal equidistant about the model's centre (as the
// model itself), so that true north is up there and the box is a rectangle.
import { geoAzimuthalEquidistant } from "d3-geo";

import type { DatasetMap, DatasetMap_Patch } from "../gen/kaname";
import { num } from "../format";

const EARTH_KM = 6371;

export interface Point {
  x: number;
  y: number;
}
export interface Station extends Point {
  id: string;
  lon: number;
  lat: number;
  depth_m: number;
}
export interface Patch {
  id: string;
  /** Corners that go round; empty: it has none on the map. */
  outline: Point[];
  depths_m: number[];
  centre: Point | null;
  of: DatasetMap_Patch;
  /** An area of the ground, which has no upper edge. */
  flat?: boolean;
}
export interface Line {
  depth_km: number;
  ends: [Point, Point][];
}
export interface Scene {
  geographic: boolean;
  project: (lon: number, lat: number) => Point | null;
  invert: (point: Point) => [number, number] | null;
  projection: ReturnType<typeof geoAzimuthalEquidistant> | null;
  stations: Station[];
  patches: Patch[];
  box: Point[];
  contours: Line[];
  centre: Point;
  /** West, north, east and south of what is shown at first. */
  extent: [number, number, number, number];
}

function mean_place(map: DatasetMap): [number, number] {
  const places = [...(map.stations ?? []), ...(map.patches ?? [])].filter((p) => p.lon_deg !== undefined);
  let [x, y, z] = [0, 0, 0];
  for (const place of places) {
    const [lon, lat] = [(num(place.lon_deg) * Math.PI) / 180, (num(place.lat_deg) * Math.PI) / 180];
    x += Math.cos(lat) * Math.cos(lon);
    y += Math.cos(lat) * Math.sin(lon);
    z += Math.sin(lat);
  }
  return [(Math.atan2(y, x) * 180) / Math.PI, (Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI];
}

export function make_scene(map: DatasetMap): Scene {
  const geographic = map.geographic ?? false;
  const [lon, lat] = map.projection
    ? [num(map.projection.lon_deg), num(map.projection.lat_deg)]
    : mean_place(map);
  const projection = geographic
    ? geoAzimuthalEquidistant().scale(EARTH_KM).translate([0, 0]).rotate([-lon, -lat]).clipAngle(75).precision(0.3)
    : null;
  const project = (a: number, b: number): Point | null => {
    if (!projection) return { x: a / 1000, y: -b / 1000 };
    const at = projection([a, b]);
    return at ? { x: at[0], y: at[1] } : null;
  };
  const place = (of: { lon_deg?: number; lat_deg?: number; x_m?: number; y_m?: number }): Point | null => {
    const [a, b] = geographic ? [of.lon_deg, of.lat_deg] : [of.x_m, of.y_m];
    if (a === undefined || b === undefined || !Number.isFinite(num(a)) || !Number.isFinite(num(b))) return null;
    return project(num(a), num(b));
  };
  const stations: Station[] = (map.stations ?? []).map((station) => ({
    ...(place(station) ?? { x: NaN, y: NaN }),
    id: station.id ?? "",
    lon: num(station.lon_deg ?? station.x_m),
    lat: num(station.lat_deg ?? station.y_m),
    depth_m: num(station.depth_m),
  }));
  const patches: Patch[] = (map.patches ?? []).map((patch) => {
    const a = (geographic ? patch.outline_lon_deg : patch.outline_x_m) ?? [];
    const b = (geographic ? patch.outline_lat_deg : patch.outline_y_m) ?? [];
    const corners = a.map((value, i) =>
      Number.isFinite(num(value)) && Number.isFinite(num(b[i])) ? project(num(value), num(b[i])) : null,
    );
    const whole = corners.length >= 3 && corners.every((corner) => corner !== null);
    return {
      id: patch.id ?? "",
      outline: whole ? (corners as Point[]) : [],
      depths_m: (patch.outline_depth_m ?? []).map(num),
      centre: place(patch),
      of: patch,
    };
  });
  const lons = map.projection?.box_lon_deg ?? [];
  const lats = map.projection?.box_lat_deg ?? [];
  const box = lons.map((value, i) => project(num(value), num(lats[i]))).filter((p): p is Point => p !== null);
  return {
    geographic,
    project,
    invert: (p) => (projection ? (projection.invert?.([p.x, p.y]) ?? null) : [p.x * 1000, -p.y * 1000]),
    projection,
    stations,
    patches,
    box,
    contours: contours_of(patches),
    centre: { x: 0, y: 0 },
    extent: extent_of(stations, patches, box),
  };
}

function extent_of(stations: Station[], patches: Patch[], box: Point[]): [number, number, number, number] {
  let points: Point[] = [...stations.filter((s) => Number.isFinite(s.x)), ...patches.flatMap((p) => p.outline)];
  if (points.length === 0) points = box.length ? box : [{ x: -100, y: -100 }, { x: 100, y: 100 }];
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const fold = (values: number[], f: (a: number, b: number) => number) => values.reduce((a, b) => f(a, b));
  const [west, east] = [fold(xs, Math.min), fold(xs, Math.max)];
  const [north, south] = [fold(ys, Math.min), fold(ys, Math.max)];
  const margin = 0.08 * Math.max(east - west, south - north, 10);
  return [west - margin, north - margin, east + margin, south + margin];
}

const STEPS_KM = [1, 2, 5, 10, 20, 50];

/** Lines of equal depth over the patches: linear in the two triangles of each outline. */
function contours_of(patches: Patch[]): Line[] {
  const bent = patches.filter((patch) => patch.outline.length === 4 && patch.depths_m.length === 4);
  const depths = bent.flatMap((patch) => patch.depths_m).map((d) => d / 1000);
  if (bent.length < 2) return [];
  const [low, high] = [depths.reduce((a, b) => Math.min(a, b)), depths.reduce((a, b) => Math.max(a, b))];
  const step = STEPS_KM.find((s) => (high - low) / s <= 9) ?? 100;
  const lines: Line[] = [];
  for (let level = Math.ceil(low / step) * step; level <= high; level += step) {
    const ends: [Point, Point][] = [];
    for (const patch of bent) {
      for (const corners of [[0, 1, 2], [0, 2, 3]]) {
        const cut = corners.flatMap((i, k) => {
          const j = corners[(k + 1) % 3]!;
          const [a, b] = [patch.depths_m[i]! / 1000 - level, patch.depths_m[j]! / 1000 - level];
          if (a < 0 === b < 0) return [];
          const t = a / (a - b);
          const [p, q] = [patch.outline[i]!, patch.outline[j]!];
          return [{ x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y) }];
        });
        if (cut.length === 2) ends.push([cut[0]!, cut[1]!]);
      }
    }
    if (ends.length) lines.push({ depth_km: level, ends });
  }
  return lines;
}

function inside(outline: Point[], at: Point): boolean {
  let odd = false;
  outline.forEach((p, i) => {
    const q = outline[(i + 1) % outline.length]!;
    if (p.y > at.y !== q.y > at.y && at.x < ((q.x - p.x) * (at.y - p.y)) / (q.y - p.y) + p.x) odd = !odd;
  });
  return odd;
}

/** Returns the object at a place: a station within `reach` [km], else the smallest patch around it. */
export function hit(scene: Scene, at: Point, reach: number): { station?: Station; patch?: Patch } {
  let nearest: Station | undefined;
  let least = reach;
  for (const station of scene.stations) {
    const away = Math.hypot(station.x - at.x, station.y - at.y);
    if (away < least) {
      least = away;
      nearest = station;
    }
  }
  if (nearest) return { station: nearest };
  const around = scene.patches.filter((patch) => patch.outline.length && inside(patch.outline, at));
  const area = (patch: Patch) =>
    Math.abs(patch.outline.reduce((sum, p, i) => {
      const q = patch.outline[(i + 1) % patch.outline.length]!;
      return sum + p.x * q.y - q.x * p.y;
    }, 0));
  if (around.length) return { patch: around.reduce((a, b) => (area(b) < area(a) ? b : a)) };
  // A patch that stands upright is a line on the map.
  const upright = scene.patches.find((patch) => patch.outline.length && along(patch.outline, at) < reach);
  return upright ? { patch: upright } : {};
}

function along(outline: Point[], at: Point): number {
  const [p, q] = [outline[0]!, outline[1]!];
  const [dx, dy] = [q.x - p.x, q.y - p.y];
  const t = Math.min(1, Math.max(0, ((at.x - p.x) * dx + (at.y - p.y) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(p.x + t * dx - at.x, p.y + t * dy - at.y);
}

/** Direction of true east and north at a place of the map: unit vectors. */
export function axes_at(scene: Scene, station: Station): { east: Point; north: Point } {
  const flat = { east: { x: 1, y: 0 }, north: { x: 0, y: -1 } };
  if (!scene.geographic) return flat;
  const up = scene.project(station.lon, Math.min(89.9, station.lat + 0.01));
  if (!up) return flat;
  const [dx, dy] = [up.x - station.x, up.y - station.y];
  const size = Math.hypot(dx, dy) || 1;
  const north = { x: dx / size, y: dy / size };
  return { north, east: { x: -north.y, y: north.x } };
}
