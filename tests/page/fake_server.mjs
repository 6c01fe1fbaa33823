// SPDX-License-Identifier: BSD-3-Clause
// A server like kaname-server to the page (docs/user/http.md), of which a test knows and changes everything.
// Usage by hand: node fake_server.mjs FOLDER_OF_THE_PAGE [port]; tokens are the names of the roles.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";

import * as data from "./fake_data.mjs";

const ROLES = ["viewer", "user", "operator", "admin"];
const READS = [
  "Jobs/GetJob", "Jobs/ListJobs", "Jobs/ListItems", "Campaigns/GetCampaign", "Campaigns/ListCampaigns", "Campaigns/ListMembers", "Datasets/ListDatasets",
  "Datasets/GetDataset", "Admin/GetStats", "Admin/ListWorkers", "Admin/ListDrains", "Admin/ListCordons", "Admin/ListGpuHistory", "Admin/ListQuotas",
];
const WRITES = ["Jobs/CancelJob", "Jobs/RetryJob", "Jobs/DeleteJob", "Campaigns/PauseCampaign", "Campaigns/ResumeCampaign", "Campaigns/CancelCampaign", "Campaigns/RetryCampaign", "Campaigns/DeleteCampaign"];
const OPERATES = ["Admin/DrainWorker", "Admin/SetDrain", "Admin/SetCordon", "Admin/UncordonGpu", "Admin/SetQuota"];
const ADMINISTERS = ["Admin/MakeToken", "Admin/ListTokens", "Admin/RevokeToken", "Admin/ListAuditEvents", "Admin/ListBackups"];
export const METHODS = { viewer: READS, user: [...READS, ...WRITES], operator: [...READS, ...WRITES, ...OPERATES], admin: [...READS, ...WRITES, ...OPERATES, ...ADMINISTERS] };
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".woff2": "font/woff2" };
const HEADERS = {
  "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
  "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
};

class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export class FakeServer {
  jobs = data.JOBS.map((job) => structuredClone(job));
  campaigns = data.CAMPAIGNS.map((item) => structuredClone(item));
  workers = data.workers_of();
  stats = data.stats(this.workers);
  map = data.map_of(180, 20, 10, 24, { hostile: true });
  tokens = [{ id: "1f0c29ab77e1", name: "ada", role: "user", created_s: 1780000000, expires_s: 0, revoked_s: 0, used_s: Date.now() / 1000 - 60 }];
  drains = [];
  cordons = [];
  quotas = [{ owner: "ada", queued: "5000", queued_used: "612", running_used: "8", bytes_used: "48000000000", weight: 2 }];
  backups = [];
  sessions = new Map();
  streams = new Set();
  calls = [];
  log = `mesh: reading slab_top.csv\n${data.HOSTILE}\nstep 1/50, 31 iterations\n`;
  slices = 0;
  specification = { events: [] };
  slip_table = "";

  constructor(folder) {
    this.folder = folder;
    this.server = http.createServer((request, answer) => this.handle(request, answer));
  }

  async start(port = 0) {
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.port = this.server.address().port;
    this.address = `http://127.0.0.1:${this.port}`;
    return this;
  }

  async stop() {
    const closed = new Promise((done) => this.server.close(done));
    this.server.closeAllConnections();
    await closed;
  }

  /** As a restart: nobody answers, then the same port does. */
  async restart(during = async () => {}) {
    await this.stop();
    await during();
    this.server = http.createServer((request, answer) => this.handle(request, answer));
    await this.start(this.port);
  }

  tell(event, body) {
    for (const stream of this.streams) if (stream.kind === "overview") send(stream.answer, event, body);
  }

  who(request) {
    const cookie = /kaname_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
    const session = this.sessions.get(cookie);
    if (!session) throw new Refused(401, 16, "no session, or one that has ended");
    return session;
  }

  async handle(request, answer) {
    const url = new URL(request.url, "http://x");
    try {
      const body = request.method === "POST" ? await read(request) : {};
      if (request.method === "POST" && request.headers["x-kaname-page"] !== "1") throw new Refused(403, 7, "from another page");
      if (!url.pathname.startsWith("/v1/")) return this.file(url.pathname, answer);
      if (url.pathname === "/v1/login") return this.login(body, request, answer);
      const session = this.who(request);
      if (url.pathname === "/v1/session") return json(answer, session);
      if (url.pathname === "/v1/logout") {
        this.sessions.clear();
        return json(answer, {});
      }
      if (url.pathname.startsWith("/v1/events/")) return this.events(url, session, answer, request);
      if (url.pathname.startsWith("/v1/rpc/")) {
        const method = url.pathname.slice("/v1/rpc/".length);
        if (!session.methods.includes(method)) throw new Refused(403, 7, `role ${session.role} of "${session.name}" may not call ${method}`);
        this.calls.push([method, body]);
        return json(answer, this.call(method, body, session));
      }
      if (url.pathname === "/v1/slices") return this.slice(body, answer);
      const file = /^\/v1\/(datasets|jobs)\/([^/]+)\/(map|solves|mesh|file)$/.exec(url.pathname);
      if (file) return this.part(file[3], `jobs/${file[2]}`, url, answer);
      if (url.pathname === `/v1/artifacts/${"ef".repeat(32)}`) {
        answer.writeHead(200, { ...HEADERS, "Content-Type": "application/octet-stream" });
        return answer.end(this.slip_table);
      }
      if (url.pathname.startsWith("/v1/artifacts/")) return json(answer, this.specification);
      throw new Refused(404, 5, `no such path: ${url.pathname}`);
    } catch (error) {
      const status = error.status ?? 500;
      json(answer, { code: error.code ?? 13, message: error.message }, status);
    }
  }

  file(name, answer) {
    const at = path.join(this.folder, name === "/" ? "index.html" : path.normalize(name));
    if (!at.startsWith(this.folder) || !fs.existsSync(at)) throw new Refused(404, 5, "no such file");
    answer.writeHead(200, { ...HEADERS, "Content-Type": TYPES[path.extname(at)] ?? "application/octet-stream" });
    fs.createReadStream(at).pipe(answer);
  }

  login(body, request, answer) {
    const role = body.code?.replace("code-", "") ?? body.token;
    if (!ROLES.includes(role)) throw new Refused(401, 16, "token is unknown");
    const before = this.sessions.get(/kaname_session=(\w+)/.exec(request.headers.cookie ?? "")?.[1]);
    if (body.code && !body.instead && before && before.role !== role) {
      throw new Refused(409, 6, `this browser is logged in as "${before.name}"; the link logs in as "${role}"`);
    }
    const id = `s${this.sessions.size}${role}`;
    const session = { name: { user: "ada" }[role] ?? role, role, token_id: "1f0c", expires_s: 0, version: "0.1.0", methods: METHODS[role], streams: [] };
    this.sessions.set(id, session);
    answer.setHeader("Set-Cookie", `kaname_session=${id}; HttpOnly; SameSite=Strict; Path=/`);
    json(answer, session);
  }

  job(name) {
    const job = this.jobs.find((item) => item.name === name);
    if (!job) throw new Refused(404, 5, `${name} does not exist`);
    return job;
  }

  call(method, body) {
    const changed = (job) => (this.tell("jobs", { jobs: [job] }), job);
    const campaign = (state) => Object.assign(this.campaigns.find((item) => item.name === body.name), state && { state });
    const table = {
      "Jobs/ListJobs": () => {
        const wanted = Object.fromEntries([...(body.filter ?? "").matchAll(/(\w+) = "([^"]*)"/g)].map((m) => [m[1], m[2]]));
        const found = this.jobs.filter((job) => Object.entries(wanted).every(([key, value]) => String(job[key]).toLowerCase() === value.toLowerCase()));
        const from = Number(body.page_token || 0);
        const page = found.slice(from, from + (body.page_size || 50));
        return { jobs: page, next_page_token: from + page.length < found.length ? String(from + page.length) : "" };
      },
      "Jobs/GetJob": () => this.job(body.name),
      "Jobs/ListItems": () => {
        this.job(body.job);
        const all = (this.items ??= new Map()).get(body.job) ?? data.items(body.job) ?? [];
        this.items.set(body.job, all);
        const from = Number(body.page_token || 0);
        const page = all.slice(from, from + (body.page_size || 100));
        return { items: page, next_page_token: from + page.length < all.length ? String(from + page.length) : "" };
      },
      "Jobs/CancelJob": () => changed(Object.assign(this.job(body.name), { state: "CANCELLED", ended_s: Date.now() / 1000, progress: undefined })),
      "Jobs/RetryJob": () => changed(Object.assign(this.job(body.name), { state: "ACTIVE", ended_s: 0 })),
      "Jobs/DeleteJob": () => {
        this.job(body.name);
        this.jobs = this.jobs.filter((job) => job.name !== body.name);
        return {};
      },
      "Campaigns/ListCampaigns": () => ({ campaigns: this.campaigns, next_page_token: "" }),
      "Campaigns/GetCampaign": () => campaign(),
      "Campaigns/ListMembers": () => ({
        members: ["1e18", "3e18", "1e19", "3e19"].map((v, i) => ({ ordinal: String(i), label: `viscosity=${v},slab=a`, values: [v, "a"], state: ["DONE", "ACTIVE", "FAILED", "WAITING"][i], job: i < 3 ? this.jobs[i].name : "", error: i === 2 ? "3 sources failed" : "", counts: { sources: "60", done: "60" } })),
      }),
      "Campaigns/PauseCampaign": () => campaign("PAUSED"),
      "Campaigns/ResumeCampaign": () => campaign("ACTIVE"),
      "Campaigns/CancelCampaign": () => campaign("CANCELLED"),
      "Campaigns/RetryCampaign": () => campaign("ACTIVE"),
      "Campaigns/DeleteCampaign": () => ({}),
      "Datasets/ListDatasets": () => ({ datasets: this.jobs.filter((job) => job.dataset).map((job) => ({ ...job.dataset, physics: "viscoelastic", stations: "180", owner: job.owner, tags: job.title === "nankai" ? ["paper"] : [], pinned: job.title === "nankai" })) }),
      "Admin/GetStats": () => this.stats,
      "Admin/ListWorkers": () => ({ workers: this.workers, dispatches: [] }),
      "Admin/ListGpuHistory": () => ({ gpus: data.history(this.workers) }),
      "Admin/ListDrains": () => ({ drains: this.drains }),
      "Admin/ListCordons": () => ({ cordons: this.cordons }),
      "Admin/DrainWorker": () => {
        const worker = this.workers.find((item) => item.name === body.name);
        worker.state = body.lift ? "IDLE" : "DRAINING";
        this.tell("workers", { workers: this.workers });
        return worker;
      },
      "Admin/SetDrain": () => {
        this.drains = body.lift ? [] : [...this.drains, { ...body.drain, since_s: Date.now() / 1000, by: "operator" }];
        return {};
      },
      "Admin/SetCordon": () => {
        this.cordons = body.lift ? [] : [...this.cordons, { ...body.cordon, since_s: Date.now() / 1000, by: "operator" }];
        return {};
      },
      "Admin/ListQuotas": () => ({ quotas: this.quotas }),
      "Admin/SetQuota": () => {
        const quota = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== "-1"));
        this.quotas = [...this.quotas.filter((item) => item.owner !== body.owner), { queued_used: "0", running_used: "0", bytes_used: "0", ...quota }];
        return quota;
      },
      "Admin/ListTokens": () => ({ tokens: this.tokens }),
      "Admin/MakeToken": () => {
        if (!/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(body.name)) throw new Refused(400, 3, `name: must be one word, got "${body.name}"`);
        const token = { id: `t${this.tokens.length}`, name: body.name, role: body.role, created_s: Date.now() / 1000, expires_s: body.expires_s ? Date.now() / 1000 + body.expires_s : 0, revoked_s: 0, used_s: 0 };
        this.tokens.unshift(token);
        return { token, secret: "k7QxSECRETsecretSECRET" };
      },
      "Admin/RevokeToken": () => Object.assign(this.tokens.find((token) => token.id === body.token), { revoked_s: Date.now() / 1000 }),
      "Admin/ListAuditEvents": () => ({
        events: [
          { id: "3", at_s: Date.now() / 1000 - 60, principal: "eve", role: "viewer", method: "CancelJob", resource: this.jobs[0]?.name, outcome: "refused: role viewer" },
          { id: "2", at_s: Date.now() / 1000 - 3600, principal: "ada", role: "user", method: "CreateJob", resource: `jobs/${data.HOSTILE}`, outcome: "ok" },
        ].filter((event) => (!body.refused || event.outcome.startsWith("refused")) && (!body.principal || event.principal === body.principal)),
      }),
      "Admin/ListBackups": () => ({ backups: this.backups }),
    };
    if (!table[method]) throw new Refused(404, 12, `no call ${method}`);
    return table[method]();
  }

  events(url, session, answer, request) {
    const method = url.pathname.slice("/v1/events/".length);
    const wanted = JSON.parse(url.searchParams.get("request") ?? "{}");
    if (method === "Jobs/WatchJob") this.job(wanted.name);
    answer.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
    const stream = { kind: method === "overview" ? "overview" : method, answer, wanted };
    this.streams.add(stream);
    const beat = setInterval(() => answer.write(": still here\n\n"), 15000);
    answer.on("close", () => (clearInterval(beat), this.streams.delete(stream)));
    if (method === "overview") {
      send(answer, "stats", this.stats);
      send(answer, "workers", { workers: this.workers, dispatches: [] });
      send(answer, "jobs", { jobs: this.jobs.slice(0, 50) });
      send(answer, "campaigns", { campaigns: this.campaigns });
    } else if (method === "Jobs/TailLogs") {
      const log = Buffer.from(this.log);
      send(answer, "", { data: log.subarray(Number(request.headers["last-event-id"] ?? 0)).toString("base64") }, String(log.length));
    } else if (method === "Jobs/WatchJob") {
      this.resumed = request.headers["last-event-id"];
      const job = this.job(wanted.name);
      send(answer, "", { event: "SUBMITTED", job, resume_token: "a1" }, "a1");
    } else if (method === "Campaigns/WatchCampaign") {
      send(answer, "", this.campaigns.find((item) => item.name === wanted.name));
    }
  }

  part(what, name, url, answer) {
    const job = this.job(name);
    if (what === "mesh") return job.title === "two-faults" ? refuse(409, 9, "the mesh is being made") : json(answer, data.MESH);
    if (what === "file") {
      answer.writeHead(200, { "Content-Type": "application/x-hdf5", "Content-Disposition": 'attachment; filename="greens.h5"' });
      return answer.end("HDF");
    }
    if (this.damaged) refuse(500, 15, "greens.h5 has another hash than its name");
    if (job.state === "ACTIVE" && url.searchParams.get("partial") !== "true") refuse(409, 9, "the job has not ended; partial=true");
    if (what === "solves") {
      const n = 40;
      return json(answer, {
        method: "stepping", step_time_s: Array.from({ length: n }, (_, i) => 31557600 * 50 * (i / (n - 1)) ** 2),
        sources: [{ id: url.searchParams.get("source"), status: "done", iterations: Array.from({ length: n }, (_, i) => (i ? 7 + (i % 4) : 31)), residual: Array.from({ length: n }, (_, i) => 6e-9 + 1e-9 * (i % 5)), initial_residual: Array.from({ length: n }, (_, i) => (i ? 0.02 / i : 1)) }],
      });
    }
    return json(answer, { ...this.map, title: job.title });
  }

  slice(body, answer) {
    this.slices += 1;
    const { map } = this;
    const stations = body.station_ids ? map.stations.filter((item) => body.station_ids.includes(item.id)) : map.stations;
    const epochs = body.epochs ? Array.from({ length: body.epochs.count }, (_, i) => body.epochs.start + i) : map.epochs_s.map((_, i) => i);
    const values = new Float64Array(epochs.length * stations.length * 3);
    let at = 0;
    for (const epoch of epochs) for (const station of stations) for (const value of data.motion(map, body.source_ids[0], station, epoch)) values[at++] = value;
    answer.writeHead(200, { "Content-Type": "application/octet-stream", "Kaname-Shape": `1,${epochs.length},${stations.length},3`, "Content-Length": values.byteLength });
    answer.end(Buffer.from(values.buffer));
  }
}

function refuse(status, code, message) {
  throw new Refused(status, code, message);
}

function send(answer, event, body, id) {
  answer.write(`${id ? `id: ${id}\n` : ""}${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(body)}\n\n`);
}

function json(answer, body, status = 200) {
  answer.writeHead(status, { ...HEADERS, "Content-Type": "application/json" });
  answer.end(JSON.stringify(body));
}

async function read(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : {};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await new FakeServer(path.resolve(process.argv[2])).start(Number(process.argv[3] ?? 0));
  console.log(server.address);
}
