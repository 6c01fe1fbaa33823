// SPDX-License-Identifier: BSD-3-Clause
// Keeps the file that was opened while other views are looked at, until somebody logs out.
import { effect, signal } from "@preact/signals";

import { entry } from "../state";
import type { DataView } from "./view_file";

let count = 0;

/** The file that is shown; `turn` differs each time that one is opened. */
export const opened = signal<{ name: string; view: DataView; turn: number } | null>(null);
export const fault = signal<Error | null>(null);

export function show(name: string, view: DataView): void {
  opened.value = { name, view, turn: ++count };
}

effect(() => {
  if (entry.value !== "out") return;
  opened.value = null;
  fault.value = null;
});
