// SPDX-License-Identifier: BSD-3-Clause
// One dialog for everything that changes something: says what happens, waits, shows a refusal in place.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { note } from "../state";

export interface Question {
  title: string;
  text: ComponentChildren;
  /** Word of the button. */
  act: string;
  dangerous?: boolean;
  /** A line that the caller of `run` gets. */
  reason?: string;
  run: (reason: string) => Promise<string | void>;
}

const question = signal<Question | null>(null);

export function ask(next: Question): void {
  question.value = next;
}

export function ConfirmDialog() {
  const asked = question.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, set_reason] = useState("");
  const [error, set_error] = useState("");
  const [busy, set_busy] = useState(false);
  useEffect(() => {
    if (asked && !dialog.current?.open) {
      set_reason("");
      set_error("");
      set_busy(false);
      dialog.current?.showModal();
    } else if (!asked) dialog.current?.close();
  }, [asked]);
  const act = async (event: Event) => {
    event.preventDefault();
    if (!asked || busy) return;
    set_busy(true);
    set_error("");
    try {
      const said = await asked.run(reason.trim());
      question.value = null;
      if (said) note(said);
    } catch (fault) {
      set_error((fault as Error).message);
    } finally {
      set_busy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" onClose={() => (question.value = null)}>
      {asked ? (
        <form method="dialog" onSubmit={act}>
          <h2 id="question">{asked.title}</h2>
          <div class="text">{asked.text}</div>
          {asked.reason ? (
            <label>
              {asked.reason}
              <input value={reason} maxLength={500} onInput={(e) => set_reason(e.currentTarget.value)} />
            </label>
          ) : null}
          {error ? (
            <p class="refused" role="alert">
              {error}
            </p>
          ) : null}
          <div class="buttons">
            <button type="button" onClick={() => (question.value = null)}>
              Leave it
            </button>
            <button type="submit" class={asked.dangerous ? "danger" : "primary"} disabled={busy}>
              {busy ? "…" : asked.act}
            </button>
          </div>
        </form>
      ) : null}
    </dialog>
  );
}
