// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useState } from "preact/hooks";

/** `field = "value" AND ...` of what is given. Values have no way to say a quote: it is left out. */
export function filter_text(words: Record<string, string>): string {
  return Object.entries(words)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => `${field} = "${value.replace(/"/g, "")}"`)
    .join(" AND ");
}

/** An id's first characters as a filter has them: `1a2b*`. */
export const beginning = (id: string | null): string => (id ? `${id.trim().replace(/\*$/, "")}*` : "");

const WAIT_MS = 400;

/** One choice of states and words to type; the address keeps them. */
export function FilterBar(props: {
  states?: string[];
  words: string[];
  values: URLSearchParams;
  change: (words: Record<string, string | undefined>) => void;
  hint?: Record<string, string>;
}) {
  return (
    <form class="filter" role="search" onSubmit={(e) => e.preventDefault()}>
      {props.states ? (
        <fieldset class="choice">
          <legend class="unseen">State</legend>
          {["", ...props.states].map((state) => (
            <label key={state}>
              <input
                type="radio"
                name="state"
                value={state}
                checked={(props.values.get("state") ?? "") === state}
                onChange={() => props.change({ state: state || undefined })}
              />
              <span>{state || "all"}</span>
            </label>
          ))}
        </fieldset>
      ) : null}
      {props.words.map((word) => (
        <Word
          key={word}
          name={word}
          value={props.values.get(word) ?? ""}
          hint={props.hint?.[word] ?? ""}
          change={(value) => props.change({ [word]: value || undefined })}
        />
      ))}
    </form>
  );
}

function Word(props: { name: string; value: string; hint: string; change: (value: string) => void }) {
  const [text, set_text] = useState(props.value);
  useEffect(() => set_text(props.value), [props.value]);
  useEffect(() => {
    if (text === props.value) return;
    const timer = setTimeout(() => props.change(text), WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="word">
      <span>{props.name}</span>
      <input
        type="search"
        value={text}
        placeholder={props.hint}
        spellcheck={false}
        onInput={(e) => set_text(e.currentTarget.value)}
      />
    </label>
  );
}
