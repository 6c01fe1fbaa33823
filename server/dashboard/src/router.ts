// SPDX-License-Identifier: BSD-3-Clause
// Where the page is: #/jobs/<uuid>?state=failed. Words of the query are kept in the address, so that a
// link shows what its sender saw.
import { signal } from "@preact/signals";

export interface Place {
  parts: string[];
  query: URLSearchParams;
}

function read(): Place {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    parts: (path ?? "").split("/").filter(Boolean).map(decode),
    query: new URLSearchParams(query ?? ""),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal<Place>({ parts: [], query: new URLSearchParams() });

export function link(parts: string[], query: Record<string, string | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) words.set(name, value);
  const tail = words.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${tail ? `?${tail}` : ""}`;
}

export function go(parts: string[], query: Record<string, string | undefined> = {}): void {
  location.hash = link(parts, query);
}

/** Changes words of the query without a step in the browser's history. */
export function set_query(words: Record<string, string | undefined>): void {
  const query = Object.fromEntries(place.value.query);
  history.replaceState(null, "", link(place.value.parts, { ...query, ...words }));
  place.value = read();
}

/** The code of #login=CODE&to=/map/<job>, taken out of the address at once; null: there is none. */
export function take_login(): { code: string } | null {
  const hash = location.hash.replace(/^#/, "");
  if (!hash.startsWith("login=")) return null;
  const words = new URLSearchParams(hash);
  const to = words.get("to") ?? "/";
  history.replaceState(null, "", `#${to.startsWith("/") ? to : "/"}`);
  return { code: words.get("login") ?? "" };
}

export function start_router(): void {
  place.value = read();
  addEventListener("hashchange", () => {
    if (!location.hash.startsWith("#login=")) place.value = read();
  });
}
