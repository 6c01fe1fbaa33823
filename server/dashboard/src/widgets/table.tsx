// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { Icon } from "./icon";

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Returns the value by which the column is sorted; a column without it cannot be sorted. */
  by?: (row: Row) => number | string;
  /** Numbers stand at the right. */
  right?: boolean;
  /** Left out on narrow screens; `wider`: on all but wide ones. */
  wide?: boolean;
  wider?: boolean;
}

/** A table whose columns sort by a click or the keyboard. Row keys keep rows in place under live changes. */
export function Table<Row>(props: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  id: (row: Row) => string;
  tone?: (row: Row) => string;
  start?: { key: string; down: boolean };
}) {
  const [order, set_order] = useState(props.start ?? null);
  const column = props.columns.find((item) => item.key === order?.key);
  const rows = column?.by && order ? sorted(props.rows, column.by, order.down) : props.rows;
  const turn = (key: string) =>
    set_order(order?.key === key ? { key, down: !order.down } : { key, down: false });
  return (
    <div class="table" role="region" aria-label={props.label} tabIndex={0}>
      <table>
        <caption class="unseen">{props.label}</caption>
        <thead>
          <tr>
            {props.columns.map((item) => (
              <th
                key={item.key}
                scope="col"
                class={class_of(item)}
                aria-sort={order?.key === item.key ? (order.down ? "descending" : "ascending") : undefined}
              >
                {item.by ? (
                  <button type="button" onClick={() => turn(item.key)}>
                    {item.title}
                    {order?.key === item.key ? <Icon name={order.down ? "down" : "up"} /> : null}
                  </button>
                ) : (
                  item.title || <span class="unseen">Actions</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={props.id(row)} class={props.tone?.(row)}>
              {props.columns.map((item) => (
                <td key={item.key} class={class_of(item)} data-title={item.title}>
                  {item.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function class_of<Row>(column: Column<Row>): string {
  return `${column.right ? "right" : ""} ${column.wide ? "wide" : ""} ${column.wider ? "wider" : ""}`.trim();
}

function sorted<Row>(rows: Row[], by: (row: Row) => number | string, down: boolean): Row[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [by(a), by(b)];
    return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
  });
}
