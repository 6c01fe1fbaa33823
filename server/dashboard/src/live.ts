// SPDX-License-Identifier: BSD-3-Clause
// Server-sent events over fetch: unlike EventSource it shows why a stream was refused, and lets the page
// say whether it is connected. A stream that breaks goes on behind the last id that was seen.
import { CallError, refusal } from "./api";

export interface Following {
  /** A message: its event ("message" where none was said) and data. */
  on: (event: string, data: unknown) => void;
  /** Each time that the server has answered, before its messages; `again`: not the first time; `resumed`: it goes
   *  on behind the last id that was seen. */
  opened?: (again: boolean, resumed: boolean) => void;
  /** It broke off and is tried again. */
  lost?: (error: CallError) => void;
  /** It ended: all was told (null), or an error that will not go away. */
  ended?: (error: CallError | null) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const SILENCE_MS = 45000; // three of the server's comments

/** Reads a stream until stop() or its end. While the tab is hidden it is closed: a browser has few connections. */
export class Stream {
  private last_id = "";
  private wait_ms = FIRST_WAIT_MS;
  private abort: AbortController | null = null;
  private timer = 0;
  private silence = 0;
  private done = false;
  private opens = 0;

  constructor(
    private readonly path: string,
    private readonly to: Following,
  ) {
    document.addEventListener("visibilitychange", this.visibility);
    this.visibility();
  }

  stop(): void {
    this.done = true;
    document.removeEventListener("visibilitychange", this.visibility);
    this.close();
  }

  /** At once, without the rest of the wait. */
  retry(): void {
    if (!this.done && !this.abort) this.open();
  }

  private readonly visibility = (): void => {
    if (this.done) return;
    if (document.visibilityState === "hidden") this.close();
    else if (!this.abort) this.open();
  };

  private close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.abort?.abort();
    this.abort = null;
  }

  private finish(error: CallError | null): void {
    this.stop();
    this.to.ended?.(error);
  }

  private again(error: CallError): void {
    this.close();
    if (this.done) return;
    this.to.lost?.(error);
    const spread = this.wait_ms * (0.75 + 0.5 * Math.random());
    this.timer = window.setTimeout(() => this.open(), spread);
    this.wait_ms = Math.min(this.wait_ms * 2, LONGEST_WAIT_MS);
  }

  private heard(abort: AbortController): void {
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => {
      if (this.abort === abort) this.again(new CallError(0, 14, "The server has fallen silent."));
    }, SILENCE_MS);
  }

  private async open(): Promise<void> {
    clearTimeout(this.timer);
    const abort = (this.abort = new AbortController());
    const gone = () => this.done || this.abort !== abort;
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream, application/json" };
      if (this.last_id) headers["Last-Event-ID"] = this.last_id;
      const answer = await fetch(this.path, { headers, signal: abort.signal, cache: "no-store" });
      if (!answer.ok || !answer.body) {
        const error = await refusal(answer);
        if (!gone()) error.passing || error.status === 429 ? this.again(error) : this.finish(error);
        return;
      }
      this.heard(abort);
      this.to.opened?.(this.opens++ > 0, "Last-Event-ID" in headers);
      const reader = answer.body.getReader();
      const decoder = new TextDecoder();
      let buffer = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (gone()) return;
        if (done) break;
        this.heard(abort);
        this.wait_ms = FIRST_WAIT_MS;
        buffer += decoder.decode(value, { stream: true });
        const blocks = buffer.split("\n\n");
        buffer = blocks.pop() ?? "";
        for (const block of blocks) {
          this.message(block);
          if (gone()) return;
        }
      }
      this.again(new CallError(0, 14, "The server closed the connection."));
    } catch {
      if (!gone()) this.again(new CallError(0, 14, "The server does not answer."));
    }
  }

  private message(block: string): void {
    let event = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "event") event = value;
      else if (name === "data") data.push(value);
      else if (name === "id") this.last_id = value;
    }
    if (event === "end") return this.finish(null);
    if (data.length === 0) return;
    const body = JSON.parse(data.join("\n"));
    if (event === "error") {
      const error = new CallError(0, body.code ?? 2, body.message ?? "");
      if (error.code === 14) this.again(error);
      else this.finish(error.code === 16 ? new CallError(401, 16, error.message) : error);
      return;
    }
    this.to.on(event, body);
  }
}

export function events_of(method: string, request: object): string {
  return `v1/events/${method}?request=${encodeURIComponent(JSON.stringify(request))}`;
}
