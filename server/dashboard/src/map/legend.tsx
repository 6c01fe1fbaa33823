// SPDX-License-Identifier: BSD-3-Clause
import { motion } from "../format";
import { dark } from "../theme";
import { nice_below, slip_color, uplift_color } from "./colors";
import { ARROW_PX } from "./draw";

const CELLS = 33;

export function Ramp({ color }: { color: (t: number) => string }) {
  return (
    <svg class="ramp" viewBox={`0 0 ${CELLS} 1`} preserveAspectRatio="none" aria-hidden="true">
      {Array.from({ length: CELLS }, (_, i) => (
        <rect key={i} x={i} width="1.2" height="1" fill={color(i / (CELLS - 1))} />
      ))}
    </svg>
  );
}

export function Legend(props: {
  per_slip: boolean;
  top_horizontal: number;
  top_vertical: number;
  vectors: boolean;
  uplift: boolean;
  slip_m: number;
  /** Follows the unit of motion, as "/year". */
  per?: string;
}) {
  const reference = nice_below(props.top_horizontal);
  const pixels = Math.max(4, (ARROW_PX * reference) / (props.top_horizontal || 1));
  const is_dark = dark.value;
  return (
    <div class="legend">
      {props.vectors ? (
        <div>
          <svg width={pixels + 4} height="12" aria-hidden="true" class="arrow">
            <path d={`M1 6H${pixels - 5}`} />
            <path class="head" d={`M${pixels + 1} 6l-7 -3.2v6.4z`} />
          </svg>
          <span>{motion(reference, props.per_slip).replace("+", "")}{props.per}</span>
        </div>
      ) : null}
      {props.uplift ? (
        <div>
          <span>{motion(-props.top_vertical, false)}</span>
          <Ramp color={(t) => uplift_color(2 * t - 1, 1, is_dark)} />
          <span>{motion(props.top_vertical, props.per_slip)}{props.per} up</span>
        </div>
      ) : null}
      {props.slip_m > 0 ? (
        <div>
          <span>0</span>
          <Ramp color={(t) => slip_color(t, is_dark)} />
          <span>{props.slip_m.toFixed(props.slip_m < 1 ? 2 : 1)} m slip</span>
        </div>
      ) : null}
    </div>
  );
}
