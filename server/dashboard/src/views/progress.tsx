// SPDX-License-Identifier: BSD-3-Clause
import type { Job, JobCounts } from "../gen/kaname";
import { count, num, span } from "../format";
import { Bar, type Tone } from "../widgets/basics";

export function parts_of(counts: JobCounts | undefined): { share: number; tone: Tone }[] {
  const all = num(counts?.sources) || 1;
  return [
    { share: num(counts?.done) / all, tone: "ok" },
    { share: num(counts?.failed) / all, tone: "bad" },
    { share: num(counts?.cancelled) / all, tone: "off" },
  ];
}

export function in_words(counts: JobCounts | undefined): string {
  const words = [`${count(counts?.done)} of ${count(counts?.sources)} sources done`];
  if (num(counts?.reused)) words.push(`${count(counts?.reused)} of them reused`);
  if (num(counts?.failed)) words.push(`${count(counts?.failed)} failed`);
  if (num(counts?.cancelled)) words.push(`${count(counts?.cancelled)} cancelled`);
  return words.join(", ");
}

/** Bar, percentage and time left of a job. */
export function Progress({ job }: { job: Job }) {
  const parts = parts_of(job.counts);
  const active = job.state === "ACTIVE";
  const sum = parts.reduce((a, part) => a + part.share, 0);
  const fraction = active ? Math.max(sum, num(job.progress?.fraction)) : parts[0]!.share;
  if (fraction > sum) parts.push({ share: fraction - sum, tone: "run" });
  const eta = num(job.progress?.eta_s ?? -1);
  return (
    <span class="progress">
      <Bar parts={parts} label={in_words(job.counts)} />
      <span class="number">{Math.floor(fraction * 100)} %</span>
      {active ? <span class="eta">{eta >= 0 && job.progress ? `${span(eta)} left` : ""}</span> : null}
    </span>
  );
}
