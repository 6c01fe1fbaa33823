// SPDX-License-Identifier: BSD-3-Clause
// Reads NAME.view.json of `kaname data` (docs/user/view_files.md). All of it is checked, since it comes from anywhere:
// a fault is an Error that names file, field, rule and value.
import type { Raster } from "../map/picture";

export const VIEW_VERSION = 1;
export const MOST_BYTES = 64e6;
const MOST_STATIONS = 20_000;
const MOST_EPOCHS = 1_000_000;
const MOST_PIXELS = 1_000_000;
const MOST_POINTS = 100_000;
const MOST_WORDS = 4000; // letters of a text
const COMPONENTS = 3;
const LAST_MJD = 200_000; // in the year 2406

export interface Amount {
  amount: number[]; // east, north, up [mm]
  sigma: number[];
}
export interface Step extends Amount {
  name: string;
  mjd: number;
  earthquake: boolean;
  about: string;
}
export interface Relaxation extends Amount {
  name: string;
  law: string;
  days: number;
}
export interface StationSeries {
  id: string;
  lon_deg: number | null;
  lat_deg: number | null;
  epochs: number;
  epochs_used: number;
  rate: number[]; // mm/year
  rate_sigma: number[];
  steps: Step[];
  relaxations: Relaxation[];
  notes: string[];
  mjd: number[];
  left_out: Set<number>; // indices of mjd
  observed: number[][]; // [component][epoch], mm
  fitted: number[][];
  residual: number[][];
}
export interface SeriesView {
  kind: "series";
  title: string;
  unit: string;
  stations: StationSeries[];
}
export interface RasterPoint {
  id: string;
  lon_deg: number;
  lat_deg: number;
  value: number;
  sigma: number;
  pixels: number;
  outline: [number, number][]; // empty: there is none
}
export interface Covariogram {
  model: string;
  sill: number;
  length_km: number;
  nugget: number;
  lag_km: number[];
  observed: (number | null)[];
  fitted: number[];
}
export interface RasterView extends Raster {
  kind: "raster";
  title: string;
  unit: string;
  source: string;
  pixels: number;
  look: number[];
  limit: number;
  points: RasterPoint[];
  covariogram: Covariogram | null;
  notes: string[];
}
export type DataView = SeriesView | RasterView;

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  // JSON has no Infinity, which 1e999 becomes.
  const said = typeof value === "number" && !Number.isFinite(value) ? String(value) : text;
  return said.length > 60 ? `${said.slice(0, 60)}...` : said;
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new Error(`${field}: ${rule}, got ${shown(value)}`);
}

function unit_of(file: Part, known: string[]): string {
  const unit = file.of("unit");
  return known.includes(unit.text()) ? unit.text() : refuse("unit", `must be ${known.join(" or ")}`, unit.value);
}

/** A value of the file with the words that lead to it. */
class Part {
  constructor(
    readonly field: string,
    readonly value: unknown,
  ) {}

  of(key: string): Part {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) {
      refuse(this.field || "file", "must be an object", this.value);
    }
    // Own keys alone: "constructor" is none.
    const held = Object.prototype.hasOwnProperty.call(this.value, key) ? (this.value as Record<string, unknown>)[key] : undefined;
    return new Part(this.field ? `${this.field}.${key}` : key, held);
  }

  text(): string {
    if (typeof this.value !== "string" || this.value.length > MOST_WORDS) {
      refuse(this.field, `must be a text of at most ${MOST_WORDS} letters`, this.value);
    }
    return this.value;
  }

  yes_or_no(): boolean {
    if (typeof this.value !== "boolean") refuse(this.field, "must be true or false", this.value);
    return this.value;
  }

  number(low = -Infinity, high = Infinity): number {
    const value = this.value;
    if (typeof value !== "number" || !Number.isFinite(value)) refuse(this.field, "must be a finite number", value);
    if (value < low || value > high) refuse(this.field, `must be ${low} to ${high}`, value);
    return value;
  }

  whole(low: number, high: number): number {
    const value = this.number(low, high);
    if (!Number.isInteger(value)) refuse(this.field, "must be a whole number", value);
    return value;
  }

  or_none(low: number, high: number): number | null {
    return this.value === null ? null : this.number(low, high);
  }

  list(most: number): Part[] {
    if (!Array.isArray(this.value) || this.value.length > most) refuse(this.field, `must be a list of at most ${most}`, this.value);
    return this.value.map((item, i) => new Part(`${this.field}[${i}]`, item));
  }

  /** Returns `count` numbers. */
  numbers(count: number): number[] {
    return this.counted(count).map((item, i) =>
      typeof item === "number" && Number.isFinite(item) ? item : refuse(`${this.field}[${i}]`, "must be a finite number", item),
    );
  }

  /** Returns numbers, or null for what is missing. */
  holes(count: number): (number | null)[] {
    return this.counted(count).map((item, i) =>
      item === null || (typeof item === "number" && Number.isFinite(item))
        ? item
        : refuse(`${this.field}[${i}]`, "must be a finite number or null", item),
    );
  }

  private counted(count: number): unknown[] {
    if (!Array.isArray(this.value)) refuse(this.field, `must be a list of ${count} numbers`, this.value);
    if (this.value.length !== count) refuse(this.field, `must have ${count} numbers`, this.value.length);
    return this.value;
  }

  texts(): string[] {
    return this.list(MOST_EPOCHS).map((item) => item.text());
  }
}

const amount_of = (part: Part): Amount => ({
  amount: part.of("amount").numbers(COMPONENTS),
  sigma: part.of("sigma").numbers(COMPONENTS),
});

function station_of(part: Part): StationSeries {
  const n = part.of("mjd").list(MOST_EPOCHS).length;
  if (n < 1) refuse(part.of("mjd").field, "must have an epoch or more", 0);
  const mjd = part.of("mjd").numbers(n);
  const away = mjd.findIndex((day) => day < 0 || day > LAST_MJD);
  if (away >= 0) refuse(`${part.field}.mjd[${away}]`, `must be a modified Julian day, 0 to ${LAST_MJD}`, mjd[away]);
  const back = mjd.findIndex((day, i) => i > 0 && day <= mjd[i - 1]!);
  if (back > 0) refuse(`${part.field}.mjd[${back}]`, `must be later than ${mjd[back - 1]}`, mjd[back]);
  const columns = (key: string) => {
    const three = part.of(key).list(COMPONENTS);
    if (three.length !== COMPONENTS) refuse(part.of(key).field, "must be east, north and up", three.length);
    return three.map((item) => item.numbers(n));
  };
  return {
    id: part.of("id").text(),
    lon_deg: part.of("lon_deg").or_none(-360, 540),
    lat_deg: part.of("lat_deg").or_none(-90, 90),
    epochs: part.of("epochs").whole(0, 1e9),
    epochs_used: part.of("epochs_used").whole(0, 1e9),
    rate: part.of("rate").numbers(COMPONENTS),
    rate_sigma: part.of("rate_sigma").numbers(COMPONENTS),
    steps: part.of("steps").list(MOST_EPOCHS).map((step) => ({
      name: step.of("name").text(),
      mjd: step.of("mjd").number(0, LAST_MJD),
      earthquake: step.of("earthquake").yes_or_no(),
      about: step.of("about").text(),
      ...amount_of(step),
    })),
    relaxations: part.of("relaxations").list(MOST_EPOCHS).map((item) => ({
      name: item.of("name").text(),
      law: item.of("law").text(),
      days: item.of("days").number(0),
      ...amount_of(item),
    })),
    notes: part.of("notes").texts(),
    mjd,
    left_out: new Set(part.of("left_out").list(n).map((item) => item.whole(0, n - 1))),
    observed: columns("observed"),
    fitted: columns("fitted"),
    residual: columns("residual"),
  };
}

function points_of(part: Part): RasterPoint[] {
  const id = part.of("id").list(MOST_POINTS).map((item) => item.text());
  const columns = ["lon_deg", "lat_deg", "value", "sigma", "pixels"].map((key) => part.of(key).numbers(id.length));
  const outlines = part.of("outline_deg").list(MOST_POINTS);
  if (outlines.length !== id.length) refuse(part.of("outline_deg").field, `must have ${id.length} outlines`, outlines.length);
  return id.map((name, i) => {
    const corners = outlines[i]!.value === null ? [] : outlines[i]!.numbers(8);
    return {
      id: name, lon_deg: columns[0]![i]!, lat_deg: columns[1]![i]!, value: columns[2]![i]!, sigma: columns[3]![i]!,
      pixels: columns[4]![i]!,
      outline: corners.length ? [0, 2, 4, 6].map((k): [number, number] => [corners[k]!, corners[k + 1]!]) : [],
    };
  });
}

function covariogram_of(part: Part): Covariogram | null {
  if (part.value === null) return null;
  const n = part.of("lag_km").list(MOST_EPOCHS).length;
  return {
    model: part.of("model").text(),
    sill: part.of("sill").number(0),
    length_km: part.of("length_km").number(0),
    nugget: part.of("nugget").number(0),
    lag_km: part.of("lag_km").numbers(n),
    observed: part.of("observed").holes(n),
    fitted: part.of("fitted").numbers(n),
  };
}

function raster_of(file: Part): RasterView {
  const [rows, columns] = [file.of("rows").whole(1, MOST_PIXELS), file.of("columns").whole(1, MOST_PIXELS)];
  if (rows * columns > MOST_PIXELS) refuse("rows, columns", `must make at most ${MOST_PIXELS} values`, `${rows} x ${columns}`);
  const [west, east] = [file.of("west_deg").number(-540, 540), file.of("east_deg").number(-540, 720)];
  const [south, north] = [file.of("south_deg").number(-91, 91), file.of("north_deg").number(-91, 91)];
  if (west >= east) refuse("east_deg", `must be larger than west_deg, ${west}`, east);
  if (south >= north) refuse("north_deg", `must be larger than south_deg, ${south}`, north);
  return {
    kind: "raster",
    title: file.of("title").text(),
    unit: unit_of(file, ["mm", "mm/year"]),
    source: file.of("source").text(),
    pixels: file.of("pixels").whole(0, 1e12),
    look: file.of("look").numbers(COMPONENTS),
    limit: file.of("limit").number(Number.MIN_VALUE),
    west_deg: west, east_deg: east, south_deg: south, north_deg: north, rows, columns,
    values: file.of("values").holes(rows * columns),
    points: points_of(file.of("points")),
    covariogram: covariogram_of(file.of("covariogram")),
    notes: file.of("notes").texts(),
  };
}

function series_of(file: Part): SeriesView {
  const stations = file.of("stations").list(MOST_STATIONS).map(station_of);
  if (!stations.length) refuse("stations", "must be one or more", 0);
  return { kind: "series", title: file.of("title").text(), unit: unit_of(file, ["mm"]), stations };
}

/** Returns what a text holds. Throws an Error without the file's name. */
export function parse_view(text: string): DataView {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`must be a file NAME.view.json of kaname data, got no JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  if (typeof content !== "object" || content === null || !Object.prototype.hasOwnProperty.call(content, "kaname_view")) {
    throw new Error("must be a file NAME.view.json of kaname data, got JSON without kaname_view");
  }
  const file = new Part("", content);
  if (file.of("kaname_view").value !== VIEW_VERSION) {
    refuse("kaname_view", `must be ${VIEW_VERSION}, the version that this page reads`, file.of("kaname_view").value);
  }
  const kind = file.of("kind").value;
  if (kind === "series") return series_of(file);
  if (kind === "raster") return raster_of(file);
  return refuse("kind", "must be series or raster", kind);
}

/** Reads a file of the browser's machine; nothing of it is sent. Throws an Error that begins with the file's name. */
export async function read_view(file: File): Promise<DataView> {
  try {
    if (file.size > MOST_BYTES) refuse("size", `must be at most ${MOST_BYTES} bytes`, file.size);
    return parse_view(await file.text());
  } catch (error) {
    throw new Error(`${file.name}: ${(error as Error).message}`);
  }
}
