// SPDX-License-Identifier: BSD-3-Clause
// Colours of values. Steps are even in OKLab (B. Ottosson, 2020), so that equal differences look equal;
// blue against orange-red is told apart by colour-blind readers too, and by lightness on its own.

type Rgb = [number, number, number];

function from_oklch(lightness: number, chroma: number, hue_deg: number): Rgb {
  const a = chroma * Math.cos((hue_deg * Math.PI) / 180);
  const b = chroma * Math.sin((hue_deg * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((v) => {
    const c = Math.min(1, Math.max(0, v));
    return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  }) as Rgb;
}

const STEPS = 128;

function table(make: (t: number) => Rgb): Rgb[] {
  return Array.from({ length: STEPS + 1 }, (_, i) => make(i / STEPS));
}

const BLUE = 250;
const RED = 38;

/** -1 subsidence, blue; 0 the ground's grey; 1 uplift, red. */
function diverging(neutral: number, end: number): Rgb[] {
  return table((t) => {
    const size = Math.abs(2 * t - 1);
    return from_oklch(neutral + (end - neutral) * size, 0.16 * size, t < 0.5 ? BLUE : RED);
  });
}

/** 0 to 1: slip, depth. */
function rising(from: number, to: number): Rgb[] {
  return table((t) => from_oklch(from + (to - from) * t, 0.05 + 0.11 * Math.sin(Math.PI * (0.15 + 0.7 * t)), 75 - 75 * t));
}

const TABLES = {
  light: { uplift: diverging(0.94, 0.48), slip: rising(0.95, 0.42) },
  dark: { uplift: diverging(0.42, 0.74), slip: rising(0.34, 0.84) },
};

function pick(colors: Rgb[], t: number): Rgb {
  return colors[Math.round(Math.min(1, Math.max(0, t)) * STEPS)]!;
}

const css = ([r, g, b]: Rgb) => `rgb(${r} ${g} ${b})`;

export function uplift_rgb(value: number, top: number, dark: boolean): Rgb {
  return pick(TABLES[dark ? "dark" : "light"].uplift, 0.5 + (0.5 * value) / (top || 1));
}

export function uplift_color(value: number, top: number, dark: boolean): string {
  return css(uplift_rgb(value, top, dark));
}

export function slip_color(share: number, dark: boolean): string {
  return css(pick(TABLES[dark ? "dark" : "light"].slip, share));
}

/** 1, 2 or 5 times a power of ten, not below the value. */
export function nice_above(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((f) => f * power).find((n) => n >= value * 0.999)!;
}

export function nice_below(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((f) => f * power).find((n) => n <= value * 1.001)!;
}

export const PAPER = {
  light: {
    sea: "#e3ebf0", land: "#fdfcf9", coast: "#8d9eaa", grid: "#d3dde4", box: "#6b7c8a", patch: "#aab6bf",
    patch_fill: "rgb(110 130 145 / 0.10)", chosen: "#b3400a", chosen_fill: "rgb(240 150 60 / 0.34)", failed: "#b3312c",
    contour: "#1f6f82", ink: "#1b2a35", halo: "rgb(255 255 255 / 0.85)", station: "#33444f", arrow: "#16242e",
  },
  dark: {
    sea: "#10181e", land: "#1c262d", coast: "#52636f", grid: "#22303a", box: "#8b9dab", patch: "#43535f",
    patch_fill: "rgb(150 175 190 / 0.09)", chosen: "#ffb066", chosen_fill: "rgb(255 170 90 / 0.30)", failed: "#ff8a80",
    contour: "#6fb3c2", ink: "#e5edf3", halo: "rgb(10 16 20 / 0.8)", station: "#c3d0d9", arrow: "#f0f5f8",
  },
};
export type Paper = (typeof PAPER)["light"];
