// SPDX-License-Identifier: BSD-3-Clause
// The map's canvas: drag, wheel and pinch; arrows, + and - and 0 on the keyboard.
import { useEffect, useRef, useState } from "preact/hooks";

import { degrees } from "../format";
import { dark } from "../theme";
import { useSize } from "../widgets/use";
import { type Camera, draw, fit, type Look, to_scene } from "./draw";
import { axes_at, hit, type Scene } from "./geometry";
import { nice_below } from "./colors";

const REACH_PX = 11;
const ZOOM = 1.35;
const PAN_PX = 60;

export interface MapCanvasProps {
  scene: Scene;
  land: { land: Path2D; grid: Path2D } | null;
  look: Omit<Look, "dark" | "width" | "height" | "camera" | "land" | "hovered">;
  label: string;
  choose: (found: { station?: string; patch?: string }) => void;
  /** Says more of what is pointed at than its name and place; `at` is its longitude and latitude. */
  describe?: (found: { station?: string; patch?: string; at: [number, number] | null }) => string;
}

export function MapCanvas({ scene, land, look, label, choose, describe }: MapCanvasProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [camera, set_camera] = useState<Camera | null>(null);
  const [over, set_over] = useState<{ id: string; text: string; x: number; y: number } | null>(null);
  const fitted = useRef({ width: 0, height: 0 });
  useEffect(() => {
    if (size.width < 10) return;
    if (!camera || fitted.current.width !== size.width || fitted.current.height !== size.height) {
      fitted.current = size;
      set_camera(fit(scene, size.width, size.height));
    }
  }, [size.width, size.height, scene]);
  useEffect(() => {
    if (size.width > 10) set_camera(fit(scene, size.width, size.height));
  }, [scene]);
  useEffect(() => {
    if (!canvas.current || !camera) return;
    const frame = requestAnimationFrame(() => {
      if (canvas.current) {
        draw(canvas.current, scene, {
          ...look, dark: dark.value, width: size.width, height: size.height, camera, land, hovered: over?.id ?? "",
        });
      }
    });
    return () => cancelAnimationFrame(frame);
  });

  const zoom = (by: number, x: number, y: number) =>
    set_camera((old) => {
      if (!old) return old;
      const least = fit(scene, size.width, size.height).scale / 6;
      const scale = Math.min(60, Math.max(least, old.scale * by));
      const k = scale / old.scale;
      return { scale, x: x - k * (x - old.x), y: y - k * (y - old.y) };
    });
  const pan = (dx: number, dy: number) => set_camera((old) => (old ? { ...old, x: old.x + dx, y: old.y + dy } : old));
  const home = () => set_camera(fit(scene, size.width, size.height));

  const held = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const at = (event: PointerEvent | WheelEvent) => {
    const area = canvas.current!.getBoundingClientRect();
    return { x: event.clientX - area.left, y: event.clientY - area.top };
  };
  const find = (place: { x: number; y: number }) =>
    camera ? hit(scene, to_scene(camera, place.x, place.y), REACH_PX / camera.scale) : {};
  const down = (event: PointerEvent) => {
    canvas.current?.setPointerCapture(event.pointerId);
    held.current.set(event.pointerId, at(event));
    if (held.current.size === 1) moved.current = 0;
  };
  const move = (event: PointerEvent) => {
    const place = at(event);
    const before = held.current.get(event.pointerId);
    if (!before) {
      const found = find(place);
      const id = found.station?.id ?? found.patch?.id ?? "";
      const text = describe
        ? describe({ station: found.station?.id, patch: found.patch?.id, at: camera ? scene.invert(to_scene(camera, place.x, place.y)) : null })
        : found.station
        ? `${found.station.id}${scene.geographic ? `, ${degrees(found.station.lon, found.station.lat)}` : ""}`
        : found.patch
          ? `patch ${found.patch.id}, ${((found.patch.of.depth_m ?? 0) / 1000).toFixed(1)} km deep`
          : "";
      set_over(id || text ? { id, text, ...place } : null);
      return;
    }
    const others = [...held.current.entries()].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    if (others.length) {
      const [anchor] = others;
      const span = (p: { x: number; y: number }) => Math.max(8, Math.hypot(p.x - anchor!.x, p.y - anchor!.y));
      zoom(span(place) / span(before), anchor!.x, anchor!.y);
      moved.current += 99;
    } else {
      pan(place.x - before.x, place.y - before.y);
      moved.current += Math.hypot(place.x - before.x, place.y - before.y);
    }
    held.current.set(event.pointerId, place);
  };
  const up = (event: PointerEvent) => {
    const was = held.current.delete(event.pointerId);
    if (!was || moved.current > 5 || event.type !== "pointerup") return;
    const found = find(at(event));
    if (found.station) choose({ station: found.station.id });
    else if (found.patch) choose({ patch: found.patch.id });
  };
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const place = at(event);
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), place.x, place.y);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });
  const key = (event: KeyboardEvent) => {
    const act: Record<string, () => void> = {
      ArrowLeft: () => pan(PAN_PX, 0), ArrowRight: () => pan(-PAN_PX, 0), ArrowUp: () => pan(0, PAN_PX),
      ArrowDown: () => pan(0, -PAN_PX), "+": () => zoom(ZOOM, size.width / 2, size.height / 2),
      "=": () => zoom(ZOOM, size.width / 2, size.height / 2), "-": () => zoom(1 / ZOOM, size.width / 2, size.height / 2),
      "0": home,
    };
    if (!act[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act[event.key]!();
  };
  return (
    <div class="map-box" ref={box}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`${label} Arrows move the map, plus and minus zoom, 0 shows all.`}
        style={{ width: `${size.width}px`, height: `${size.height}px`, cursor: over?.id ? "pointer" : "grab" }}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onPointerLeave={() => set_over(null)}
        onKeyDown={key}
      />
      {over ? (
        <div class="tip" style={{ left: `${Math.min(over.x + 14, size.width - 190)}px`, top: `${Math.max(4, over.y - 34)}px` }}>
          {over.text}
        </div>
      ) : null}
      {camera ? <Compass scene={scene} camera={camera} width={size.width} height={size.height} /> : null}
      <div class="zoom">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(ZOOM, size.width / 2, size.height / 2)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM, size.width / 2, size.height / 2)}>
          −
        </button>
        <button type="button" aria-label="Show all" title="Show all" onClick={home}>
          ⤢
        </button>
      </div>
    </div>
  );
}

/** True north at the middle of the view, and a length. */
function Compass({ scene, camera, width, height }: { scene: Scene; camera: Camera; width: number; height: number }) {
  const middle = to_scene(camera, width / 2, height / 2);
  const place = scene.invert(middle);
  const north = place
    ? axes_at(scene, { ...middle, id: "", lon: place[0], lat: place[1], depth_m: 0 }).north
    : { x: 0, y: -1 };
  const turn = (Math.atan2(north.x, -north.y) * 180) / Math.PI;
  const km = nice_below(110 / camera.scale);
  const pixels = Math.round(km * camera.scale);
  return (
    <div class="compass">
      <svg viewBox="-16 -16 32 32" role="img" aria-label={scene.geographic ? `True north, ${turn.toFixed(1)} degrees from up` : "The mesh's north"}>
        <g transform={`rotate(${turn.toFixed(2)})`}>
          <path class="needle" d="M0 -14 5 4 0 1 -5 4z" />
          <text y="14">{scene.geographic ? "N" : "y"}</text>
        </g>
      </svg>
      <div class="scale-bar">
        <span style={{ width: `${pixels}px` }} />
        {km >= 1 ? `${km} km` : `${km * 1000} m`}
      </div>
    </div>
  );
}
