// SPDX-License-Identifier: BSD-3-Clause
import { useState } from "preact/hooks";

import { entry_note, log_in_with } from "../state";

export function Login() {
  const [token, set_token] = useState("");
  const [error, set_error] = useState("");
  const [busy, set_busy] = useState(false);
  const enter = async (event: Event) => {
    event.preventDefault();
    set_busy(true);
    set_error("");
    try {
      await log_in_with({ token: token.trim() });
    } catch (fault) {
      set_error((fault as Error).message);
      set_busy(false);
    }
  };
  return (
    <main class="login">
      <form onSubmit={enter}>
        <h1>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M4 12h10l14 8" />
            <path class="deep" d="M4 20h4l9 6" />
            <circle cx="20" cy="9" r="3" />
          </svg>
          Kaname
        </h1>
        {entry_note.value ? (
          <p class="refused" role="alert">
            {entry_note.value}
          </p>
        ) : null}
        <label>
          Token
          <input
            type="password"
            name="token"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            onInput={(e) => set_token(e.currentTarget.value)}
          />
        </label>
        {error ? (
          <p class="refused" role="alert">
            {error}
          </p>
        ) : null}
        <button type="submit" class="primary" disabled={busy}>
          Log in
        </button>
        <p class="hint">
          On the server's machine <code>kaname page</code> opens this page without a token. Others get one from an
          administrator, who makes it with <code>kaname token make NAME --role user</code>.
        </p>
      </form>
    </main>
  );
}
