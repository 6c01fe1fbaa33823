// SPDX-License-Identifier: BSD-3-Clause
// The server as docs/user/http.md has it: calls with one answer, and files.
import type { Calls } from "./gen/kaname";

export interface Session {
  name: string;
  role: string;
  token_id?: string;
  expires_s: number;
  version: string;
  methods: string[];
  streams: string[];
}

/** Describes a call that the server refused; `status` is 0 when no server answered. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly violations: { field: string; description: string }[] = [],
  ) {
    super(message);
  }
  /** Is true if the same call may succeed in a moment. */
  get passing(): boolean {
    return this.status === 0 || this.status === 503 || this.code === 14;
  }
}

type Listener = (error: CallError) => void;
let on_unauthenticated: Listener = () => {};
/** Who is told that the session has ended. */
export function when_unauthenticated(listener: Listener): void {
  on_unauthenticated = listener;
}

/** Folder of the page's address: the root, or a path where a proxy has put it. Calls are relative to it. */
const BASE = new URL(".", document.baseURI).pathname;

const UNREACHABLE = "The server does not answer.";

export async function refusal(answer: Response): Promise<CallError> {
  const text = await answer.text().catch(() => "");
  try {
    const status = JSON.parse(text);
    const violations = (status.details ?? []).flatMap(
      (detail: Record<string, unknown>) => detail.field_violations ?? detail.fieldViolations ?? [],
    );
    return new CallError(answer.status, status.code ?? 0, status.message ?? text, violations);
  } catch {
    return new CallError(answer.status, 0, text.slice(0, 500) || `HTTP ${answer.status}`);
  }
}

async function request(path: string, init: RequestInit, quiet = false): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new CallError(0, 14, UNREACHABLE);
  }
  if (answer.ok) return answer;
  const error = await refusal(answer);
  if (error.status === 401 && !quiet) on_unauthenticated(error);
  throw error;
}

function post(path: string, body: unknown, signal?: AbortSignal, quiet = false): Promise<Response> {
  return request(
    path,
    {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Kaname-Page": "1", "X-Kaname-Path": BASE },
      body: JSON.stringify(body),
      signal,
    },
    quiet,
  );
}

/** A call with one answer: `call("Jobs/GetJob", { name })`. Throws CallError. */
export async function call<M extends keyof Calls>(
  method: M,
  body: Calls[M]["request"],
  signal?: AbortSignal,
): Promise<Calls[M]["reply"]> {
  return (await post(`v1/rpc/${method}`, body, signal)).json();
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { headers: { Accept: "application/json" }, signal })).json();
}

export async function who_am_i(): Promise<Session> {
  return (await request("v1/session", { headers: { Accept: "application/json" } }, true)).json();
}

/** `instead`: in place of whoever is logged in; else a code of somebody else is refused, with 409. */
export async function log_in(by: { token: string } | { code: string }, instead = false): Promise<Session> {
  return (await post("v1/login", instead ? { ...by, instead } : by, undefined, true)).json();
}

export async function log_out(): Promise<void> {
  await post("v1/logout", {}, undefined, true);
}

export interface Slice {
  shape: number[]; // sources, epochs, stations, components
  values: Float64Array;
}

/** A block of a dataset; request as ReadSliceRequest. */
export async function slice(body: Calls_ReadSlice, signal?: AbortSignal): Promise<Slice> {
  const answer = await post("v1/slices", body, signal);
  const shape = (answer.headers.get("Kaname-Shape") ?? "").split(",").map(Number);
  const values = new Float64Array(await answer.arrayBuffer());
  if (shape.length !== 4 || shape.reduce((a, b) => a * b, 1) !== values.length) {
    throw new CallError(0, 15, "The block of the dataset was cut off: the server may have stopped.");
  }
  return { shape, values };
}

export interface Calls_ReadSlice {
  dataset: string;
  source_ids?: string[];
  station_ids?: string[];
  sources?: { start: number; count: number };
  epochs?: { start: number; count: number };
  stations?: { start: number; count: number };
}
