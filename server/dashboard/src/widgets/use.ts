// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import type { CallError } from "../api";
import { reconnects } from "../state";

export interface Read<T> {
  value: T | null;
  error: CallError | null;
  busy: boolean;
  again: () => void;
}

/** Returns the result of `read`, which is read anew when `keys` change, when the server is back, and by
 *  `again`. An old value stays while a new one is read. */
export function useRead<T>(read: (signal: AbortSignal) => Promise<T>, keys: unknown[]): Read<T> {
  const [state, set_state] = useState<{ value: T | null; error: CallError | null; busy: boolean; key: string }>({
    value: null, error: null, busy: true, key: "",
  });
  const [turn, set_turn] = useState(0);
  const again = useCallback(() => set_turn((n) => n + 1), []);
  const back = reconnects.value;
  const key = JSON.stringify(keys);
  useEffect(() => {
    const abort = new AbortController();
    set_state((old) => ({ ...old, value: old.key === key ? old.value : null, error: null, busy: true, key }));
    read(abort.signal).then(
      (value) => !abort.signal.aborted && set_state({ value, error: null, busy: false, key }),
      (error) =>
        !abort.signal.aborted && set_state((old) => ({ ...old, error: error as CallError, busy: false })),
    );
    return () => abort.abort();
  }, [key, turn, back]);
  return { ...state, again };
}

/** As useRead, and every `seconds` again while the tab is seen. */
export function usePolled<T>(read: (signal: AbortSignal) => Promise<T>, keys: unknown[], seconds: number): Read<T> {
  const got = useRead(read, keys);
  const again = useRef(got.again);
  again.current = got.again;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") again.current();
    }, seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return got;
}

/** Size of an element in CSS pixels, followed. */
export function useSize<E extends HTMLElement>(): [{ current: E | null }, { width: number; height: number }] {
  const element = useRef<E>(null);
  const [size, set_size] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const watch = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      set_size({ width: Math.round(width), height: Math.round(height) });
    });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return [element, size];
}
