// SPDX-License-Identifier: BSD-3-Clause
const PATHS: Record<string, string> = {
  overview: "M3 13h4l3-8 4 14 3-8h4",
  jobs: "M4 6h16M4 12h16M4 18h10",
  campaigns: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  map: "M9 4 3 6.5v13L9 17l6 3 6-2.5v-13L15 7zM9 4v13M15 7v13",
  mesh: "M12 3 3 19h18zM12 3v16M7.5 11h9M7.5 11l4.5 8 4.5-8",
  data: "M4 19V5M4 19h16M8 15.5l3.5-5 3 2.5 4.5-7M8 8h.01M17.5 14.5h.01",
  open: "M4 7V5h6l2 2h8v12H4zM4 10h16",
  workers: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  admin: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z",
  out: "M14 4h5v16h-5M3 12h11M10 8l4 4-4 4",
  close: "M6 6l12 12M18 6 6 18",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  play: "M7 5v14l12-7z",
  pause: "M8 5v14M16 5v14",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  state_ok: "M5 12.5l4.5 4.5L19 7.5",
  state_run: "M12 4a8 8 0 1 1-8 8",
  state_wait: "M12 6v6l4 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  state_bad: "M12 4 2.8 20h18.4zM12 10v4M12 17v.01",
  state_warn: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v5M12 16v.01",
  state_off: "M6 12h12",
};

/** Decoration beside a word: hidden from screen readers. */
export function Icon({ name }: { name: string }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}
