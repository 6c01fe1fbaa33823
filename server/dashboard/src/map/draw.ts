// SPDX-License-Identifier: BSD-3-Clause
// A scene on a canvas. Paths are made once in kilometres; panning and zooming only change the transform.
import { PAPER, type Paper, uplift_color, slip_color } from "./colors";
import { axes_at, type Point, type Scene } from "./geometry";
import { draw_picture, type Picture } from "./picture";

/** Pixels per kilometre, and where the scene's origin lies [CSS pixels]. */
export interface Camera {
  scale: number;
  x: number;
  y: number;
}

export interface Look {
  dark: boolean;
  width: number;
  height: number;
  camera: Camera;
  land: { land: Path2D; grid: Path2D } | null;
  patch: string; // id of the chosen one
  station: string;
  hovered: string;
  /** [station][component] of the epoch; null: nothing is chosen. */
  values: Float64Array | null;
  top_horizontal: number;
  top_vertical: number;
  show: { vectors: boolean; uplift: boolean; contours: boolean; names: boolean; outlines?: boolean };
  /** Share of the largest slip by patch, where a slip model is shown; or a color of another scale. */
  slip: { outline: Point[]; share: number; color?: string }[] | null;
  /** A raster below all lines; patches are its cells then. */
  picture?: Picture | null;
}

export const ARROW_PX = 64; // of the largest motion

export function fit(scene: Scene, width: number, height: number): Camera {
  const [west, north, east, south] = scene.extent;
  const scale = Math.min(width / (east - west), height / (south - north));
  return {
    scale,
    x: width / 2 - (scale * (west + east)) / 2,
    y: height / 2 - (scale * (north + south)) / 2,
  };
}

export function to_scene(camera: Camera, x: number, y: number): Point {
  return { x: (x - camera.x) / camera.scale, y: (y - camera.y) / camera.scale };
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, look: Look): void {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const [w, h] = [Math.round(look.width * ratio), Math.round(look.height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  const paper = PAPER[look.dark ? "dark" : "light"];
  const { camera } = look;
  const in_km = () => ctx.setTransform(ratio * camera.scale, 0, 0, ratio * camera.scale, ratio * camera.x, ratio * camera.y);
  const in_px = () => ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  const px = 1 / camera.scale;
  in_px();
  ctx.fillStyle = paper.sea;
  ctx.fillRect(0, 0, look.width, look.height);
  ctx.lineJoin = "round";
  if (look.land) {
    in_km();
    ctx.fillStyle = paper.land;
    ctx.fill(look.land.land);
    ctx.lineWidth = 0.8 * px;
    ctx.strokeStyle = paper.grid;
    ctx.stroke(look.land.grid);
    ctx.strokeStyle = paper.coast;
    ctx.stroke(look.land.land);
  }
  in_km();
  if (look.picture) {
    draw_picture(ctx, look.picture);
    if (look.land) {
      ctx.lineWidth = 0.8 * px;
      ctx.strokeStyle = paper.coast;
      ctx.stroke(look.land.land);
    }
  }
  draw_box(ctx, scene, paper, px);
  draw_patches(ctx, scene, look, paper, px);
  if (look.show.contours) draw_contours(ctx, scene, paper, px, look, in_km, in_px);
  in_px();
  draw_stations(ctx, scene, look, paper);
}

function trace(ctx: CanvasRenderingContext2D, outline: Point[]): void {
  outline.forEach((p, i) => (i ? ctx.lineTo(p.x, p.y) : ctx.moveTo(p.x, p.y)));
  ctx.closePath();
}

function draw_box(ctx: CanvasRenderingContext2D, scene: Scene, paper: Paper, px: number): void {
  if (scene.box.length < 3) return;
  ctx.beginPath();
  trace(ctx, scene.box);
  ctx.setLineDash([7 * px, 5 * px]);
  ctx.lineWidth = 1.1 * px;
  ctx.strokeStyle = paper.box;
  ctx.stroke();
  ctx.setLineDash([]);
}

function draw_patches(ctx: CanvasRenderingContext2D, scene: Scene, look: Look, paper: Paper, px: number): void {
  if (look.slip) {
    for (const part of look.slip) {
      ctx.beginPath();
      trace(ctx, part.outline);
      ctx.fillStyle = part.color ?? slip_color(part.share, look.dark);
      ctx.fill();
    }
  }
  const plain = new Path2D();
  const failed = new Path2D();
  for (const patch of scene.patches) {
    if (!patch.outline.length) continue;
    const path = (patch.of.sources ?? []).some((source) => source.status === "failed") ? failed : plain;
    patch.outline.forEach((p, i) => (i ? path.lineTo(p.x, p.y) : path.moveTo(p.x, p.y)));
    path.closePath();
  }
  if (!look.slip && !look.picture) {
    ctx.fillStyle = paper.patch_fill;
    ctx.fill(plain);
  }
  ctx.lineWidth = (look.picture ? 0.6 : 0.8) * px;
  ctx.strokeStyle = look.picture ? paper.station : paper.patch;
  if (look.show.outlines !== false) ctx.stroke(plain);
  ctx.lineWidth = 1.4 * px;
  ctx.strokeStyle = paper.failed;
  ctx.setLineDash([3 * px, 3 * px]);
  ctx.stroke(failed);
  ctx.setLineDash([]);
  for (const patch of scene.patches) {
    const chosen = patch.id === look.patch;
    if (!patch.outline.length || (!chosen && patch.id !== look.hovered)) continue;
    ctx.beginPath();
    trace(ctx, patch.outline);
    if (chosen && !look.picture) {
      ctx.fillStyle = paper.chosen_fill;
      ctx.fill();
    }
    ctx.lineWidth = (chosen ? 2.2 : 1.6) * px;
    ctx.strokeStyle = chosen ? paper.chosen : paper.ink;
    ctx.stroke();
    if (patch.flat) continue;
    // The upper edge is heavier: the fault dips away from it.
    ctx.beginPath();
    ctx.moveTo(patch.outline[0]!.x, patch.outline[0]!.y);
    ctx.lineTo(patch.outline[1]!.x, patch.outline[1]!.y);
    ctx.lineWidth = 4 * px;
    ctx.stroke();
  }
}

function draw_contours(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  paper: Paper,
  px: number,
  look: Look,
  in_km: () => void,
  in_px: () => void,
): void {
  ctx.strokeStyle = paper.contour;
  ctx.lineWidth = 1.5 * px;
  for (const line of scene.contours) {
    ctx.beginPath();
    for (const [a, b] of line.ends) {
      ctx.moveTo(a.x, a.y);
      ctx.lineTo(b.x, b.y);
    }
    ctx.stroke();
  }
  in_px();
  ctx.font = "600 11px Inter, system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const placed: Point[] = [];
  for (const line of scene.contours) {
    // At the end that lies furthest to the right, unless another label is there.
    const far = line.ends.flat().reduce((a, b) => (b.x > a.x ? b : a));
    const at = { x: look.camera.x + far.x * look.camera.scale + 16, y: look.camera.y + far.y * look.camera.scale };
    if (placed.some((other) => Math.abs(other.x - at.x) < 40 && Math.abs(other.y - at.y) < 13)) continue;
    placed.push(at);
    label(ctx, `${line.depth_km}\u202fkm`, at.x, at.y, paper, paper.contour);
  }
  in_km();
}

function label(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, paper: Paper, color: string): void {
  ctx.lineWidth = 3;
  ctx.strokeStyle = paper.halo;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
}

function draw_stations(ctx: CanvasRenderingContext2D, scene: Scene, look: Look, paper: Paper): void {
  const { camera, values } = look;
  const small = scene.stations.length > 300;
  const radius = values && look.show.uplift ? (small ? 4.2 : 6) : small ? 2.2 : 3.2;
  const seen = scene.stations
    .map((station, i) => ({ station, i, x: camera.x + station.x * camera.scale, y: camera.y + station.y * camera.scale }))
    .filter(({ x, y }) => x > -80 && y > -80 && x < look.width + 80 && y < look.height + 80);
  for (const { i, x, y } of seen) {
    const up = values ? values[3 * i + 2]! : NaN;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    if (values && look.show.uplift && Number.isFinite(up)) {
      ctx.fillStyle = uplift_color(up, look.top_vertical, look.dark);
      ctx.fill();
      ctx.lineWidth = 0.9;
      ctx.strokeStyle = paper.station;
      ctx.stroke();
    } else {
      ctx.fillStyle = values && !Number.isFinite(up) ? paper.sea : paper.station;
      ctx.fill();
      ctx.lineWidth = 0.9;
      ctx.strokeStyle = values && !Number.isFinite(up) ? paper.station : paper.halo;
      ctx.stroke();
    }
  }
  if (values && look.show.vectors) {
    ctx.lineWidth = small ? 1.2 : 1.6;
    for (const { station, i, x, y } of seen) {
      const [east, north] = [values[3 * i]!, values[3 * i + 1]!];
      if (!Number.isFinite(east) || !Number.isFinite(north)) continue;
      const axes = axes_at(scene, station);
      const k = ARROW_PX / (look.top_horizontal || 1);
      arrow(
        ctx, x, y,
        x + k * (east * axes.east.x + north * axes.north.x),
        y + k * (east * axes.east.y + north * axes.north.y),
        paper.arrow, paper.halo,
      );
    }
  }
  for (const { station, x, y } of seen) {
    const chosen = station.id === look.station;
    if (!chosen && station.id !== look.hovered) continue;
    ctx.beginPath();
    ctx.arc(x, y, radius + 4, 0, 2 * Math.PI);
    ctx.lineWidth = 2;
    ctx.strokeStyle = chosen ? paper.chosen : paper.ink;
    ctx.stroke();
  }
  if (look.show.names && seen.length <= 120) {
    ctx.font = "11px Inter, system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const { station, x, y } of seen) label(ctx, station.id.slice(0, 24), x + radius + 4, y - 7, paper, paper.ink);
  }
}

/** From (x, y) to (u, v), with a light edge so that it stands off the ground; nothing below a pixel. */
export function arrow(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  u: number,
  v: number,
  color: string,
  halo: string,
): void {
  const size = Math.hypot(u - x, v - y);
  if (size < 2) return;
  const [dx, dy] = [(u - x) / size, (v - y) / size];
  const head = size < 7 ? 0 : Math.min(7, 0.45 * size + 1.5);
  const width = ctx.lineWidth;
  for (const [stroke, extra] of [[halo, 2], [color, 0]] as const) {
    ctx.strokeStyle = stroke;
    ctx.fillStyle = stroke;
    ctx.lineWidth = width + extra;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(u - dx * head * 0.8, v - dy * head * 0.8);
    ctx.stroke();
    if (!head) continue;
    ctx.beginPath();
    ctx.moveTo(u, v);
    ctx.lineTo(u - dx * head - dy * head * 0.42, v - dy * head + dx * head * 0.42);
    ctx.lineTo(u - dx * head + dy * head * 0.42, v - dy * head - dx * head * 0.42);
    ctx.closePath();
    if (extra) ctx.stroke();
    ctx.fill();
  }
  ctx.lineWidth = width;
}
