// SPDX-License-Identifier: BSD-3-Clause
// Colours of curves: distinct for colour-blind readers (they differ in lightness too), on both grounds.
export const HUES: { light: string; dark: string }[] = [
  { light: "#0b6e86", dark: "#4fc3d9" },
  { light: "#b4541a", dark: "#f0a35e" },
  { light: "#5b4a9e", dark: "#b3a5ee" },
  { light: "#3d7a2a", dark: "#9bd17f" },
];
