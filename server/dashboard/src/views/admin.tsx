// SPDX-License-Identifier: BSD-3-Clause
import { go } from "../router";
import { may } from "../state";
import { Empty } from "../widgets/basics";
import { Tabs } from "../widgets/tabs";
import { Audit } from "./audit";
import { Backups } from "./backups";
import { Quotas } from "./quotas";
import { Tokens } from "./tokens";

const ROOMS: Record<string, { title: string; method: string }> = {
  quotas: { title: "Quotas", method: "Admin/ListQuotas" },
  tokens: { title: "Tokens", method: "Admin/ListTokens" },
  audit: { title: "Audit", method: "Admin/ListAuditEvents" },
  backups: { title: "Backups", method: "Admin/ListBackups" },
};

export function Admin({ room }: { room: string }) {
  const open = Object.fromEntries(
    Object.entries(ROOMS)
      .filter(([, item]) => may(item.method))
      .map(([key, item]) => [key, item.title]),
  );
  const denied = !(room in open);
  return (
    <>
      <h1>Administration</h1>
      {Object.keys(open).length ? (
        <Tabs label="Administration" tabs={open} chosen={denied ? (Object.keys(open)[0] ?? "") : room} choose={(key) => go(["admin", key])} />
      ) : null}
      {denied ? (
        <Empty>Your role may not see this. An administrator may: ask for a token of that role.</Empty>
      ) : (
        <div role="tabpanel" aria-label={open[room]}>
          {room === "tokens" ? <Tokens /> : room === "audit" ? <Audit /> : room === "backups" ? <Backups /> : <Quotas />}
        </div>
      )}
    </>
  );
}
