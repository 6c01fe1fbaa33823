// SPDX-License-Identifier: BSD-3-Clause
// Dark or light: as the system has it until somebody says otherwise.
import { signal } from "@preact/signals";

const KEY = "kaname-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function kept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is switched off
  }
}

export const dark = signal(system.matches);

function apply(): void {
  const chosen = kept();
  dark.value = chosen ? chosen === "dark" : system.matches;
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

export function start_theme(): void {
  apply();
  system.addEventListener("change", apply);
}

export function turn_theme(): void {
  try {
    localStorage.setItem(KEY, dark.value ? "light" : "dark");
  } catch {
    // it holds until the page is left
  }
  document.documentElement.dataset.theme = dark.value ? "light" : "dark";
  dark.value = !dark.value;
}
