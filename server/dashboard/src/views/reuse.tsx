// SPDX-License-Identifier: BSD-3-Clause
import { call } from "../api";
import type { Item, Job } from "../gen/kaname";
import { bytes, count, num, span } from "../format";
import { Fault, Figure, Loading, Panel } from "../widgets/basics";
import { useRead } from "../widgets/use";

const PAGE = 1000;
const PAGES = 100;

/** Stages that were computed before, and about what they would have taken at this job's own pace. */
export function Reuse({ job }: { job: Job }) {
  const items = useRead(async (signal) => {
    const all: Item[] = [];
    let token = "";
    for (let page = 0; page < PAGES; ++page) {
      const got = await call("Jobs/ListItems", { job: job.name, page_size: PAGE, page_token: token }, signal);
      all.push(...(got.items ?? []));
      token = got.next_page_token ?? "";
      if (!token) break;
    }
    return all;
  }, [job.name, job.state]);
  if (items.error) return <Fault error={items.error} again={items.again} />;
  if (!items.value) return <Loading what="stages" />;
  const reused = items.value.filter((item) => item.reused);
  const verbs = [...new Set(items.value.map((item) => item.verb ?? ""))];
  const [done, again] = [num(job.counts?.done), num(job.counts?.reused)];
  const took = num(job.ended_s) - num(job.created_s);
  const saved = job.ended_s && done > again && again > 0 ? (took * again) / (done - again) : 0;
  return (
    <Panel title="What was reused">
      <dl class="figures-row">
        <Figure label="Stages" value={`${count(reused.length)} / ${count(items.value.length)}`} note="were there before" />
        <Figure label="Bytes" value={bytes(reused.reduce((sum, item) => sum + num(item.bytes), 0))} note="kept once for all jobs" />
        <Figure
          label="Saved"
          value={saved ? `about ${span(saved)}` : again && done === again ? "all of it" : "–"}
          note={saved ? "at the pace of the sources that were computed" : again ? "no source was computed" : "no source was reused"}
        />
      </dl>
      <ul class="pairs">
        {verbs.map((verb) => {
          const of = items.value!.filter((item) => item.verb === verb);
          return (
            <li key={verb}>
              <span>{verb}</span>
              <b>
                {count(of.filter((item) => item.reused).length)} of {count(of.length)} reused
              </b>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
