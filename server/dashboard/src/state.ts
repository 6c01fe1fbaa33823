// SPDX-License-Identifier: BSD-3-Clause
// Holds the state that all views share: who is logged in, and the server's overview.
import { computed, signal } from "@preact/signals";

import { CallError, log_in, log_out, type Session, when_unauthenticated, who_am_i } from "./api";
import type {
  Campaign, Job, ListCampaignsResponse, ListJobsResponse, ListWorkersResponse, Stats,
} from "./gen/kaname";
import { Stream } from "./live";
import { take_login } from "./router";

export type Entry = "unknown" | "out" | "in";

export const session = signal<Session | null>(null);
export const entry = signal<Entry>("unknown");
/** Why somebody is logged out; empty: they were never in. */
export const entry_note = signal("");

export const stats = signal<Stats | null>(null);
export const workers = signal<ListWorkersResponse | null>(null);
export const newest_jobs = signal<Map<string, Job>>(new Map());
export const newest_campaigns = signal<Map<string, Campaign>>(new Map());
/** Holds the error of the last request for the overview that failed although the server answers; empty
 *  after a good one. */
export const trouble = signal("");
export const connected = signal(true);
export const lost_at = signal(0);
export const reconnects = signal(0);
/** Unix time [s], once a second: for ages that grow. */
export const now_s = signal(Date.now() / 1000);

export interface Note {
  id: number;
  text: string;
  kind: "ok" | "bad";
}
export const notes = signal<Note[]>([]);
let next_note = 1;
const NOTE_MS = 6000;

export function note(text: string, kind: Note["kind"] = "ok"): void {
  const id = next_note++;
  notes.value = [...notes.value, { id, text, kind }];
  setTimeout(() => forget_note(id), kind === "bad" ? 3 * NOTE_MS : NOTE_MS);
}

export function forget_note(id: number): void {
  notes.value = notes.value.filter((item) => item.id !== id);
}

/** Returns true if the role may make a call. A call on another user's job is refused only when it is made. */
export function may(method: string): boolean {
  return session.value?.methods.includes(method) ?? false;
}

/** A link that would log in somebody else than who is logged in: its code, and what the server says. */
export const other_login = signal<{ code: string; text: string } | null>(null);

export const is_operator = computed(() => ["operator", "admin"].includes(session.value?.role ?? ""));

/** Cancel, retry and delete: an owner's own, and operators'. */
export function may_change(owner: string | undefined, method: string): boolean {
  return may(method) && (is_operator.value || owner === session.value?.name);
}

let overview: Stream | null = null;

function merge<T extends { name?: string }>(old: Map<string, T>, changed: T[] | undefined, all: boolean) {
  const map = new Map(all ? [] : old);
  for (const item of changed ?? []) map.set(item.name ?? "", item);
  return map;
}

export function follow_overview(): void {
  overview?.stop();
  // The first message of each kind on a new connection is whole; those behind it are changes.
  const fresh = new Set<string>();
  overview = new Stream("v1/events/overview", {
    opened: (again) => {
      fresh.clear();
      fresh.add("jobs").add("campaigns");
      if (again) reconnects.value += 1;
      connected.value = true;
      trouble.value = "";
    },
    on: (event, data) => {
      if (event !== "trouble") trouble.value = "";
      if (event === "stats") stats.value = data as Stats;
      else if (event === "workers") workers.value = data as ListWorkersResponse;
      else if (event === "jobs") {
        const list = (data as ListJobsResponse).jobs;
        newest_jobs.value = merge(newest_jobs.value, list, fresh.delete("jobs"));
      } else if (event === "campaigns") {
        const list = (data as ListCampaignsResponse).campaigns;
        newest_campaigns.value = merge(newest_campaigns.value, list, fresh.delete("campaigns"));
      } else if (event === "trouble") trouble.value = (data as { message?: string }).message ?? "";
    },
    lost: () => {
      if (connected.value) lost_at.value = Date.now() / 1000;
      connected.value = false;
    },
    ended: (error) => {
      if (error?.status === 401) leave("Your session has ended: the token expired or was revoked.");
      else if (error) trouble.value = error.message;
    },
  });
}

export function retry_now(): void {
  overview?.retry();
}

function enter(who: Session): void {
  session.value = who;
  entry.value = "in";
  entry_note.value = "";
  follow_overview();
}

function leave(why: string): void {
  if (entry.value === "out") return;
  overview?.stop();
  overview = null;
  session.value = null;
  stats.value = null;
  workers.value = null;
  newest_jobs.value = new Map();
  newest_campaigns.value = new Map();
  connected.value = true;
  entry_note.value = why;
  entry.value = "out";
}

export async function log_in_with(by: { token: string } | { code: string }): Promise<void> {
  enter(await log_in(by));
}

/** Logs in by the link after all, in place of who is logged in. */
export async function take_other_login(): Promise<void> {
  const other = other_login.value;
  if (!other) return;
  const who = await log_in({ code: other.code }, true);
  leave("");
  enter(who);
}

export async function log_out_now(): Promise<void> {
  await log_out().catch(() => {});
  leave("");
}

/** By the code of the address, else by the session that the browser has. */
export async function start_session(): Promise<void> {
  when_unauthenticated(() => leave("Your session has ended: the token expired or was revoked."));
  setInterval(() => {
    if (document.visibilityState === "visible") now_s.value = Date.now() / 1000;
  }, 1000);
  await resume(take_login());
  addEventListener("hashchange", () => {
    const code = take_login();
    if (code) {
      dispatchEvent(new HashChangeEvent("hashchange"));
      void resume(code);
    }
  });
}

async function resume(code: { code: string } | null): Promise<void> {
  try {
    enter(code ? await log_in(code) : await who_am_i());
  } catch (error) {
    if (code && (error as CallError).status === 409) {
      other_login.value = { ...code, text: (error as Error).message };
      return resume(null);
    }
    if (code && !(error as CallError).passing) {
      // A code is good once; the session that it made may still be there.
      try {
        return enter(await who_am_i());
      } catch {
        entry_note.value = `This address no longer logs in: ${(error as Error).message}`;
      }
    } else if ((error as CallError).status !== 401) {
      entry_note.value = (error as Error).message;
    }
    entry.value = "out";
  }
}
