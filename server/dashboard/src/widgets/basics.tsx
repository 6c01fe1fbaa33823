// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from "preact";

import { moment, span } from "../format";
import { now_s } from "../state";
import { Icon } from "./icon";

export type Tone = "ok" | "run" | "wait" | "bad" | "warn" | "off";

const TONES: Record<string, Tone> = {
  ACTIVE: "run", LIVE: "run", BUSY: "run", running: "run", WAITING: "wait", PAUSED: "wait", NOT_READY: "warn",
  DONE: "ok", done: "ok", IDLE: "ok", FAILED: "bad", failed: "bad", REFUSED: "bad", LOST: "bad",
  CANCELLED: "off", LEFT: "off", DRAINING: "warn", CORDONED: "bad",
};

/** A state by word and shape, not by colour alone. */
export function State({ of }: { of: string | undefined }) {
  const word = (of ?? "").replace(/_/g, " ").toLowerCase() || "unknown";
  const tone = TONES[of ?? ""] ?? "off";
  return (
    <span class={`state ${tone}`}>
      <Icon name={`state_${tone}`} />
      {word}
    </span>
  );
}

export function Tag({ tone = "off", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`tag ${tone}`}>{children}</span>;
}

/** Parts of a whole; the label says it for who does not see it. */
export function Bar({ parts, label }: { parts: { share: number; tone: Tone }[]; label: string }) {
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      {parts.map((part, i) =>
        part.share > 0 ? (
          <span key={i} class={part.tone} style={{ width: `${Math.min(100, part.share * 100)}%` }} />
        ) : null,
      )}
    </span>
  );
}

export function Ago({ at }: { at: number | undefined }) {
  if (!at) return <>–</>;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
      {span(Math.max(0, Math.floor(now_s.value - at)))} ago
    </time>
  );
}

export function Figure(props: { label: string; value: ComponentChildren; note?: ComponentChildren; tone?: Tone }) {
  return (
    <div class={`figure ${props.tone ?? ""}`}>
      <dt>{props.label}</dt>
      <dd>
        <strong>{props.value}</strong>
        {props.note ? <span class="note">{props.note}</span> : null}
      </dd>
    </div>
  );
}

export function Panel(props: {
  title: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}) {
  return (
    <section class={`panel ${props.class ?? ""}`}>
      <header>
        <h2>{props.title}</h2>
        {props.actions ? <div class="actions">{props.actions}</div> : null}
      </header>
      {props.children}
    </section>
  );
}

/** Nothing is there: what that means, and the command that changes it. */
export function Empty({ children, command }: { children: ComponentChildren; command?: string }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {command ? <code>{command}</code> : null}
    </div>
  );
}

export function Fault({ error, again }: { error: Error; again?: () => void }) {
  return (
    <div class="fault" role="alert">
      <Icon name="state_bad" />
      <p>{error.message}</p>
      {again ? (
        <button type="button" onClick={again}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what} …
    </p>
  );
}
