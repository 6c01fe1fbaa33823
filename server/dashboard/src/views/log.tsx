// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useRef, useState } from "preact/hooks";

import { call } from "../api";
import type { Item, LogChunk } from "../gen/kaname";
import { events_of, Stream } from "../live";
import { set_query } from "../router";
import { Panel } from "../widgets/basics";
import { useRead } from "../widgets/use";

const KEPT = 400_000; // characters: older ones go from the page, not from the server
const NAMED = 1000;

function bytes_of(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/** The log of a stage as it grows. Its text is text: nothing in it is markup. */
export function Log({ job, stage }: { job: string; stage: string }) {
  const items = useRead(async (signal) => {
    const page = await call("Jobs/ListItems", { job, page_size: NAMED }, signal);
    return page.items ?? [];
  }, [job]);
  const chosen = stage || preferred(items.value ?? []);
  const [said, set_said] = useState("");
  const [cut, set_cut] = useState(false);
  const [status, set_status] = useState("");
  const [pinned, set_pinned] = useState(true);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (!chosen) return;
    let text = "";
    let shortened = false;
    let decoder = new TextDecoder();
    let frame = 0;
    const show = () => {
      frame = 0;
      set_said(text);
      set_cut(shortened);
    };
    set_said("");
    const stream = new Stream(events_of("Jobs/TailLogs", { job, label: chosen, follow: true }), {
      // It goes on at the byte where it broke off; without that, from its beginning.
      opened: (_, resumed) => {
        if (!resumed) {
          text = "";
          shortened = false;
          decoder = new TextDecoder();
        }
        set_status("following");
      },
      on: (_, data) => {
        text += decoder.decode(bytes_of((data as LogChunk).data ?? ""), { stream: true });
        if (text.length > 1.5 * KEPT) {
          text = text.slice(text.indexOf("\n", text.length - KEPT) + 1);
          shortened = true;
        }
        if (!frame) frame = requestAnimationFrame(show);
      },
      lost: () => set_status("the server does not answer; it goes on when it does"),
      ended: (error) => set_status(error ? error.message : "the stage has ended"),
    });
    return () => {
      cancelAnimationFrame(frame);
      stream.stop();
    };
  }, [job, chosen]);
  useEffect(() => {
    if (pinned && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [said, pinned]);
  const scrolled = () => {
    const at = box.current;
    if (!at) return; // a scroll that is told after the view has gone
    set_pinned(at.scrollHeight - at.scrollTop - at.clientHeight < 24);
  };
  return (
    <Panel
      title="Log"
      actions={
        <>
          <label class="inline">
            Stage{" "}
            <input
              list="stages-of-job"
              value={chosen}
              spellcheck={false}
              onChange={(e) => set_query({ stage: e.currentTarget.value || undefined })}
            />
          </label>
          <datalist id="stages-of-job">
            {(items.value ?? []).map((item) => (
              <option key={item.ordinal} value={item.label} />
            ))}
          </datalist>
          <label class="inline">
            <input type="checkbox" checked={pinned} onChange={(e) => set_pinned(e.currentTarget.checked)} /> to its end
          </label>
        </>
      }
    >
      {cut ? <p class="quiet">The beginning is left out here; kaname logs has all of it.</p> : null}
      <pre class="log" ref={box} tabIndex={0} aria-label={`Log of ${chosen}`} onScroll={scrolled}>
        {said}
      </pre>
      <p class="quiet" role="status">
        {said ? "" : "Nothing was printed yet. "}
        {status}
      </p>
    </Panel>
  );
}

/** Returns the label of the log to show first: a failure's, else the mesh's while it is made, else the
 *  first stage's. */
function preferred(items: Item[]): string {
  const failed = items.find((item) => item.state === "FAILED");
  const live = items.filter((item) => item.state === "LIVE" && item.label !== "package");
  const mesh = live.find((item) => item.label === "mesh");
  return (failed ?? mesh ?? live[0] ?? items[0])?.label ?? "";
}
