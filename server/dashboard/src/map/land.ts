// SPDX-License-Identifier: BSD-3-Clause
// Outlines of land (Natural Earth 1:50m by world-atlas), read when a map is opened.
import { geoArea, geoGraticule, geoPath, type GeoPermissibleObjects } from "d3-geo";
import type { Position } from "geojson";
import { feature } from "topojson-client";
import type { Topology } from "topojson-specification";
import outlines from "world-atlas/land-50m.json?url";

import type { Scene } from "./geometry";

const FEW_CORNERS = 20;
const KM_PER_DEGREE = 111.2;
let kept: Promise<GeoPermissibleObjects> | null = null;

async function read(): Promise<GeoPermissibleObjects> {
  const answer = await fetch(outlines);
  if (!answer.ok) throw new Error(`outlines of land: HTTP ${answer.status}`);
  const topology = (await answer.json()) as Topology;
  const land = feature(topology, topology.objects.land!);
  // Islets that rounding has turned inside out would be all of the globe but themselves.
  const inside_out = (polygon: Position[][]) =>
    polygon[0]!.length < FEW_CORNERS && geoArea({ type: "Polygon", coordinates: polygon }) > 2 * Math.PI;
  for (const part of "features" in land ? land.features : [land]) {
    if (part.geometry.type === "MultiPolygon") {
      part.geometry.coordinates = part.geometry.coordinates.filter((polygon) => !inside_out(polygon));
    }
  }
  return land as GeoPermissibleObjects;
}

/** Land and a net of meridians and parallels as paths in the scene's kilometres; null: the scene is no globe. */
export async function land_of(scene: Scene): Promise<{ land: Path2D; grid: Path2D; step_deg: number } | null> {
  if (!scene.projection) return null;
  const [west, north, east, south] = scene.extent;
  const size = Math.max(east - west, south - north);
  kept ??= read();
  // A circle around all that may be panned to: less is drawn, and no outline is cut at a straight edge.
  const reach_km = Math.hypot(Math.max(-west, east), Math.max(-north, south)) + 2 * size + 300;
  const draw = geoPath(scene.projection.clipAngle(Math.min(75, reach_km / KM_PER_DEGREE)));
  try {
    const step = [0.5, 1, 2, 5, 10, 20].find((deg) => size / (KM_PER_DEGREE * deg) < 7) ?? 30;
    const land = new Path2D(draw(await kept) ?? "");
    const grid = new Path2D(draw(geoGraticule().step([step, step]).extentMajor([[-180, -89], [180, 89]])()) ?? "");
    return { land, grid, step_deg: step };
  } catch (error) {
    kept = null;
    throw error;
  }
}
