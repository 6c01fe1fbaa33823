// SPDX-License-Identifier: BSD-3-Clause
import { useState } from "preact/hooks";

import { call } from "../api";
import type { Token } from "../gen/kaname";
import { minute, num } from "../format";
import { may, note, now_s } from "../state";
import { Ago, Empty, Fault, Loading, Panel, Tag } from "../widgets/basics";
import { ask } from "../widgets/confirm";
import { type Column, Table } from "../widgets/table";
import { useRead } from "../widgets/use";

const ROLES = ["viewer", "user", "operator", "admin", "worker"];

function ended(token: Token): string {
  if (num(token.revoked_s)) return "revoked";
  return num(token.expires_s) && num(token.expires_s) < now_s.value ? "expired" : "";
}

export function Tokens() {
  const list = useRead(async (signal) => (await call("Admin/ListTokens", {}, signal)).tokens ?? [], []);
  const revoke = (token: Token) =>
    ask({
      title: "Revoke this token?",
      text: (
        <>
          <b>{token.name}</b> ({token.role}, {token.id}): whoever has it is refused within five seconds, for good.
        </>
      ),
      act: "Revoke it",
      dangerous: true,
      run: async () => {
        await call("Admin/RevokeToken", { token: token.id });
        list.again();
        return `The token of ${token.name} is revoked.`;
      },
    });
  const columns: Column<Token>[] = [
    { key: "name", title: "Name", by: (row) => row.name ?? "", cell: (row) => <b>{row.name}</b> },
    { key: "role", title: "Role", by: (row) => row.role ?? "", cell: (row) => row.role },
    {
      key: "state",
      title: "State",
      by: ended,
      cell: (row) => (ended(row) ? <Tag tone="off">{ended(row)}</Tag> : <Tag tone="ok">valid</Tag>),
    },
    { key: "used", title: "Last used", by: (row) => num(row.used_s), cell: (row) => (num(row.used_s) ? <Ago at={row.used_s} /> : "never") },
    {
      key: "expires",
      title: "Expires",
      by: (row) => num(row.expires_s) || Infinity,
      cell: (row) => (num(row.expires_s) ? minute(row.expires_s) : "never"),
    },
    { key: "made", title: "Made", wide: true, by: (row) => num(row.created_s), cell: (row) => <time>{minute(row.created_s)}</time> },
    { key: "id", title: "Id", wide: true, cell: (row) => <code class="id">{row.id}</code> },
    {
      key: "act",
      title: "",
      right: true,
      cell: (row) =>
        !ended(row) && may("Admin/RevokeToken") ? (
          <button type="button" class="small danger" onClick={() => revoke(row)} aria-label={`Revoke the token of ${row.name}, ${row.id}`}>
            Revoke
          </button>
        ) : null,
    },
  ];
  return (
    <>
      {may("Admin/MakeToken") ? <MakeToken made={list.again} /> : null}
      <Panel title="Tokens">
        {list.error ? <Fault error={list.error} again={list.again} /> : null}
        {list.value?.length ? (
          <Table label="Tokens" columns={columns} rows={list.value} id={(row) => row.id ?? ""} tone={(row) => (ended(row) ? "faint" : "")} />
        ) : list.busy ? (
          <Loading what="tokens" />
        ) : (
          <Empty>There is no token.</Empty>
        )}
      </Panel>
    </>
  );
}

function MakeToken({ made }: { made: () => void }) {
  const [secret, set_secret] = useState<{ name: string; text: string } | null>(null);
  const [error, set_error] = useState("");
  // Every try sends this id again: an answer that was lost leaves no second token behind.
  const [request_id, set_request_id] = useState(() => uuid4());
  const make = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const days = Number(form.get("days") || 0);
    try {
      const answer = await call("Admin/MakeToken", {
        name: String(form.get("name") ?? "").trim(),
        role: String(form.get("role") ?? ""),
        expires_s: days * 86400,
        request_id,
      });
      set_secret({ name: answer.token?.name ?? "", text: answer.secret ?? "" });
      set_request_id(uuid4());
      set_error("");
      made();
    } catch (fault) {
      set_error((fault as Error).message);
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret?.text ?? "");
      note("The token is in the clipboard.");
    } catch {
      note("This browser did not let the page use its clipboard: mark the text.", "bad");
    }
  };
  return (
    <Panel title="Make a token">
      <form class="fields" onSubmit={make}>
        <label>
          Name
          <input name="name" required maxLength={64} spellcheck={false} autocomplete="off" />
        </label>
        <label>
          Role
          <select name="role" defaultValue="user">
            {ROLES.map((role) => (
              <option key={role} selected={role === "user"}>
                {role}
              </option>
            ))}
          </select>
        </label>
        <label>
          Days until it expires
          <input name="days" type="number" min="0" step="any" placeholder="never" />
        </label>
        <button type="submit" class="primary">
          Make
        </button>
      </form>
      {error ? (
        <p class="refused" role="alert">
          {error}
        </p>
      ) : null}
      {secret ? (
        <div class="secret" role="alert">
          <p>
            The token of <b>{secret.name}</b>. It is shown this once: the server keeps its hash alone.
          </p>
          <code>{secret.text}</code>
          <div class="buttons">
            <button type="button" onClick={copy}>
              Copy
            </button>
            <button type="button" onClick={() => set_secret(null)}>
              I have it
            </button>
          </div>
        </div>
      ) : null}
    </Panel>
  );
}

/** crypto.randomUUID is there over TLS and on this machine only. */
function uuid4(): string {
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6]! & 0x0f) | 0x40;
  b[8] = (b[8]! & 0x3f) | 0x80;
  const hex = [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
