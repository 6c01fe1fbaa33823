// SPDX-License-Identifier: BSD-3-Clause
// uPlot with the page's colours and units. What a plot shows is told in words too, by its label.
import { useEffect } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { figure } from "../format";
import { dark } from "../theme";
import { useSize } from "../widgets/use";

export interface Curve {
  label: string;
  values: (number | null)[];
  color: { light: string; dark: string };
  dash?: number[];
  scale?: string;
  points?: boolean;
  /** Dots of this size and no line. */
  dots?: number;
  /** The line goes on over missing values. */
  span?: boolean;
}

export interface PlotProps {
  label: string;
  x: number[];
  x_label: string;
  y_label: string;
  curves: Curve[];
  log?: boolean;
  height?: number;
  /** A vertical line at this x. */
  mark?: number;
  /** Vertical lines in colours of their own. */
  marks?: { x: number; color: { light: string; dark: string } }[];
  /** Ends of the vertical axis; left out: those of the values. */
  range?: [number, number];
  /** Text of an x, of years without a group of thousands. */
  x_text?: (value: number) => string;
  /** Without the values at the pointer below the plot. */
  bare?: boolean;
  right_label?: string;
  digits?: (value: number) => string;
}

const INK = { light: "#4a5a68", dark: "#a3b3c0" };
const GRID = { light: "#e3e8ec", dark: "#25313a" };

export function Plot(props: PlotProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const mode = dark.value ? "dark" : "light";
  const key = JSON.stringify([props.x, props.curves, props.mark, props.marks, props.range, props.log]);
  useEffect(() => {
    if (!box.current || size.width < 60) return;
    const say = props.digits ?? ((value: number) => figure(value));
    const axis = (label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis => ({
      label,
      stroke: INK[mode],
      grid: { stroke: GRID[mode], width: 1 },
      ticks: { stroke: GRID[mode], width: 1, size: 4 },
      font: "11px Inter, system-ui, sans-serif",
      labelFont: "11px Inter, system-ui, sans-serif",
      labelSize: 18,
      size: 56,
      ...more,
    });
    const right = props.curves.some((curve) => curve.scale === "right");
    const plot = new uPlot(
      {
        width: size.width,
        height: props.height ?? 220,
        scales: { x: { time: false }, y: { distr: props.log ? 3 : 1, ...(props.range ? { range: props.range } : {}) } },
        legend: { show: !props.bare },
        axes: [
          axis(props.x_label, { size: 34, ...(props.x_text ? { values: (_: uPlot, at: number[]) => at.map(props.x_text!) } : {}) }),
          axis(props.y_label, {
            // A logarithmic scale has grid lines at powers of ten alone.
            grid: {
              stroke: GRID[mode],
              width: 1,
              filter: (_, at) => (props.log ? at.map((v) => (v && Number.isInteger(Math.round(1e6 * Math.log10(v)) / 1e6) ? v : null)) : at),
            },
            values: (_, at) => at.map((v) => (v === null || v === undefined ? "" : figure(v, 2))),
          }),
          ...(right
            ? [axis(props.right_label ?? "", { side: 1, scale: "right", grid: { show: false } })]
            : []),
        ],
        series: [
          { label: props.x_label, value: (_, v) => (v === null ? "–" : (props.x_text ?? figure)(v)) },
          ...props.curves.map(
            (curve): uPlot.Series => ({
              label: curve.label,
              scale: curve.scale ?? "y",
              stroke: curve.color[mode],
              width: 1.8,
              dash: curve.dash,
              spanGaps: curve.span ?? false,
              ...(curve.dots ? { paths: () => null } : {}),
              points: curve.dots
                ? { show: true, size: curve.dots, space: 0, width: 0, fill: curve.color[mode] }
                : { show: curve.points ?? curve.values.length < 60, size: 5 },
              value: (_, v) => (v === null ? "–" : say(v)),
            }),
          ),
        ],
        hooks: {
          draw: [
            (at) => {
              const { ctx, bbox } = at;
              const marks = [
                ...(props.mark === undefined ? [] : [{ x: props.mark, color: INK, dash: [3, 3] }]),
                ...(props.marks ?? []).map((mark) => ({ ...mark, dash: [] as number[] })),
              ];
              for (const mark of marks) {
                const x = Math.round(at.valToPos(mark.x, "x", true));
                if (x < bbox.left || x > bbox.left + bbox.width) continue;
                ctx.save();
                ctx.strokeStyle = mark.color[mode];
                ctx.setLineDash(mark.dash);
                ctx.lineWidth = uPlot.pxRatio;
                ctx.translate(ctx.lineWidth / 2, 0);
                ctx.beginPath();
                ctx.moveTo(x, bbox.top);
                ctx.lineTo(x, bbox.top + bbox.height);
                ctx.stroke();
                ctx.restore();
              }
            },
          ],
        },
      },
      [props.x, ...props.curves.map((curve) => curve.values)] as uPlot.AlignedData,
      box.current,
    );
    return () => plot.destroy();
  }, [key, size.width, mode]);
  return <div class="plot" ref={box} role="img" aria-label={props.label} />;
}
