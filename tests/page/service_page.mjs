// SPDX-License-Identifier: BSD-3-Clause
// The page of a real server: what it shows of jobs that were computed, and that what is done there is done.
// Usage: node service_page.mjs CONFIG.json [parts], which page_service_test.py writes; exit code 1 when a fact
// does not hold.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";

import { accessibility, Facts, harmed, open_browser, too_wide } from "./browser.mjs";

const config = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { jobs, tokens } = config;
const facts = new Facts();
const { context, page, faults, close } = await open_browser();
const kaname = (...args) =>
  execFileSync(`${config.bin}/kaname`, args, { env: { ...process.env, KANAME_STATE: config.state }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const status_of = (job) => JSON.parse(kaname("status", job, "--json"));
const text = () => page.locator("#page").innerText();
const see = (words) => page.getByText(words).first().waitFor();
let address = config.url;

async function go(hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}
async function enter(role, hash = "#/overview") {
  await context.clearCookies();
  await page.goto("about:blank");
  await page.goto(`${address}/${hash}`);
  await page.getByLabel("Token").fill(tokens[role]);
  await page.keyboard.press("Enter");
  await page.locator("main#main").waitFor();
}
const confirm = (word) => page.locator("dialog").getByRole("button", { name: word }).click();

async function opened_by_the_command() {
  const line = kaname("page", `map/${jobs.done}`, "--print").trim().split(/\s+/).find((word) => word.includes("#login="));
  await page.goto(line);
  await see(`${config.stations} stations`);
  facts.check("kaname page prints the line that opens a job's map, logged in", page.url().startsWith(`${address}/#/map/${jobs.done}`), page.url());
  await context.clearCookies();
  await page.goto("about:blank");
  await page.goto(line);
  await see("This address no longer logs in");
  facts.check("its code is good once", true);
}

/** A proxy that has the server below /kaname/, as nginx's location or Open OnDemand do. */
async function below_a_path() {
  const server = new URL(config.url);
  const proxy = http.createServer((asked, answer) => {
    if (!asked.url.startsWith("/kaname/")) return answer.writeHead(404).end();
    const to = { host: server.hostname, port: server.port, path: asked.url.slice(7), method: asked.method, headers: asked.headers };
    const passed = http.request(to, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    asked.pipe(passed);
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
  });
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  const missing = [];
  const look = (got) => got.status() === 404 && missing.push(got.url());
  page.on("response", look);
  address = `http://127.0.0.1:${proxy.address().port}/kaname`;
  try {
    await enter("user", "#/jobs");
    await see("page-done");
    await page.locator(".connection.live").waitFor();
    await go(`#/map/${jobs.done}?station=E20`);
    await see(`${config.stations} stations`);
    const paths = (await context.cookies()).map((cookie) => cookie.path);
    facts.check("below a path of a proxy the page logs in, lists, maps and follows events", missing.length === 0, missing.join("\n"));
    facts.check("its cookie is for that path alone", paths.length === 1 && paths[0] === "/kaname/", paths.join());
  } finally {
    page.off("response", look);
    address = config.url;
    await page.goto("about:blank");
    proxy.closeAllConnections?.();
    proxy.close();
  }
}

async function views_of_all_roles() {
  const views = {
    "#/overview": "Disk and database", "#/jobs": "page-failed", [`#/jobs?id=${jobs.done.slice(0, 8)}`]: "1 that match",
    [`#/jobs/${jobs.done}`]: "mesh", [`#/jobs/${jobs.done}?tab=log&stage=mesh`]: "Log",
    [`#/jobs/${jobs.done}?tab=residuals`]: "iterations in all", [`#/jobs/${jobs.done}?tab=reuse`]: "What was reused", [`#/jobs/${jobs.failed}`]: "failed", "#/campaigns": "Campaigns",
    "#/map": "page-done", [`#/map/${jobs.done}?source=s00d00%2Fdip_slip&station=E20`]: "0 (coseismic)", "#/mesh": "page-done", [`#/mesh/${jobs.done}`]: "Dihedral angles",
    "#/workers": "heard", "#/admin/quotas": "Quotas and shares", "#/about": "preact",
  };
  // Users and operators see the views of a viewer, and actions besides, which are done below.
  for (const role of ["viewer", "admin"]) {
    await enter(role);
    const wrong = [];
    const all = role === "admin" ? { ...views, "#/admin/tokens": "Make a token", "#/admin/audit": "MakeToken", "#/admin/backups": config.backup } : views;
    for (const [hash, words] of Object.entries(all)) {
      await go(hash);
      await see(words).catch(async () => wrong.push(`${hash}: ${(await text()).replace(/\s+/g, " ").slice(-300)}`));
      if (await page.locator(".fault").count()) wrong.push(`${hash}: ${await page.locator(".fault").first().innerText()}`);
    }
    facts.check(`every view of a real server opens for role ${role}`, wrong.length === 0, wrong.join("\n"));
    facts.check(`and no name was taken for markup, ${role}`, !(await harmed(page)));
  }
  for (const [scheme, width] of [["light", 1280], ["dark", 390]]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const wrong = [];
    for (const hash of ["#/overview", `#/jobs/${jobs.done}`, `#/map/${jobs.done}?station=E20`, "#/workers"]) {
      await go(hash);
      await see(views[hash.replace("?station=E20", "?source=s00d00%2Fdip_slip&station=E20")] ?? "mesh");
      wrong.push(...(await accessibility(page)));
      if (await too_wide(page)) wrong.push(`${hash} is wider than the screen`);
    }
    facts.check(`the views of a real server are accessible and fit, ${scheme}, ${width} px`, wrong.length === 0, wrong.join("\n"));
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

async function numbers_are_right() {
  await enter("viewer", `#/map/${jobs.done}?source=${encodeURIComponent(config.source)}&station=E20`);
  const shown = async () =>
    (await page.locator(".enu dd").allInnerTexts()).map((said) => {
      const value = Number(said.replace("\u2212", "-").replace(/[^\d.eE+-]/g, ""));
      return said.includes("mm") ? value / 1000 : value;
    });
  const near = (a, b) => a.length === 3 && a.every((value, i) => Math.abs(value - b[i]) < 6e-4 * Math.max(0.02, Math.abs(b[i]) * 20));
  await page.locator(".enu dd").first().waitFor();
  facts.check("motion of a station is the dataset's", near(await shown(), config.motion[0]), `${await shown()} for ${config.motion[0]}`);
  await page.getByRole("slider").focus();
  await page.keyboard.press("End");
  await see(`${config.motion.length} of ${config.motion.length}`);
  facts.check("and after the slider's last epoch", near(await shown(), config.motion.at(-1)), `${await shown()} for ${config.motion.at(-1)}`);
  await page.getByText("Values at the stations").click();
  await page.locator(".values .row").nth(3).waitFor();
  facts.check("a station whose id is markup is a station", (await page.locator(".values").innerText()).includes("onerror") === config.hostile_station);
}

const REASON = "<b onclick=alert(1)>fan</b>";
const row_of = (words) => page.locator(".worker", { hasText: words });
const out_of_service = () => page.locator(".panel", { hasText: "Out of service" });

async function workers_and_gpus() {
  await enter("operator", "#/workers");
  const plain = row_of("No GPU: it computes on processors");
  await plain.waitFor();
  facts.check("a worker without a GPU says so", (await plain.count()) === 1 && (await plain.locator(".gpu").count()) === 0);
  const made_up = row_of("made-up");
  await made_up.locator(".gpu .past svg").nth(3).waitFor({ timeout: 60000 });
  const said = (await made_up.locator(".gpu").innerText()).replace(/\s+/g, " ");
  facts.check("a GPU has its readings and their curves", ["73 %", "413 W", "64 °C", "ECC uncorrected 1", "rows remapped 5", "a remap waits for a reset"].every((word) => said.includes(word)), said);

  await plain.getByRole("button", { name: "Drain", exact: true }).click();
  await confirm("Drain");
  await page.locator(".worker .state", { hasText: "draining" }).waitFor();
  await page.getByRole("button", { name: "Undrain" }).click();
  await confirm("Lift the drain");
  await see("The worker works again.");
  facts.check("an operator drains a worker, and lifts it", true);

  await made_up.getByRole("button", { name: "Cordon", exact: true }).first().click();
  await page.getByLabel("Reason (for others)").fill(REASON);
  await confirm("Cordon");
  await see("The worker is cordoned.");
  await made_up.locator(".state", { hasText: "cordoned" }).waitFor();
  const line = await out_of_service().locator("li", { hasText: "worker " }).innerText();
  facts.check("an operator cordons a worker: shown with its reason and who did it", line.includes(REASON) && line.includes("otto"), line);
  facts.check("as the command sees it", JSON.parse(kaname("worker", "list", "--json")).workers.some((worker) => worker.state === "cordoned"));
  await made_up.getByRole("button", { name: "Uncordon", exact: true }).first().click();
  await confirm("Lift the cordon");
  await see("The cordon is lifted.");
  await made_up.locator(".state", { hasText: "idle" }).waitFor();
  facts.check("and lifts the cordon", (await out_of_service().getByText(REASON).count()) === 0);

  await made_up.getByRole("button", { name: `Cordon GPU ${config.gpu}` }).click();
  await page.getByLabel("Reason (for others)").fill(REASON);
  await confirm("Cordon");
  await made_up.locator(".gpu").getByText("Cordoned by otto").waitFor();
  const why = await made_up.locator(".gpu").innerText();
  facts.check("a GPU is cordoned, its row says by whom and why", why.includes(REASON), why);
  await enter("viewer", "#/workers");
  await made_up.locator(".gpu").getByText(REASON).waitFor();
  facts.check("a viewer reads that, and is offered no change", (await page.getByRole("button", { name: /rain|ordon|Lift/ }).count()) === 0);
  await enter("operator", "#/workers");
  await made_up.getByRole("button", { name: `Uncordon GPU ${config.gpu}` }).click();
  await confirm("Uncordon");
  await see("The GPU is back at work.");
}

async function failures_audit_and_backups() {
  await enter("admin", "#/overview");
  const failure = page.locator(".failures li", { has: page.locator(`a[href*="${jobs.failed}"]`) }).first();
  await failure.waitFor();
  facts.check("the Overview has the failed job's failure, with its error", /s0\dd0\d\/dip_slip[\s\S]*NotConverged/.test(await failure.innerText()), await failure.innerText());
  await go("#/admin/backups");
  await page.getByRole("row").getByText(config.backup).waitFor();
  const backup = await page.getByRole("row", { name: config.backup }).innerText();
  facts.check("a backup that was made is listed", backup.toLowerCase().includes("done"), backup);
  await go("#/admin/audit");
  await page.getByRole("cell", { name: "MakeToken" }).first().waitFor();
  const rows = async () => (await page.getByRole("table", { name: "Audit" }).locator("tbody tr").allInnerTexts()).map((row) => row.replace(/\s+/g, " "));
  const all = await rows();
  const only = async (word) => {
    const filtered = (n) => ![0, n].includes(document.querySelectorAll("tbody tr").length);
    await page.waitForFunction(filtered, all.length, { timeout: 5000 }).catch(() => {}); // said by the rows then
    const left = await rows();
    return left.length > 0 && left.length < all.length && left.every((row) => row.includes(word)) ? "" : left.join("\n");
  };
  await page.getByRole("searchbox", { name: "principal" }).fill("vera");
  let wrong = await only("vera");
  facts.check("the audit is filtered by who", wrong === "", wrong);
  await page.getByRole("searchbox", { name: "principal" }).fill("");
  await page.waitForFunction((n) => document.querySelectorAll("tbody tr").length === n, all.length);
  await page.getByLabel("refusals alone").check();
  wrong = await only("refused");
  facts.check("by what was refused", wrong === "", wrong);
  await page.getByLabel("refusals alone").uncheck();
  await page.waitForFunction((n) => document.querySelectorAll("tbody tr").length === n, all.length);
  await page.getByRole("searchbox", { name: "method" }).fill("MakeToken");
  wrong = await only("MakeToken");
  facts.check("and by call", wrong === "", wrong);
}

async function what_is_done_is_done() {
  await enter("viewer", `#/jobs/${jobs.running}`);
  await see("page-running");
  facts.check("a viewer is offered no change", (await page.getByRole("button", { name: /^(Cancel|Retry|Delete)/ }).count()) === 0);
  await enter("user", `#/jobs/${jobs.failed}`);
  await see("page-failed");
  facts.check("a user may not change what is another's", (await page.getByRole("button", { name: /^(Cancel|Retry|Delete)/ }).count()) === 0);
  await go(`#/jobs/${jobs.running}`);
  await see("page-running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await confirm("Cancel the job");
  await see("The job is cancelled.");
  facts.check("a user cancels its own job", status_of(jobs.running).state.toLowerCase() === "cancelled", JSON.stringify(status_of(jobs.running)));
  await page.getByRole("button", { name: "Retry" }).click();
  await confirm("Retry the job");
  await see("The job is queued again.");
  facts.check("and retries it", status_of(jobs.running).state.toLowerCase() === "active");
  const [file] = await Promise.all([page.waitForEvent("download"), (async () => {
    await go(`#/jobs/${jobs.done}`);
    await page.locator("a[download]").click();
  })()]);
  const head = fs.readFileSync(await file.path()).subarray(0, 4).toString("latin1");
  facts.check("a dataset is downloaded", head === "\x89HDF", head);
  await enter("admin", "#/admin/tokens");
  await page.getByLabel("Name", { exact: true }).fill("guest");
  await page.locator('select[name="role"]').selectOption("viewer");
  await page.getByRole("button", { name: "Make", exact: true }).click();
  const secret = await page.locator(".secret code").innerText();
  const answer = () => fetch(`${address}/v1/session`, { headers: { Authorization: `Bearer ${secret}` } });
  facts.check("a token that was made works", (await answer()).status === 200);
  await page.getByRole("button", { name: /^Revoke the token of guest/ }).click();
  await confirm("Revoke it");
  await see("The token of guest is revoked.");
  let last = 0;
  for (let i = 0; i < 40 && last !== 401; ++i) {
    last = (await answer()).status;
    await new Promise((done) => setTimeout(done, 250));
  }
  facts.check("and is refused when it was revoked", last === 401, last);
  await go("#/admin/audit?principal=ada");
  await page.getByRole("cell", { name: "CancelJob" }).first().waitFor();
  facts.check("the audit has who cancelled", true);
}

async function a_token_ends_under_the_page() {
  tokens.short = kaname("token", "make", "short", "--role", "viewer").trim();
  await enter("short");
  await see("Disk and database");
  kaname("token", "revoke", "short");
  await see("Your session has ended");
  facts.check("a token that is revoked under an open page ends it, and the page says so", true);
}

async function the_server_restarts() {
  await enter("admin", `#/jobs/${jobs.running}`);
  await see("page-running");
  kaname("down");
  await see("The server has not answered");
  kaname("up", ...config.up);
  await page.locator(".connection.live").waitFor({ timeout: 60000 });
  await page.waitForFunction(() => !document.body.innerText.includes("has not answered"));
  facts.check("when the server is back, the open page goes on, logged in", (await text()).includes("page-running"));
  kaname("cancel", jobs.running);
  await page.locator(".state", { hasText: "cancelled" }).first().waitFor();
  facts.check("and follows what happens then", true);
  kaname("delete", jobs.running);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await see("This job was deleted while it was shown.");
  facts.check("a job that somebody deletes is told", true);
}

try {
  const parts = {
    opened_by_the_command, below_a_path, views_of_all_roles, numbers_are_right, workers_and_gpus, failures_audit_and_backups, what_is_done_is_done, a_token_ends_under_the_page, the_server_restarts,
  };
  for (const [name, part] of Object.entries(parts)) if (!process.argv[3] || name.match(process.argv[3])) await part();
  facts.check("no error, nothing that the policy refused", faults.length === 0, faults.join("\n"));
} catch (error) {
  facts.check("the test comes to its end", false, `${error.stack}\n${(await text().catch(() => "")).replace(/\s+/g, " ").slice(-900)}`);
} finally {
  await close();
}
process.exit(facts.failed ? 1 : 0);
