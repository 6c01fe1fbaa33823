// SPDX-License-Identifier: BSD-3-Clause

/** A line of samples at even times; gaps where a value is unknown (negative or NaN). */
export function Spark(props: { values: number[]; top: number; label: string; tone?: string }) {
  const { values, top } = props;
  const [width, height] = [120, 26];
  const parts: string[] = [];
  let pen = false;
  values.forEach((value, i) => {
    if (!(value >= 0)) {
      pen = false;
      return;
    }
    const x = values.length > 1 ? (i / (values.length - 1)) * width : width;
    const y = height - 1.5 - Math.min(1, value / (top || 1)) * (height - 3);
    parts.push(`${pen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
    pen = true;
  });
  const line = parts.join("");
  return (
    <svg
      class={`spark ${props.tone ?? ""}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={props.label}
    >
      <path class="ground" d={`M0 ${height - 0.5}H${width}`} />
      {line ? <path class="line" d={parts.length === 1 ? `${line}h2` : line} /> : null}
    </svg>
  );
}
