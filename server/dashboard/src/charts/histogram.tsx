// SPDX-License-Identifier: BSD-3-Clause
import { count } from "../format";

/** Bars of counts; on a logarithmic scale small classes stay visible: bad elements are few. */
export function Histogram(props: { label: string; x_label: string; edges: string[]; counts: number[]; bad?: (i: number) => boolean }) {
  const [width, height, left, bottom] = [560, 190, 8, 34];
  const top = Math.max(1, ...props.counts);
  const scale = (value: number) => (value > 0 ? (Math.log10(value) + 0.3) / (Math.log10(top) + 0.3) : 0);
  const step = (width - 2 * left) / props.counts.length;
  return (
    <svg class="histogram" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}>
      {props.counts.map((value, i) => {
        const tall = scale(value) * (height - bottom - 20);
        const x = left + i * step;
        return (
          <g key={i} class={props.bad?.(i) ? "bad" : ""}>
            <title>{`${props.edges[i]}: ${count(value)}`}</title>
            <rect x={x + 1} y={height - bottom - tall} width={step - 2} height={tall} rx="1.5" />
            {value > 0 ? (
              <text class="value" x={x + step / 2} y={height - bottom - tall - 4}>
                {brief(value)}
              </text>
            ) : null}
            {i % (props.counts.length > 12 ? 3 : 1) === 0 ? (
              <text x={x + (props.counts.length > 12 ? 0 : step / 2)} y={height - bottom + 14}>
                {props.edges[i]}
              </text>
            ) : null}
          </g>
        );
      })}
      <path class="ground" d={`M${left} ${height - bottom + 0.5}H${width - left}`} />
      <text class="axis" x={width / 2} y={height - 4}>
        {props.x_label}
      </text>
    </svg>
  );
}

function brief(value: number): string {
  if (value < 1000) return String(value);
  if (value < 999500) return `${(value / 1000).toFixed(value < 9950 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(1)}M`;
}
