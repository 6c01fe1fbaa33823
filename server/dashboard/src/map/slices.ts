// SPDX-License-Identifier: BSD-3-Clause
// Blocks of one dataset, a source and an epoch each: what was read lately is kept, and what a slider is
// likely to want next is read beside.
import { slice } from "../api";

const KEPT = 128;

export class Slices {
  private readonly kept = new Map<string, Promise<Float64Array>>();
  requests = 0;

  constructor(private readonly dataset: string) {}

  private read(key: string, make: () => Promise<Float64Array>): Promise<Float64Array> {
    const old = this.kept.get(key);
    if (old) {
      this.kept.delete(key);
      this.kept.set(key, old);
      return old;
    }
    const made = make();
    this.requests += 1;
    this.kept.set(key, made);
    made.catch(() => this.kept.delete(key));
    while (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    return made;
  }

  /** [station][component] of one epoch. */
  epoch(source: string, at: number): Promise<Float64Array> {
    return this.read(`e ${at} ${source}`, async () => {
      const block = await slice({ dataset: this.dataset, source_ids: [source], epochs: { start: at, count: 1 } });
      return block.values;
    });
  }

  /** [epoch][component] of one station. */
  series(source: string, station: string): Promise<Float64Array> {
    return this.read(`s ${source}\n${station}`, async () => {
      const block = await slice({ dataset: this.dataset, source_ids: [source], station_ids: [station] });
      return block.values;
    });
  }
}
