// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from "preact/hooks";

import { call, CallError } from "../api";
import type { Campaign, CampaignMember, Calls } from "../gen/kaname";
import { bytes, count, counted, figure, minute, moment, num, short_id, span, uuid_of } from "../format";
import { events_of, Stream } from "../live";
import { go, link, place, set_query } from "../router";
import { may_change, newest_campaigns, now_s, reconnects } from "../state";
import { Bar, Empty, Fault, Figure, Loading, Panel, State, type Tone } from "../widgets/basics";
import { ask } from "../widgets/confirm";
import { FilterBar, beginning, filter_text } from "../widgets/filter";
import { Rows } from "../widgets/rows";
import { type Column, Table } from "../widgets/table";
import { useRead } from "../widgets/use";

const PAGE = 100;

function members_bar(campaign: Campaign) {
  const of = campaign.members;
  const all = num(of?.total) || 1;
  const parts: { share: number; tone: Tone }[] = [
    { share: num(of?.done) / all, tone: "ok" },
    { share: (num(of?.failed) + num(of?.refused)) / all, tone: "bad" },
    { share: num(of?.cancelled) / all, tone: "off" },
    { share: num(of?.active) / all, tone: "run" },
  ];
  const label = `${count(of?.done)} of ${count(of?.total)} members done, ${count(of?.active)} active, ${count(of?.waiting)} waiting, ${count(num(of?.failed) + num(of?.refused))} failed or refused`;
  return (
    <span class="progress">
      <Bar parts={parts} label={label} />
      <span class="number">{Math.floor((100 * num(of?.done)) / all)} %</span>
    </span>
  );
}

const COLUMNS: Column<Campaign>[] = [
  {
    key: "title",
    title: "Campaign",
    by: (row) => row.title ?? "",
    cell: (row) => (
      <>
        <a class="title" href={link(["campaigns", uuid_of(row.name)])}>
          {row.title}
        </a>{" "}
        <span class="id">{short_id(row.name)}</span>
      </>
    ),
  },
  { key: "state", title: "State", by: (row) => row.state ?? "", cell: (row) => <State of={row.state} /> },
  { key: "members", title: "Members", by: (row) => num(row.members?.done), cell: members_bar },
  { key: "total", title: "In all", right: true, by: (row) => num(row.members?.total), cell: (row) => count(row.members?.total) },
  { key: "owner", title: "Owner", by: (row) => row.owner ?? "", cell: (row) => row.owner },
  { key: "created", title: "Created", wide: true, by: (row) => num(row.created_s), cell: (row) => <time title={moment(row.created_s)}>{minute(row.created_s)}</time> },
];

export function Campaigns() {
  const query = place.value.query;
  const filter = filter_text({
    state: query.get("state") ?? "",
    title: query.get("title") ?? "",
    owner: query.get("owner") ?? "",
    id: beginning(query.get("id")),
  });
  const list = useRead((signal) => call("Campaigns/ListCampaigns", { page_size: PAGE, filter }, signal), [filter]);
  const live = newest_campaigns.value;
  const rows = useMemo(() => {
    const read = list.value?.campaigns ?? [];
    const known = new Set(read.map((row) => row.name));
    const added = filter ? [] : [...live.values()].filter((row) => !known.has(row.name));
    return [...added, ...read.map((row) => live.get(row.name ?? "") ?? row)];
  }, [list.value, live, filter]);
  return (
    <>
      <h1>Campaigns</h1>
      <FilterBar
        states={["active", "paused", "done", "failed", "cancelled"]}
        words={["title", "owner", "id"]}
        values={query}
        change={set_query}
      />
      <Panel title={`${rows.length}${list.value?.next_page_token ? "+" : ""} ${filter ? "that match" : "newest"}`}>
        {list.error ? <Fault error={list.error} again={list.again} /> : null}
        {rows.length ? (
          <Table label="Campaigns" columns={COLUMNS} rows={rows} id={(row) => row.name ?? ""} />
        ) : list.busy ? (
          <Loading what="campaigns" />
        ) : filter ? (
          <Empty>No campaign matches.</Empty>
        ) : (
          <Empty command="kaname campaign run CAMPAIGN.yaml">
            A campaign is many requests in one file: a base, and what varies. One begins with
          </Empty>
        )}
      </Panel>
    </>
  );
}

export function CampaignView({ id }: { id: string }) {
  const name = `campaigns/${id}`;
  const first = useRead((signal) => call("Campaigns/GetCampaign", { name }, signal), [id]);
  const [campaign, set_campaign] = useState<Campaign | null>(null);
  const [gone, set_gone] = useState(false);
  useEffect(() => {
    if (first.value) set_campaign(first.value);
    if (first.error?.code === 5) set_gone(true);
  }, [first.value, first.error]);
  const live = campaign?.state === "ACTIVE" || campaign?.state === "PAUSED";
  useEffect(() => {
    if (!live) return;
    const stream = new Stream(events_of("Campaigns/WatchCampaign", { name }), {
      on: (_, data) => set_campaign(data as Campaign),
      ended: (error) => (error?.code === 5 ? set_gone(true) : first.again()),
    });
    return () => stream.stop();
  }, [id, live]);
  if (gone) {
    return (
      <Empty>
        {campaign ? "This campaign was deleted while it was shown." : `There is no campaign ${id}.`}{" "}
        <a href="#/campaigns">All campaigns</a>
      </Empty>
    );
  }
  if (!campaign) return first.error ? <Fault error={first.error} again={first.again} /> : <Loading what="the campaign" />;
  const of = campaign.members;
  const cost = campaign.cost;
  return (
    <>
      <div class="heading">
        <div>
          <h1>{campaign.title}</h1>
          <p class="quiet">
            campaign <code class="id">{id}</code> of {campaign.owner}
          </p>
        </div>
        <Actions campaign={campaign} changed={set_campaign} />
      </div>
      <section class="panel figures" aria-label="State">
        <dl>
          <Figure label="State" value={<State of={campaign.state} />} note={campaign.reason} />
          <Figure label="Members" value={`${count(of?.done)} / ${count(of?.total)}`} note={`${count(of?.waiting)} waiting`} />
          <Figure
            label="Failed"
            value={count(num(of?.failed) + num(of?.refused))}
            note={`${count(of?.refused)} refused`}
            tone={num(of?.failed) + num(of?.refused) ? "bad" : undefined}
          />
          <Figure
            label="Sources"
            value={`${count(campaign.sources?.done)} / ${count(campaign.sources?.sources)}`}
            note={`${count(campaign.sources?.reused)} reused`}
          />
          <Figure label="Planned" value={`${figure(num(cost?.core_hours), 2)} core h`} note={bytes(cost?.bytes)} />
          <Figure
            label={campaign.ended_s ? "Took" : "For"}
            value={span(Math.floor((num(campaign.ended_s) || now_s.value) - num(campaign.created_s)))}
            note={`since ${moment(campaign.created_s)}`}
          />
        </dl>
        {members_bar(campaign)}
      </section>
      {campaign.axes?.length ? (
        <Panel title="What varies">
          <ul class="pairs">
            {campaign.axes.map((axis) => (
              <li key={axis.name}>
                <span>
                  {axis.name}
                  {axis.unit ? ` [${axis.unit}]` : ""}
                </span>
                <b class="wraps">{(axis.values ?? []).slice(0, 24).join(", ")}{(axis.values ?? []).length > 24 ? " …" : ""}</b>
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
      <Members campaign={name} stamp={`${of?.done} ${of?.failed} ${of?.active} ${of?.refused}`} />
    </>
  );
}

function Members({ campaign, stamp }: { campaign: string; stamp: string }) {
  const [state, set_state] = useState("");
  const [members, set_members] = useState<CampaignMember[]>([]);
  const [next, set_next] = useState<string | null>("");
  const [error, set_error] = useState<CallError | null>(null);
  const filter = filter_text({ state });
  const read = async (token: string, signal?: AbortSignal) => {
    try {
      const page = await call("Campaigns/ListMembers", { campaign, page_size: 500, page_token: token, filter }, signal);
      set_members((old) => [...(token ? old : []), ...(page.members ?? [])]);
      set_next(page.next_page_token || null);
      set_error(null);
    } catch (fault) {
      if (!signal?.aborted) set_error(fault as CallError);
    }
  };
  useEffect(() => {
    const abort = new AbortController();
    void read("", abort.signal);
    return () => abort.abort();
  }, [campaign, filter, stamp, reconnects.value]);
  return (
    <Panel
      title={`${count(members.length)}${next ? "+" : ""} members`}
      actions={
        <label class="inline">
          Show{" "}
          <select value={state} onChange={(e) => set_state(e.currentTarget.value)}>
            <option value="">all</option>
            {["waiting", "active", "done", "failed", "cancelled", "refused"].map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
        </label>
      }
    >
      {error ? <Fault error={error} again={() => read("")} /> : null}
      {members.length ? (
        <Rows
          label="Members"
          head={["Member", "State", "Sources", "", ""]}
          count={members.length}
          height={34}
          near_end={() => next && void read(next)}
          id={(at) => members[at]!.label ?? String(at)}
          row={(at) => {
            const member = members[at]!;
            return (
              <>
                <span role="cell" class="main">
                  {member.job ? <a href={link(["jobs", uuid_of(member.job)])}>{member.label}</a> : member.label}
                  {member.error ? (
                    <em class="error" title={member.error}>
                      {member.error}
                    </em>
                  ) : null}
                </span>
                <span role="cell">
                  <State of={member.state} />
                </span>
                <span role="cell" class="right">
                  {member.job ? `${count(member.counts?.done)} / ${count(member.counts?.sources)}` : "–"}
                </span>
                <span role="cell" />
                <span role="cell">
                  {member.dataset?.sha256 ? <a href={link(["map", uuid_of(member.job)])} aria-label={`Map of ${member.label}`}>map</a> : null}
                </span>
              </>
            );
          }}
        />
      ) : error ? null : next === "" ? (
        <Loading what="members" />
      ) : (
        <Empty>No member is {state || "there"}.</Empty>
      )}
    </Panel>
  );
}

type Change = "PauseCampaign" | "ResumeCampaign" | "CancelCampaign" | "RetryCampaign";
const CHANGES: Record<Change, { when: string[]; title: string; text: string; act: string; said: string; bad?: boolean }> = {
  PauseCampaign: {
    when: ["ACTIVE"], title: "Pause this campaign?", text: "What workers hold ends; nothing else of it begins.",
    act: "Pause", said: "The campaign is paused.",
  },
  ResumeCampaign: {
    when: ["PAUSED"], title: "Go on with this campaign?", text: "What waits is queued again.", act: "Resume",
    said: "The campaign goes on.",
  },
  CancelCampaign: {
    when: ["ACTIVE", "PAUSED"], title: "Cancel this campaign?", text: "Its jobs are cancelled, and what waits.",
    act: "Cancel", said: "The campaign is cancelled.", bad: true,
  },
  RetryCampaign: {
    when: ["FAILED", "CANCELLED"], title: "Compute again what is not done?",
    text: "Members that failed, were cancelled or refused begin anew.", act: "Retry", said: "The campaign is queued again.",
  },
};

function Actions({ campaign, changed }: { campaign: Campaign; changed: (next: Campaign) => void }) {
  const change = (key: Change) => {
    const what = CHANGES[key];
    ask({
      title: what.title,
      text: (
        <>
          <b>{campaign.title}</b> with {counted(campaign.members?.total, "member")}. {what.text}
        </>
      ),
      act: `${what.act} the campaign`,
      dangerous: what.bad,
      run: async () => {
        const method = `Campaigns/${key}` as keyof Calls & `Campaigns/${Change}`;
        changed(await call(method, { name: campaign.name }));
        return what.said;
      },
    });
  };
  const remove = () =>
    ask({
      title: "Delete this campaign?",
      text: (
        <>
          <b>{campaign.title}</b>: its jobs and their datasets stay.
        </>
      ),
      act: "Delete the campaign",
      dangerous: true,
      run: async () => {
        await call("Campaigns/DeleteCampaign", { name: campaign.name });
        go(["campaigns"]);
        return `${campaign.title} is deleted.`;
      },
    });
  const ended = ["DONE", "FAILED", "CANCELLED"].includes(campaign.state ?? "");
  return (
    <div class="actions">
      {(Object.keys(CHANGES) as Change[])
        .filter((key) => CHANGES[key].when.includes(campaign.state ?? "") && may_change(campaign.owner, `Campaigns/${key}`))
        .map((key) => (
          <button key={key} type="button" onClick={() => change(key)}>
            {CHANGES[key].act}
          </button>
        ))}
      {ended && may_change(campaign.owner, "Campaigns/DeleteCampaign") ? (
        <button type="button" class="danger" onClick={remove}>
          Delete
        </button>
      ) : null}
    </div>
  );
}
