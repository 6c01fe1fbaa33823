// SPDX-License-Identifier: BSD-3-Clause
// The page of a real server: what it shows of jobs that were computed, and that what is done there is done.
// Usage: node service_page.mjs CONFIG.json [parts], which page_service_test.py writes; exit code 1 when a fact
// does not hold.
import { execFileSync } from "node:child_process";
import fs from "node:fs";

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
const address = config.url;

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

async function views_of_all_roles() {
  const views = {
    "#/overview": "Disk and database", "#/jobs": "page-failed", [`#/jobs/${jobs.done}`]: "mesh", [`#/jobs/${jobs.done}?tab=log&stage=mesh`]: "Log",
    [`#/jobs/${jobs.done}?tab=residuals`]: "iterations in all", [`#/jobs/${jobs.done}?tab=reuse`]: "What was reused", [`#/jobs/${jobs.failed}`]: "failed", "#/campaigns": "Campaigns",
    "#/map": "page-done", [`#/map/${jobs.done}?source=s00d00%2Fdip_slip&station=E20`]: "0 (coseismic)", "#/mesh": "page-done", [`#/mesh/${jobs.done}`]: "Dihedral angles",
    "#/workers": "heard", "#/admin/quotas": "Quotas and shares", "#/about": "preact",
  };
  for (const role of ["viewer", "user", "operator", "admin"]) {
    await enter(role);
    const wrong = [];
    const all = role === "admin" ? { ...views, "#/admin/tokens": "Make a token", "#/admin/audit": "MakeToken", "#/admin/backups": /No backup was made|Your role may not/ } : views;
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

async function cordons(worker) {
  await worker.getByRole("button", { name: "Cordon", exact: true }).click();
  await page.getByLabel("Reason (for others)").fill("<b onclick=alert(1)>fan</b>");
  await confirm("Cordon");
  await see("The worker is cordoned.");
  await page.locator(".panel", { hasText: "Out of service" }).getByText("<b onclick=alert(1)>fan</b>").waitFor();
  facts.check("a worker is cordoned with its reason", true);
  await page.locator(".panel", { hasText: "Out of service" }).getByRole("button", { name: "Lift" }).first().click();
  await confirm("Lift it");
  await see("The cordon is lifted.");
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
  await enter("operator", "#/workers");
  await page.locator(".worker .actions").first().waitFor();
  const worker = page.locator(".worker").first();
  await worker.getByRole("button", { name: "Drain", exact: true }).click();
  await confirm("Drain");
  await worker.locator(".state", { hasText: "draining" }).waitFor();
  await worker.getByRole("button", { name: "Undrain" }).click();
  await confirm("Lift the drain");
  await see("The worker works again.");
  facts.check("an operator drains a worker, and lifts it", true);
  const { methods } = await page.evaluate(() => fetch("/v1/session").then((answer) => answer.json()));
  if (methods.includes("Admin/SetCordon")) await cordons(worker);
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
  await go(`#/admin/audit${methods.includes("Admin/SetCordon") ? "?principal=ada" : ""}`);
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
    opened_by_the_command, views_of_all_roles, numbers_are_right, what_is_done_is_done, a_token_ends_under_the_page, the_server_restarts,
  };
  for (const [name, part] of Object.entries(parts)) if (!process.argv[3] || name.match(process.argv[3])) await part();
  facts.check("no error, nothing that the policy refused", faults.length === 0, faults.join("\n"));
} catch (error) {
  facts.check("the test comes to its end", false, `${error.stack}\n${(await text().catch(() => "")).replace(/\s+/g, " ").slice(-900)}`);
} finally {
  await close();
}
process.exit(facts.failed ? 1 : 0);
