// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them. One unit per quantity: lengths on maps in km, motion in m (or mm where it
// is small), times in the largest unit with two figures, sizes in powers of 1000.

/** A number of protobuf's JSON mapping: absent is 0, 64-bit ones and NaN come as text. */
export function num(value: number | string | undefined | null): number {
  return value === undefined || value === null ? 0 : Number(value);
}

const THIN = "\u202f";

export function count(value: number | string | undefined): string {
  const digits = String(Math.trunc(num(value)));
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

/** "1 source", "2 sources". */
export function counted(value: number | string | undefined, word: string): string {
  return `${count(value)} ${word}${Math.trunc(num(value)) === 1 ? "" : "s"}`;
}

export function bytes(value: number | string | undefined): string {
  let size = num(value);
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 99.95 ? size.toFixed(0) : size.toFixed(1)}${THIN}${units[unit]}`;
}

export const YEAR_S = 31557600;

/** A length of time: "12 s", "3 min 20 s", "4 h 5 min", "12 d 3 h". */
export function span(seconds: number | undefined): string {
  const s = num(seconds);
  if (!Number.isFinite(s) || s < 0) return "–";
  if (s < 9.95 && s !== Math.round(s)) return `${s.toFixed(1)}${THIN}s`;
  if (s < 59.5) return `${Math.round(s)}${THIN}s`;
  const minutes = Math.round(s / 60);
  if (s < 600) return two(Math.floor(Math.round(s) / 60), "min", Math.round(s) % 60, "s");
  if (minutes < 60) return `${minutes}${THIN}min`;
  if (minutes < 48 * 60) return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(s / 3600);
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

function two(a: number, unit_a: string, b: number, unit_b: string): string {
  return b ? `${a}${THIN}${unit_a} ${b}${THIN}${unit_b}` : `${a}${THIN}${unit_a}`;
}

/** An epoch after the slip: "0", "2.5 d", "1 yr". */
export function epoch(seconds: number): string {
  if (seconds === 0) return "0 (coseismic)";
  const years = seconds / YEAR_S;
  if (years >= 0.995) return `${trim(years, years < 10 ? 2 : 1)}${THIN}yr`;
  const days = seconds / 86400;
  if (days >= 0.995) return `${trim(days, days < 10 ? 2 : 0)}${THIN}d`;
  return span(seconds);
}

export function trim(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Three significant figures, with an exponent only where a reader needs one. */
export function figure(value: number | undefined, digits = 3): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) {
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return value.toFixed(Math.min(places, 8)).replace("-", "\u2212");
  }
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const raised = `10${[...String(Number(power))].map((c) => SUPERSCRIPTS[c]).join("")}`;
  return Number(mantissa) === 1 ? raised : `${mantissa!.replace("-", "\u2212")}·${raised}`;
}

const SUPERSCRIPTS: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

/** Motion: of unit slip in mm per m, of a scenario in mm, cm or m. */
export function motion(value: number, per_slip: boolean): string {
  if (!Number.isFinite(value)) return "missing";
  const size = Math.abs(value);
  const suffix = per_slip ? " per m" : "";
  if (size < 0.9995) return `${signed(value * 1000, size < 0.00995 ? 2 : size < 0.0995 ? 1 : 0)}${THIN}mm${suffix}`;
  return `${signed(value, 2)}${THIN}m${suffix}`;
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "\u2212" : "+") + text;
}

export function percent(ratio: number | undefined): string {
  return ratio === undefined ? "–" : `${Math.round(num(ratio) * 100)}${THIN}%`;
}

/** moment() without its seconds. */
export function minute(seconds: number | undefined): string {
  return moment(seconds).replace(/:\d\d$/, "");
}

/** Local time of a Unix time [s]. */
export function moment(seconds: number | undefined): string {
  const s = num(seconds);
  if (!s) return "–";
  const at = new Date(s * 1000);
  const pad = (n: number) => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

export function uuid_of(name: string | undefined): string {
  return (name ?? "").replace(/^.*\//, "");
}

export function short_id(name: string | undefined): string {
  return uuid_of(name).slice(0, 8);
}

export function degrees(lon: number, lat: number): string {
  const of = (value: number, plus: string, minus: string) =>
    `${Math.abs(value).toFixed(3)}°${THIN}${value < 0 ? minus : plus}`;
  return `${of(lat, "N", "S")}, ${of(lon > 180 ? lon - 360 : lon, "E", "W")}`;
}
