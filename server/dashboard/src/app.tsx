// SPDX-License-Identifier: BSD-3-Clause
// The frame around all views: where one is, who one is, whether the server is there.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { span } from "./format";
import { link, place } from "./router";
import {
  connected, entry, forget_note, lost_at, may, notes, now_s, log_out_now, other_login, retry_now, session, stats,
  take_other_login, trouble,
} from "./state";
import { dark, turn_theme } from "./theme";
import { Admin } from "./views/admin";
import { About } from "./views/about";
import { CampaignView, Campaigns } from "./views/campaigns";
import { DataFile } from "./views/data";
import { JobView } from "./views/job";
import { Jobs } from "./views/jobs";
import { Login } from "./views/login";
import { MapList, MapView } from "./views/map";
import { MeshList, MeshView } from "./views/mesh";
import { Overview } from "./views/overview";
import { Workers } from "./views/workers";
import { Loading } from "./widgets/basics";
import { ask, ConfirmDialog } from "./widgets/confirm";
import { Icon } from "./widgets/icon";

const ROOMS: { key: string; title: string; seen: () => boolean }[] = [
  { key: "overview", title: "Overview", seen: () => true },
  { key: "jobs", title: "Jobs", seen: () => true },
  { key: "campaigns", title: "Campaigns", seen: () => true },
  { key: "map", title: "Map", seen: () => true },
  { key: "mesh", title: "Mesh", seen: () => true },
  { key: "data", title: "Data", seen: () => true },
  { key: "workers", title: "Workers and GPUs", seen: () => may("Admin/ListWorkers") },
  { key: "admin", title: "Administration", seen: () => may("Admin/ListQuotas") || may("Admin/ListTokens") },
];

function view(parts: string[]): [string, ComponentChildren] {
  const [room, id] = parts;
  switch (room ?? "overview") {
    case "overview":
      return ["Overview", <Overview />];
    case "jobs":
    case "job":
      return id ? ["Job", <JobView key={id} id={id} />] : ["Jobs", <Jobs />];
    case "campaigns":
      return id ? ["Campaign", <CampaignView key={id} id={id} />] : ["Campaigns", <Campaigns />];
    case "map":
      return id ? ["Map", <MapView key={id} id={id} />] : ["Map", <MapList />];
    case "mesh":
      return id ? ["Mesh", <MeshView key={id} id={id} />] : ["Mesh", <MeshList />];
    case "data":
      return ["Data", <DataFile />];
    case "workers":
      return ["Workers and GPUs", <Workers />];
    case "admin":
      return ["Administration", <Admin room={id ?? "quotas"} />];
    case "about":
      return ["About this page", <About />];
    default:
      return [
        "Not found",
        <div class="empty">
          <p>There is no such page.</p>
          <a href="#/overview">Overview</a>
        </div>,
      ];
  }
}

export function App() {
  if (entry.value === "unknown") return <Loading what="session" />;
  if (entry.value === "out") return <Login />;
  return <Frame />;
}

function Frame() {
  const [title, body] = view(place.value.parts);
  const main = useRef<HTMLElement>(null);
  const path = place.value.parts.join("/");
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} · Kaname`;
    // A new view is read from its beginning, also by who hears it.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [path]);
  useEffect(() => {
    const other = other_login.value;
    if (!other) return;
    ask({
      title: "Log in as somebody else?",
      text: <p>{`${other.text[0]?.toUpperCase()}${other.text.slice(1)}. Unless you asked for that link yourself, leave it.`}</p>,
      act: "Log in by the link",
      dangerous: true,
      run: take_other_login,
    });
  }, [other_login.value?.code]);
  const room = (place.value.parts[0] ?? "overview").replace(/^job$/, "jobs");
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <header class="top">
        <a class="brand" href="#/overview" aria-label="Kaname, overview">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M4 12h10l14 8" />
            <path class="deep" d="M4 20h4l9 6" />
            <circle cx="20" cy="9" r="3" />
          </svg>
          <span>Kaname</span>
        </a>
        <Connection />
        <div class="who">
          <span class="name" title={`token ${session.value?.token_id ?? ""}`}>
            {session.value?.name} <em>{session.value?.role}</em>
          </span>
          <button
            type="button"
            class="plain"
            onClick={turn_theme}
            aria-label={dark.value ? "Switch to light" : "Switch to dark"}
            title={dark.value ? "Light" : "Dark"}
          >
            <Icon name={dark.value ? "sun" : "moon"} />
          </button>
          <button type="button" class="plain" onClick={log_out_now} aria-label="Log out" title="Log out">
            <Icon name="out" />
          </button>
        </div>
      </header>
      <nav aria-label="Views">
        <div>
        <ul>
          {ROOMS.filter((item) => item.seen()).map((item) => (
            <li key={item.key}>
              <a href={link([item.key])} aria-current={room === item.key ? "page" : undefined}>
                <Icon name={item.key} />
                {item.title}
              </a>
            </li>
          ))}
        </ul>
        <p class="version">
          <a href="#/about">Version {stats.value?.version ?? session.value?.version}, licences</a>
        </p>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1} aria-label={title}>
        <Troubles />
        {body}
      </main>
      <Notes />
      <ConfirmDialog />
    </>
  );
}

function Connection() {
  if (connected.value) {
    return (
      <p class="connection live">
        <span class="dot" /> live
      </p>
    );
  }
  return (
    <p class="connection lost">
      <span class="dot" /> not connected
    </p>
  );
}

function Troubles() {
  return (
    <div aria-live="polite">
      {!connected.value ? (
        <div class="banner bad">
          <Icon name="state_bad" />
          <p>
            The server has not answered for {span(Math.max(0, Math.floor(now_s.value - lost_at.value)))}. It is tried
            again; what is shown is as it was. If it was stopped, <code>kaname up</code> starts it.
          </p>
          <button type="button" onClick={retry_now}>
            Now
          </button>
        </div>
      ) : null}
      {trouble.value ? (
        <div class="banner warn">
          <Icon name="state_warn" />
          <p>{trouble.value}</p>
        </div>
      ) : null}
      {stats.value?.paused ? (
        <div class="banner warn">
          <Icon name="pause" />
          <p>No task starts: {stats.value.paused}</p>
        </div>
      ) : null}
    </div>
  );
}

function Notes() {
  return (
    <div class="notes" role="status">
      {notes.value.map((item) => (
        <div key={item.id} class={`note-box ${item.kind}`}>
          <p>{item.text}</p>
          <button type="button" class="plain" aria-label="Close" onClick={() => forget_note(item.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
