// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const SEEN = 14; // rows of the window
const BESIDE = 8; // rows kept above and below it

/** A list of rows of one height, of which only those in sight exist. */
export function Rows(props: {
  label: string;
  head: string[];
  count: number;
  height: number;
  row: (at: number) => ComponentChildren;
  id: (at: number) => string;
  near_end?: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, set_top] = useState(0);
  const first = Math.max(0, Math.floor(top / props.height) - BESIDE);
  const last = Math.min(props.count, Math.ceil(top / props.height) + SEEN + BESIDE);
  const near = last >= props.count - 4 * SEEN;
  useEffect(() => {
    if (near) props.near_end?.();
  }, [near, props.count]);
  const rows = [];
  for (let at = first; at < last; ++at) {
    rows.push(
      <div role="row" class="row" key={props.id(at)} aria-rowindex={at + 2} style={{ height: `${props.height}px` }}>
        {props.row(at)}
      </div>,
    );
  }
  return (
    <div role="table" aria-label={props.label} aria-rowcount={props.count + 1} class="rows">
      <div role="rowgroup">
        <div role="row" class="row head" aria-rowindex={1}>
          {props.head.map((title, i) => (
            <span role="columnheader" key={i}>
              {title || <span class="unseen">Actions</span>}
            </span>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        class="window"
        ref={box}
        tabIndex={0}
        aria-label={props.label}
        style={{ height: `${Math.min(props.count, SEEN) * props.height + 2}px` }}
        onScroll={(e) => set_top(e.currentTarget.scrollTop)}
      >
        <div role="presentation" style={{ height: `${first * props.height}px` }} />
        {rows}
        <div role="presentation" style={{ height: `${(props.count - last) * props.height}px` }} />
      </div>
    </div>
  );
}
