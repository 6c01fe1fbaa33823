// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useState } from "preact/hooks";

import { epoch } from "../format";
import { Icon } from "../widgets/icon";

const STEP_MS = 450;

/** A slider over epochs, which may play. */
export function EpochSlider({ epochs, at, choose }: { epochs: number[]; at: number; choose: (at: number) => void }) {
  const [playing, set_playing] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      if (at + 1 >= epochs.length) set_playing(false);
      else choose(at + 1);
    }, STEP_MS);
    return () => clearTimeout(timer);
  }, [playing, at]);
  const play = () => {
    if (!playing && at + 1 >= epochs.length) choose(0);
    set_playing(!playing);
  };
  return (
    <div class="epochs">
      <button type="button" class="plain" onClick={play} aria-label={playing ? "Stop" : "Play the epochs"}>
        <Icon name={playing ? "pause" : "play"} />
      </button>
      <input
        type="range"
        min={0}
        max={epochs.length - 1}
        value={at}
        aria-label="Epoch"
        aria-valuetext={epoch(epochs[at]!)}
        onInput={(e) => choose(Number(e.currentTarget.value))}
      />
      <output>
        {epoch(epochs[at]!)}
        <span class="quiet">
          {" "}
          {at + 1} of {epochs.length}
        </span>
      </output>
    </div>
  );
}
