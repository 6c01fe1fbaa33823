// SPDX-License-Identifier: BSD-3-Clause
// A raster on longitudes and latitudes under the map's lines. The projection bends its grid, so it is drawn in tiles
// that are small enough to be parallelograms.
import { uplift_rgb } from "./colors";
import type { Point, Scene } from "./geometry";

export interface Raster {
  west_deg: number;
  east_deg: number;
  south_deg: number;
  north_deg: number;
  rows: number;
  columns: number;
  values: (number | null)[]; // row after row from the north; null: missing
}
interface Tile {
  column: number;
  row: number;
  width: number;
  height: number;
  at: Point;
  right: Point; // from at, for a pixel
  down: Point;
}
export interface Picture {
  canvas: HTMLCanvasElement;
  tiles: Tile[];
}

const TILE = 24; // pixels of a side
const OVERLAP = 0.75; // pixels that a tile reaches beyond its own, so that no seam is seen

/** Returns the raster in colours from -limit (blue) to limit (red); missing values are clear. */
export function make_picture(scene: Scene, raster: Raster, limit: number, dark: boolean): Picture {
  const canvas = document.createElement("canvas");
  canvas.width = raster.columns;
  canvas.height = raster.rows;
  const image = new ImageData(raster.columns, raster.rows);
  raster.values.forEach((value, i) => {
    if (value === null) return;
    image.data.set(uplift_rgb(value, limit, dark), 4 * i);
    image.data[4 * i + 3] = 255;
  });
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return { canvas, tiles: tiles_of(scene, raster) };
}

function tiles_of(scene: Scene, raster: Raster): Tile[] {
  const place = (column: number, row: number) =>
    scene.project(
      raster.west_deg + ((raster.east_deg - raster.west_deg) * column) / raster.columns,
      raster.north_deg - ((raster.north_deg - raster.south_deg) * row) / raster.rows,
    );
  const tiles: Tile[] = [];
  for (let row = 0; row < raster.rows; row += TILE) {
    for (let column = 0; column < raster.columns; column += TILE) {
      const [width, height] = [Math.min(TILE, raster.columns - column), Math.min(TILE, raster.rows - row)];
      const [at, end, low] = [place(column, row), place(column + width, row), place(column, row + height)];
      if (!at || !end || !low) continue;
      tiles.push({
        column, row, width, height, at,
        right: { x: (end.x - at.x) / width, y: (end.y - at.y) / width },
        down: { x: (low.x - at.x) / height, y: (low.y - at.y) / height },
      });
    }
  }
  return tiles;
}

/** Draws in the scene's kilometres, which the context's transform has. */
export function draw_picture(ctx: CanvasRenderingContext2D, { canvas, tiles }: Picture): void {
  const smooth = ctx.imageSmoothingEnabled;
  ctx.imageSmoothingEnabled = false;
  for (const tile of tiles) {
    ctx.save();
    ctx.transform(tile.right.x, tile.right.y, tile.down.x, tile.down.y, tile.at.x, tile.at.y);
    const width = Math.min(tile.width + OVERLAP, canvas.width - tile.column);
    const height = Math.min(tile.height + OVERLAP, canvas.height - tile.row);
    ctx.drawImage(canvas, tile.column, tile.row, width, height, 0, 0, width, height);
    ctx.restore();
  }
  ctx.imageSmoothingEnabled = smooth;
}

/** Returns the value of the pixel at a place; null where it is missing, or none is there. */
export function value_at(raster: Raster, [lon, lat]: [number, number]): number | null {
  const east = (((lon - raster.west_deg) % 360) + 360) % 360;
  const column = Math.floor((raster.columns * east) / (raster.east_deg - raster.west_deg));
  const row = Math.floor((raster.rows * (raster.north_deg - lat)) / (raster.north_deg - raster.south_deg));
  const within = column >= 0 && column < raster.columns && row >= 0 && row < raster.rows;
  return within ? raster.values[row * raster.columns + column]! : null;
}

/** Returns the corners of a raster on the map, with points on its edges, that its extent may be had of. */
export function edge_of(scene: Scene, raster: Raster): Point[] {
  const along = [0, 0.25, 0.5, 0.75, 1];
  const lon = (t: number) => raster.west_deg + t * (raster.east_deg - raster.west_deg);
  const lat = (t: number) => raster.south_deg + t * (raster.north_deg - raster.south_deg);
  return along.flatMap((t) => [scene.project(lon(t), lat(0)), scene.project(lon(t), lat(1)), scene.project(lon(0), lat(t)), scene.project(lon(1), lat(t))])
    .filter((p): p is Point => p !== null);
}
