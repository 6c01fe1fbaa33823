// SPDX-License-Identifier: BSD-3-Clause
import { HUES } from "../charts/hues";
import { Plot } from "../charts/plot";
import { degrees, motion, YEAR_S } from "../format";
import type { Station } from "../map/geometry";
import type { Slices } from "../map/slices";
import { set_query } from "../router";
import { Fault, Loading } from "../widgets/basics";
import { Icon } from "../widgets/icon";
import { useRead } from "../widgets/use";

const DAY_S = 86400;

/** Motion of one station in time, read alone. */
export function Series(props: {
  slices: Slices;
  source: string;
  station: Station;
  epochs: number[];
  at: number;
  per_slip: boolean;
  geographic: boolean;
}) {
  const { station, epochs, at } = props;
  const got = useRead(() => props.slices.series(props.source, station.id), [props.source, station.id]);
  const values = got.value;
  const last = epochs[epochs.length - 1] ?? 0;
  const [unit_s, unit] = last > 3 * YEAR_S ? [YEAR_S, "years"] : [DAY_S, "days"];
  const of = (k: number) => epochs.map((_, i) => (values && Number.isFinite(values[3 * i + k]!) ? 1000 * values[3 * i + k]! : null));
  const names = props.geographic ? ["east", "north", "up"] : ["x", "y", "z"];
  return (
    <section class="series" aria-label={`Motion of ${station.id}`}>
      <header>
        <h2>{station.id}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={() => set_query({ station: undefined })}>
          <Icon name="close" />
        </button>
      </header>
      <p class="quiet">{props.geographic ? degrees(station.lon, station.lat) : ""}</p>
      {got.error ? <Fault error={got.error} again={got.again} /> : null}
      {values ? (
        <>
          <dl class="enu">
            {names.map((name, k) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{motion(values[3 * at + k]!, false)}</dd>
              </div>
            ))}
          </dl>
          {epochs.length > 1 ? (
            <Plot
              label={`Motion of ${station.id} over ${epochs.length} epochs`}
              x={epochs.map((s) => s / unit_s)}
              x_label={unit}
              y_label={props.per_slip ? "mm per m of slip" : "mm"}
              mark={(epochs[at] ?? 0) / unit_s}
              height={230}
              curves={names.map((name, k) => ({ label: name, values: of(k), color: HUES[k]! }))}
            />
          ) : null}
        </>
      ) : got.busy ? (
        <Loading what="its motion" />
      ) : null}
    </section>
  );
}
