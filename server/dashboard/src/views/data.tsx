// SPDX-License-Identifier: BSD-3-Clause
// Series and rasters of a file that `kaname data` wrote for this view. It is read by the browser and sent nowhere.
import { useEffect, useRef, useState } from "preact/hooks";

import { fault, opened, show } from "../data/opened";
import { read_view } from "../data/view_file";
import { set_query } from "../router";
import { Empty, Fault, Loading } from "../widgets/basics";
import { Icon } from "../widgets/icon";
import { RasterData } from "./data_raster";
import { SeriesData } from "./data_series";

async function open(files: ArrayLike<File>): Promise<void> {
  fault.value = null;
  opened.value = null;
  try {
    if (files.length !== 1) throw new Error(`must be one file at a time, got ${files.length}`);
    const file = files[0]!;
    const view = await read_view(file);
    set_query({ station: undefined, point: undefined, arrows: undefined });
    show(file.name, view);
  } catch (error) {
    fault.value = error as Error;
  }
}

export function DataFile() {
  const input = useRef<HTMLInputElement>(null);
  const [busy, set_busy] = useState(false);
  const [over, set_over] = useState(false);
  const take = async (files: ArrayLike<File> | null | undefined) => {
    if (!files?.length) return;
    set_busy(true);
    await open(Array.from(files));
    set_busy(false);
  };
  // A file that is dropped beside the view would otherwise replace the page.
  useEffect(() => {
    const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const drag = (event: DragEvent) => {
      if (!carries(event)) return;
      event.preventDefault();
      set_over(true);
    };
    const leave = (event: DragEvent) => {
      if (!event.relatedTarget) set_over(false);
    };
    const drop = (event: DragEvent) => {
      if (!carries(event)) return;
      event.preventDefault();
      set_over(false);
      void take(event.dataTransfer?.files);
    };
    document.addEventListener("dragover", drag);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", drag);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  const shown = opened.value;
  return (
    <div class={over ? "data dropping" : "data"}>
      <div class="heading">
        <div>
          <h1>{shown ? shown.view.title : "Data"}</h1>
          <p class="quiet wraps">
            {shown ? `${shown.name}, read by this browser alone` : "Series and rasters that kaname data has prepared. A file stays in this browser."}
          </p>
        </div>
        <div class="actions">
          <button type="button" class={shown ? "" : "primary"} onClick={() => input.current?.click()}>
            <Icon name="open" />
            Open a file
          </button>
          <input
            ref={input}
            type="file"
            accept=".json,application/json"
            hidden
            aria-label="File of kaname data"
            onChange={(e) => {
              // A file that was made anew may be chosen again.
              const files = Array.from(e.currentTarget.files ?? []);
              e.currentTarget.value = "";
              void take(files);
            }}
          />
        </div>
      </div>
      {fault.value ? <Fault error={fault.value} /> : null}
      {busy ? (
        <Loading what="the file" />
      ) : shown?.view.kind === "series" ? (
        <SeriesData key={shown.turn} view={shown.view} />
      ) : shown?.view.kind === "raster" ? (
        <RasterData key={shown.turn} view={shown.view} />
      ) : (
        <div class="panel">
          <Empty command="kaname data gnss FOLDER --view unr.view.json">
            Drop NAME.view.json here, or open it. Rasters have theirs from kaname data insar, series from
          </Empty>
        </div>
      )}
    </div>
  );
}
