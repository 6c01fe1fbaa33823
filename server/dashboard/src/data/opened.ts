// SPDX-License-Identifier: BSD-3-Clause
// Keeps the file that was opened while other views are looked at, until somebody logs out.
import { effect, signal } from "@preact/signals";

import { entry } from "../state";
import type { DataView } from "./view_file";

export const opened = signal<{ name: string; view: DataView } | null>(null);
export const fault = signal<Error | null>(null);

effect(() => {
  if (entry.value !== "out") return;
  opened.value = null;
  fault.value = null;
});
