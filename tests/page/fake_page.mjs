// SPDX-License-Identifier: BSD-3-Clause
// The page before a server of which everything is known: all views for all roles, what the page says when
// something is wrong, large things, names that would do harm, the keyboard alone.
// Usage: node fake_page.mjs FOLDER_OF_THE_PAGE [part]; exit code 1 when a fact does not hold. KANAME_VIEWS names the
// folder that view_files.py has filled.
import fs from "node:fs";
import path from "node:path";

import { accessibility, Facts, harmed, open_browser, tab_to, too_wide } from "./browser.mjs";
import { HOSTILE, map_of, workers_of } from "./fake_data.mjs";
import { FakeServer } from "./fake_server.mjs";

const folder = path.resolve(process.argv[2]);
const facts = new Facts();
const id = (n) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const VIEWS = {
  overview: ["#/overview", "Disk and database"], jobs: ["#/jobs", "nankai-burgers"], job: [`#/jobs/${id(2)}`, "p3/dip_slip"],
  "log of a stage": [`#/jobs/${id(2)}?tab=log`, "step 1/50"], residuals: [`#/jobs/${id(1)}?tab=residuals`, "364 iterations in all"],
  reuse: [`#/jobs/${id(1)}?tab=reuse`, "at the pace of"], "hostile job": [`#/jobs/${id(6)}`, "onerror"], campaigns: ["#/campaigns", "viscosities"],
  campaign: [`#/campaigns/${id(90)}`, "viscosity=3e18,slab=a"], maps: ["#/map", "nankai"], map: [`#/map/${id(1)}?station=G0010`, "34.972"], meshes: ["#/mesh", "nankai"],
  mesh: [`#/mesh/${id(1)}`, "slab-top"], data: ["#/data", "Drop NAME.view.json here"], workers: ["#/workers", "no NVIDIA driver"], quotas: ["#/admin/quotas", "ada"], tokens: ["#/admin/tokens", "Make a token"],
  audit: ["#/admin/audit", "CancelJob"], backups: ["#/admin/backups", "No backup was made"], about: ["#/about", "preact"],
};
const ADMIN_ONLY = ["tokens", "audit", "backups"];
const SAME_PARTS = ["hostile job", "campaigns", "meshes", "tokens", "backups"]; // as job, jobs, maps, quotas, audit
const WITH_ACTIONS = ["job", "campaign", "workers", "quotas"]; // differ from role to role; the others are a viewer's

const server = await new FakeServer(folder).start();
const { context, page, faults, close } = await open_browser();
const text = () => page.locator("#page").innerText();
const see = (words) => page.getByText(words).first().waitFor();
const calls_of = (method) => server.calls.filter(([name]) => name === method);

async function enter(role, hash = "#/overview") {
  await context.clearCookies();
  await page.goto("about:blank");
  await page.goto(`${server.address}/#login=code-${role}&to=${encodeURIComponent(hash.slice(1))}`);
  await page.locator("main#main").waitFor();
}
async function go(hash) {
  await page.evaluate((to) => (location.hash = to), hash);
}

async function logging_in() {
  await page.goto(server.address);
  await page.getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await see("token is unknown");
  facts.check("a wrong token is refused with the server's words", true);
  const at_login = await accessibility(page);
  facts.check("the login is accessible", at_login.length === 0, at_login);
  await page.getByLabel("Token").fill("user");
  await page.keyboard.press("Enter");
  await see("Disk and database");
  facts.check("a token logs in", (await text()).includes("ada"));
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Token").waitFor();
  facts.check("a logout ends the session", server.sessions.size === 0);
  await enter("viewer", `#/mesh/${id(1)}`);
  await see("Mesh of nankai");
  const said = await page.getByRole("row", { name: /free surface/ }).innerText();
  facts.check("distances that are round-off are none", said.split(/\s+/).slice(-4).join() === "0,0,0,0", said);
  await page.evaluate(() => (location.hash = "#login=code-admin&to=/jobs"));
  await see("Log in as somebody else?");
  facts.check("a link of somebody else asks first", (await text()).includes('the link logs in as "admin"'));
  await page.getByRole("button", { name: "Leave it" }).click();
  facts.check("... and leaves who is logged in", (await page.locator(".who .name").innerText()).startsWith("viewer"));
  await page.evaluate(() => (location.hash = "#login=code-operator&to=/jobs"));
  await page.getByRole("button", { name: "Log in by the link" }).click();
  await page.locator(".who .name", { hasText: "operator" }).waitFor();
  facts.check("... or logs in when that is wanted", true);
  await enter("viewer", `#/mesh/${id(1)}`);
  await see("Mesh of nankai");
  facts.check("a code of the address logs in, goes on to its view, and is gone", page.url() === `${server.address}/#/mesh/${id(1)}`, page.url());
}

async function views() {
  for (const role of ["viewer", "user", "operator"]) {
    await enter(role);
    const wrong = [];
    for (const [name, [hash, words]] of Object.entries(VIEWS)) {
      if (["user", "operator"].includes(role) && ![...WITH_ACTIONS, ...ADMIN_ONLY].includes(name)) continue;
      const denied = ADMIN_ONLY.includes(name);
      await go(hash);
      await see(denied ? "Your role may not see this" : words).catch(() => wrong.push(name));
    }
    facts.check(`the views say what they should to role ${role}`, wrong.length === 0, wrong.join(", "));
  }
  await enter("admin");
  for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390]]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const wrong = [];
    for (const [name, [hash, words]] of Object.entries(VIEWS)) {
      await go(hash);
      await see(words).catch(() => wrong.push(`${name} does not say ${words}`));
      // Narrow screens have the same parts and colours: one view of each kind.
      if (width > 500 || ["overview", "jobs", "map", "workers"].includes(name)) {
        // The dark scheme has other colours and nothing else; a view that has the parts of another one has its colours.
        if (scheme === "dark" && SAME_PARTS.includes(name)) continue;
        const rules = scheme === "dark" ? ["color-contrast"] : undefined;
        for (const fault of await accessibility(page, rules)) wrong.push(`${name}: ${fault}`);
      }
      if (await too_wide(page)) wrong.push(`${name} is wider than the screen`);
    }
    facts.check(`every view says to an administrator what it should, is accessible and fits, ${scheme}, ${width} px`, wrong.length === 0, wrong.join("\n"));
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
  await go("#/overview");
  const ground = () => page.evaluate(() => getComputedStyle(document.body.parentElement).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Switch to dark" }).click();
  const dark = await ground();
  await page.reload();
  await see("Disk and database");
  facts.check("the switch turns to dark, and it is kept", light !== dark && (await ground()) === dark, `${light} ${dark}`);
  await page.getByRole("button", { name: "Switch to light" }).click();
}

async function by_role() {
  await enter("viewer", `#/jobs/${id(2)}`);
  await see("p3/dip_slip");
  facts.check("a viewer is offered no change of a job", (await page.getByRole("button", { name: /Cancel|Retry|Delete/ }).count()) === 0);
  await go("#/workers");
  await see("node11");
  facts.check("a viewer is offered no change of a worker", (await page.getByRole("button", { name: /rain|ordon/ }).count()) === 0);
  await enter("user", `#/jobs/${id(3)}`);
  await see("117 / 120");
  facts.check("a user is not offered what is another's", (await page.getByRole("button", { name: "Retry" }).count()) === 0);
  await enter("operator", `#/jobs/${id(3)}`);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("button", { name: "Retry the job" }).click();
  await see("The job is queued again.");
  facts.check("an operator retries another's job", calls_of("Jobs/RetryJob").length === 1);
  await go(`#/campaigns/${id(90)}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Pause the campaign" }).click();
  await see("The campaign is paused.");
  facts.check("an operator pauses a campaign", server.campaigns[0].state === "PAUSED");
  await go("#/workers");
  const row = page.locator(".worker").first();
  await row.getByRole("button", { name: "Drain", exact: true }).first().click();
  await page.getByLabel("Reason (for others)").fill(HOSTILE);
  await page.locator("dialog").getByRole("button", { name: "Drain" }).click();
  await see("The worker is draining.");
  facts.check("a drain has its reason", calls_of("Admin/DrainWorker")[0]?.[1].reason === HOSTILE);
  await row.getByRole("button", { name: /^Cordon GPU/ }).first().click();
  await page.locator("dialog").getByRole("button", { name: "Cordon" }).click();
  await see("The GPU is cordoned.");
  await page.locator(".panel", { hasText: "Out of service" }).getByText("by operator").first().waitFor();
  await page.locator(".panel", { hasText: "Out of service" }).getByRole("button", { name: "Lift" }).first().click();
  await page.getByRole("button", { name: "Lift it" }).click();
  await see("The cordon is lifted.");
  facts.check("a GPU is cordoned, shown with who did it, and lifted", calls_of("Admin/SetCordon").length === 2 && calls_of("Admin/SetCordon")[1][1].lift === true);
  await go("#/admin/quotas");
  await page.getByLabel("Owner").fill("grace");
  await page.getByLabel("Tasks running").fill("8");
  await page.getByRole("button", { name: "Set", exact: true }).click();
  await page.getByRole("cell", { name: "grace", exact: true }).waitFor();
  facts.check("a quota is set, what is empty is unlimited", JSON.stringify(calls_of("Admin/SetQuota")[0][1]) === '{"owner":"grace","queued":"-1","running":"8","bytes":"-1","weight":1}', JSON.stringify(calls_of("Admin/SetQuota")));
  await enter("admin", "#/admin/tokens");
  await page.getByLabel("Name", { exact: true }).fill("two words");
  await page.getByRole("button", { name: "Make", exact: true }).click();
  await see("must be one word");
  await page.getByLabel("Name", { exact: true }).fill("eve");
  await page.getByRole("button", { name: "Make", exact: true }).click();
  await see("k7QxSECRETsecretSECRET");
  await page.getByRole("button", { name: "I have it" }).click();
  facts.check("a token is shown once", !(await page.content()).includes("k7QxSECRET"));
  const ids = calls_of("Admin/MakeToken").map(([, body]) => body.request_id);
  facts.check("a token that was refused is asked for under the same request id", ids.length === 2 && ids[0] === ids[1], ids.join());
  await page.getByRole("button", { name: /^Revoke the token of eve/ }).click();
  await page.getByRole("button", { name: "Revoke it" }).click();
  await see("The token of eve is revoked.");
  await go("#/admin/audit?refused=yes");
  await see("refused");
  facts.check("the audit is filtered by the server", calls_of("Admin/ListAuditEvents").at(-1)[1].refused === true);
  await go(`#/jobs/${id(4)}`);
  await page.getByRole("button", { name: "Delete" }).waitFor();
  server.jobs = server.jobs.filter((job) => job.name !== `jobs/${id(4)}`);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the job" }).click();
  await page.locator("dialog").getByText("does not exist").waitFor();
  facts.check("a refusal stays in the dialog, with the server's words", true);
  await page.keyboard.press("Escape");
}

async function by_keyboard() {
  await context.clearCookies();
  await page.goto("about:blank");
  await page.goto(server.address);
  await tab_to(page, /^$|Token/);
  await page.getByLabel("Token").focus();
  await page.keyboard.type("user");
  await page.keyboard.press("Enter");
  await see("Disk and database");
  facts.check("the keyboard reaches Jobs", await tab_to(page, /^Jobs$/));
  await page.keyboard.press("Enter");
  await see("nankai-burgers");
  facts.check("and a job", await tab_to(page, /^nankai-burgers$/));
  await page.keyboard.press("Enter");
  await see("802 stages");
  facts.check("and its Cancel", await tab_to(page, /^Cancel$/));
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor();
  facts.check("whose question Escape closes", await page.keyboard.press("Escape").then(() => page.locator("dialog[open]").count()).then((n) => n === 0));
  facts.check("the tabs turn by arrows", await tab_to(page, /^Stages$/));
  await page.keyboard.press("ArrowRight");
  await see("step 1/50");
  await page.keyboard.press("ArrowRight");
  await see("iterations in all");
  await go(`#/map/${id(1)}`);
  await page.locator(".map-box canvas").waitFor();
  facts.check("the map has the focus of the keyboard", await tab_to(page, /Arrows move the map/));
  const before = await page.locator(".scale-bar").innerText();
  for (let i = 0; i < 6; ++i) await page.keyboard.press("+");
  facts.check("and zooms by it", (await page.locator(".scale-bar").innerText()) !== before);
  facts.check("the epochs have it", await tab_to(page, /^Epoch$/));
  await page.keyboard.press("End");
  await see("24 of 24");
}

async function when_things_go_wrong() {
  await enter("admin", `#/jobs/${id(5)}`);
  await see("18 stages");
  const streams = server.streams.size;
  await server.restart(async () => {
    await see("The server has not answered");
    facts.check("a server that is gone is told", (await text()).includes("not connected"));
  });
  await page.locator(".connection.live").waitFor();
  server.tell("stats", { ...server.stats, tasks_ready: "77123" });
  await go("#/overview");
  await see("77\u202f123");
  facts.check("when it is back, the page goes on", streams === 2 && !(await text()).includes("has not answered"), `${streams} streams`);
  facts.check("and a watch behind the last event that it saw", server.resumed === "a1", server.resumed);
  await go(`#/jobs/${id(2)}?tab=log`);
  await see("step 1/50");
  server.log += "step 2/50, 9 iterations, é\n";
  await server.restart();
  await see("step 2/50, 9 iterations, é");
  const log = await page.locator("pre.log").innerText();
  facts.check("a log goes on at the byte where it broke off", log.split("step 1/50").length === 2 && log.endsWith("é\n"), log);
  await go(`#/jobs/${id(5)}`);
  await see("18 stages");
  for (const stream of server.streams) if (stream.kind === "Jobs/WatchJob") stream.answer.write('event: error\ndata: {"code":5,"message":"gone"}\n\n');
  await see("This job was deleted while it was shown.");
  facts.check("a job that is deleted while it is shown is told", true);
  await go(`#/jobs/${id(7)}`);
  await see("scenario-1944");
  server.jobs = server.jobs.filter((job) => job.name !== `jobs/${id(7)}`);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await see("This job was deleted while it was shown.");
  facts.check("also one that had ended, when it is looked at again", true);
  await go("#/jobs/nowhere");
  await see("There is no job nowhere");
  server.damaged = true;
  await go(`#/map/${id(3)}`);
  await see("This dataset is damaged");
  facts.check("a damaged dataset is told, with what helps", true);
  server.damaged = false;
  server.map = map_of(20, 4, 2, 3, { failed: ["p1"], hostile: true });
  await go(`#/map/${id(2)}?source=p1%2Fdip_slip`);
  await see("This job has not ended");
  await see(/failed: NotConverged/);
  facts.check("a partial dataset is told, and why a source has no values", true);
  await go(`#/mesh/${id(5)}`);
  await see("The mesh of this job is not made yet");
  server.stats = { ...server.stats, paused: "artifacts: 9 GB are free, 10 GB are kept" };
  server.tell("stats", server.stats);
  await see("No task starts: artifacts");
  facts.check("a server that starts nothing says why", true);
  server.tell("trouble", { code: 14, message: "the database restarts" });
  await see("the database restarts");
  server.sessions.clear();
  await go("#/admin/tokens");
  await see("Your session has ended");
  facts.check("a revoked token leads to the login, and says so", await page.getByLabel("Token").isVisible());
}

async function scenario() {
  server.map = map_of(60, 8, 3, 5, { units: "m", events: [{ name: "mainshock", time_s: 0 }, { name: "aftershock", time_s: 86400 }], title: "scenario-1944" });
  server.map.patches = server.map.patches.slice(0, 2).map((patch, i) => ({ ...patch, id: ["mainshock", "aftershock"][i], sources: [{ ...patch.sources[0], id: ["mainshock/dip_slip", "aftershock/dip_slip"][i] }] }));
  server.slip_table = "# as written by hand\npatch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,rake_deg,slip_m\n1,135.0,33.2,10,60,40,248,12,90,2.5\n2,135.6,33.4,10,60,40,248,12,90,4\n";
  server.specification = {
    events: [
      { name: "mainshock", scale: 0, slip_model: { path: "slip.csv", sha256: "ef".repeat(32) } },
      { name: "aftershock", patches: [{ lon_deg: 135.2, lat_deg: 33.1, length_m: 30000, width_m: 20000, strike_deg: 248, dip_deg: 12, slip_m: 0.5 }] },
    ],
  };
  await enter("viewer", `#/map/${id(1)}`);
  await see("4.0 m slip");
  facts.check("a scenario's slip model is drawn from its table, with its scale", (await page.locator(".legend").innerText()).includes("4.0 m slip"));
  await page.getByLabel("slip model").uncheck();
  await page.waitForFunction(() => !document.querySelector(".legend").innerText.includes("m slip"));
  server.slip_table = "what is this";
  await page.reload();
  await see("The slip model of mainshock is not drawn");
  facts.check("one in a format that is not drawn is named", (await text()).includes("slip.csv: it is in a format that this page does not draw"));
}

/** Returns the color in the middle of a piece of a canvas: the mean of 9 x 9 pixels about a place in parts of its size. */
function color_at(canvas, x, y) {
  return canvas.evaluate((element, [a, b]) => {
    const [u, v] = [Math.round(a * element.width), Math.round(b * element.height)];
    const { data } = element.getContext("2d").getImageData(u - 4, v - 4, 9, 9);
    return [0, 1, 2].map((k) => data.reduce((sum, value, i) => sum + (i % 4 === k ? value : 0), 0) / 81);
  }, [x, y]);
}

/** Returns how many pixels of a canvas have a color, and the columns that have it from top to bottom, in parts of the width. */
function ink_of(canvas, rgb) {
  return canvas.evaluate((element, wanted) => {
    const { data, width, height } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    const columns = new Array(width).fill(0);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 200 && wanted.every((value, k) => Math.abs(value - data[i + k]) < 24)) columns[(i / 4) % width] += 1;
    }
    return { count: columns.reduce((a, b) => a + b), lines: columns.flatMap((n, x) => (n > 0.5 * height ? [x / width] : [])) };
  }, rgb);
}

async function data_files() {
  const read = (name) => fs.readFileSync(path.join(process.env.KANAME_VIEWS, name), "utf8");
  const [series, raster] = [JSON.parse(read("series.view.json")), JSON.parse(read("raster.view.json"))];
  const put = (name, content) =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)) });
  await enter("viewer", "#/data");
  await see("Drop NAME.view.json here");
  const sent = [];
  const listen = (request) => request.method() !== "GET" && sent.push(request.url());
  page.on("request", listen);

  await put("series.view.json", series);
  await page.getByRole("heading", { name: "MADE", exact: true }).waitFor();
  const panels = page.locator(".data-component");
  facts.check("a series has a panel for east, north and up", (await panels.locator("h3").allInnerTexts()).map((line) => line.split(" ")[0]).join() === "east,north,up");
  const upper = panels.nth(2).locator("canvas").first();
  const [dots, fitted, event, antenna] = [await ink_of(upper, [11, 110, 134]), await ink_of(upper, [91, 74, 158]), await ink_of(upper, [180, 84, 26]), await ink_of(upper, [122, 136, 148])];
  facts.check("with its observation and its fit", dots.count > 300 && fitted.count > 300, JSON.stringify([dots.count, fitted.count]));
  const lower = panels.nth(2).locator("canvas").nth(1);
  facts.check("and the residual below it", (await ink_of(lower, [11, 110, 134])).count > 300 && (await ink_of(lower, [91, 74, 158])).count === 0);
  // The vertical axis takes 56 pixels; the earthquake is in the middle of the series, the antenna at 300 of 1,400 days.
  const at = (part, width) => (56 + part * (width - 56)) / width;
  const width = await upper.evaluate((element) => element.width);
  facts.check("a line marks the earthquake and another the antenna", Math.abs(event.lines[0] - at(0.5, width)) < 0.03 && Math.abs(antenna.lines[0] - at(0.214, width)) < 0.03, JSON.stringify([event.lines, antenna.lines, width]));
  const made = series.stations[0];
  const said = await page.getByRole("row", { name: /step of 2011-05-19/ }).innerText();
  const figures = made.steps[1].amount.map((value) => value.toPrecision(3).replace("-", "\u2212"));
  facts.check("its steps are those of the file", figures.every((value) => said.includes(value)), `${said} ${figures}`);
  await page.getByText("Values that are drawn").click();
  const row = page.getByRole("row", { name: /2009-06-18/ });
  await row.waitFor();
  const texts = [0, 1, 2].map((k) => `${made.observed[k][0].toFixed(2)} (${made.residual[k][0].toFixed(2)})`);
  facts.check("and so are its values, as text", texts.every((value) => value) && texts.join(" ") === (await row.locator(".right").allInnerTexts()).join(" "), `${texts} ${await row.innerText()}`);
  const wrong = await accessibility(page);
  facts.check("series are accessible", wrong.length === 0, wrong.join("\n"));
  await page.getByRole("combobox", { name: "Station" }).selectOption(HOSTILE);
  await page.getByRole("heading", { name: HOSTILE, exact: true }).waitFor();
  facts.check("a station's name is text", new URLSearchParams(page.url().split("?")[1]).get("station") === HOSTILE && !(await harmed(page)), page.url());
  await page.getByRole("combobox", { name: "Station" }).selectOption("LOST");
  await see("without a place");

  await page.evaluateHandle((text) => {
    const dropped = new DataTransfer();
    dropped.items.add(new File([text], "raster.view.json"));
    document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }, JSON.stringify(raster));
  await page.getByRole("heading", { name: "halves", exact: true }).waitFor();
  facts.check("a file is dropped too", true);
  await page.waitForTimeout(300);
  const map = page.locator(".map-box canvas");
  const [west, east, gap] = [await color_at(map, 0.43, 0.7), await color_at(map, 0.57, 0.7), await color_at(map, 0.5, 0.15)];
  const redness = (rgb) => rgb[0] - rgb[2];
  facts.check("a raster is red towards the satellite, blue away from it, and clear where it has no value", redness(west) > 40 && redness(east) < -40 && Math.abs(redness(gap)) < 25, JSON.stringify([west, east, gap]));
  const cells = (await ink_of(map, [51, 68, 79])).count;
  await page.getByLabel("cells of the points").uncheck();
  await page.waitForFunction(() => location.hash.includes("cells=no"));
  await page.waitForTimeout(200);
  facts.check("with its cells over it, that may be left out", cells > 500 && (await ink_of(map, [51, 68, 79])).count < cells / 4, `${cells}`);
  await page.getByLabel("cells of the points").check();
  await page.waitForTimeout(200);
  const box = await map.boundingBox();
  await page.mouse.move(box.x + 0.43 * box.width, box.y + 0.7 * box.height);
  await page.locator(".tip").waitFor();
  const tip = await page.locator(".tip").innerText();
  const pointed = raster.points.id.indexOf(tip.split(":")[0]);
  facts.check("a cell says its mean", pointed >= 0 && tip.includes(`${raster.points.value[pointed].toPrecision(3)} ±`) && tip.endsWith("mm"), tip);
  const pixel_at = async (x, y) => {
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await page.waitForTimeout(100);
    const told = (await page.locator(".tip").allInnerTexts()).join("").replaceAll("−", "-");
    return Number(/pixel (\S+) mm$/.exec(told)?.[1]);
  };
  const pixels = [await pixel_at(0.43, 0.7), await pixel_at(0.57, 0.7), await pixel_at(0.5, 0.15)];
  const shown = new Set(raster.values.filter((value) => value !== null).map((value) => Number(value.toPrecision(3))));
  facts.check("and the pixel's own value, positive in the west, negative in the east, none where it is missing",
    pixels[0] > 0 && pixels[1] < 0 && Number.isNaN(pixels[2]) && shown.has(pixels[0]) && shown.has(pixels[1]), JSON.stringify(pixels));
  await page.mouse.click(box.x + 0.43 * box.width, box.y + 0.7 * box.height);
  await page.getByRole("region", { name: `Point ${raster.points.id[pointed]}` }).waitFor();
  const plot = page.getByRole("img", { name: /Covariance of errors by distance: exponential/ });
  const inked = [await ink_of(plot.locator("canvas"), [11, 110, 134]), await ink_of(plot.locator("canvas"), [180, 84, 26])];
  facts.check("the covariogram has its estimate and its model", inked.every((ink) => ink.count > 60), JSON.stringify(inked));
  await page.getByText(`${raster.points.id.length} points [mm]`).click();
  await page.getByRole("row", { name: new RegExp(raster.points.id[0]) }).waitFor();
  await page.evaluate((name) => (location.hash = `#/data?point=${encodeURIComponent(name)}`), HOSTILE);
  await page.getByRole("heading", { name: HOSTILE, exact: true }).waitFor();
  const faulty = await accessibility(page);
  facts.check("a raster is accessible", faulty.length === 0, faulty.join("\n"));
  await page.setViewportSize({ width: 390, height: 800 });
  const wide = [await too_wide(page)];
  await put("series.view.json", series);
  await page.getByRole("heading", { name: "MADE", exact: true }).waitFor();
  wide.push(await too_wide(page));
  facts.check("both fit a telephone", !wide[0] && !wide[1], wide.join());
  await page.emulateMedia({ colorScheme: "dark" });
  const dim = await accessibility(page, ["color-contrast"]);
  facts.check("series can be read in the dark", dim.length === 0, dim.join("\n"));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });

  const bad = [
    ["what is this", "must be a file NAME.view.json of kaname data, got no JSON"],
    [JSON.stringify(raster).replace('"limit":', '"limit":NaN,"old":'), "got no JSON"],
    ["[1]", "must be a file NAME.view.json of kaname data, got JSON without kaname_view"],
    [{ ...series, kaname_view: 2 }, "kaname_view: must be 1, the version that this page reads, got 2"],
    [{ ...series, kind: "waves" }, 'kind: must be series or raster, got "waves"'],
    [{ ...series, unit: "furlong" }, 'unit: must be mm, got "furlong"'],
    [{ ...series, stations: [{ ...made, residual: [made.residual[0], made.residual[1], made.residual[2].map((v, i) => (i === 7 ? HOSTILE : v))] }] }, "stations[0].residual[2][7]: must be a finite number, got"],
    [{ ...series, stations: [{ ...made, observed: made.observed.slice(1) }] }, "stations[0].observed: must be east, north and up, got 2"],
    [{ ...series, stations: [{ ...made, lat_deg: 138 }] }, "stations[0].lat_deg: must be -90 to 90, got 138"],
    [{ ...series, stations: [{ ...made, mjd: [...made.mjd].reverse() }] }, "stations[0].mjd[1]: must be later than"],
    [JSON.stringify(raster).replace(/"limit":[0-9.]+/, '"limit":1e999'), "limit: must be a finite number, got Infinity"],
    [{ ...raster, rows: 89 }, `values: must have ${89 * raster.columns} numbers, got ${raster.values.length}`],
    [{ ...raster, rows: 1e6 }, "rows, columns: must make at most 1000000 values"],
    [{ ...raster, points: { ...raster.points, sigma: [null] } }, `points.sigma: must have ${raster.points.id.length} numbers, got 1`],
    [{ ...raster, covariogram: "none" }, 'must be an object, got "none"'],
  ];
  const unsaid = [];
  for (const [content, words] of bad) {
    await put("bad.json", content);
    await page.getByRole("alert").filter({ hasText: words }).waitFor({ timeout: 5000 }).catch(() => {});
    const alerts = await page.getByRole("alert").allInnerTexts();
    const drawn = await page.locator(".map-box, .data-component").count();
    if (alerts.length !== 1 || !alerts[0].startsWith("bad.json: ") || !alerts[0].includes(words) || drawn) unsaid.push(`${words}: ${alerts} ${drawn}`);
  }
  facts.check("what is no such file has one error, that names file, field, rule and value", unsaid.length === 0, unsaid.join("\n"));
  await put("series.view.json", series);
  await page.getByRole("heading", { name: "MADE", exact: true }).waitFor();
  await go("#/jobs");
  await see("nankai-burgers");
  await go("#/data");
  await page.getByRole("heading", { name: "MADE", exact: true }).waitFor();
  page.off("request", listen);
  facts.check("a file stays while other views are looked at, and nothing of it is sent", !sent.some((url) => !/v1\/rpc\/(Jobs|Campaigns)\/List/.test(url)), sent.join());
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Token").fill("user");
  await page.keyboard.press("Enter");
  await see("Drop NAME.view.json here");
  facts.check("and is gone for who logs in next", !(await text()).includes("MADE"));
}

async function large() {
  server.map = map_of(1000, 25, 16, 100);
  await enter("viewer", `#/map/${id(1)}`);
  let bytes = 0;
  page.on("response", async (answer) => {
    if (answer.url().endsWith("/v1/slices")) bytes += Number(answer.headers()["content-length"] ?? 0);
  });
  server.slices = 0;
  await page.reload();
  await see("100 epochs");
  await page.waitForFunction(() => document.querySelector(".legend .ramp"));
  const slider = page.getByRole("slider");
  for (const at of [10, 20, 30, 40, 99]) {
    await slider.fill(String(at));
    await see(`${at + 1} of 100`);
  }
  await page.getByRole("combobox", { name: "Station" }).selectOption("G0500");
  await page.getByRole("heading", { name: "G0500" }).waitFor();
  await page.getByRole("combobox", { name: "Patch" }).selectOption("p399");
  await page.waitForTimeout(300);
  const whole = 800 * 100 * 1000 * 3 * 8;
  facts.check("400 patches, 1,000 stations, 100 epochs: blocks alone come over the wire", bytes > 0 && bytes < whole / 1000, `${bytes} of ${whole} bytes in ${server.slices} blocks`);
  const box = await page.locator(".map-box canvas").boundingBox();
  const cost = await page.evaluate(async () => {
    const canvas = document.querySelector(".map-box canvas");
    const start = performance.now();
    for (let i = 0; i < 6; ++i) {
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: i % 2 ? 60 : -60, clientX: 500, clientY: 400, bubbles: true, cancelable: true }));
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
    return (performance.now() - start) / 6;
  });
  console.log(`      a step of the zoom took ${cost.toFixed(0)} ms`);
  await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.72);
  server.items = new Map([[`jobs/${id(1)}`, Array.from({ length: 100000 }, (_, i) => ({ ordinal: String(i), label: `p${i}/dip_slip`, state: i === 99999 ? "FAILED" : "DONE", verb: "solve", source: true, bytes: "1" }))]]);
  const before = calls_of("Jobs/ListItems").length;
  await go(`#/jobs/${id(1)}`);
  await see("1\u202f000+ stages");
  const list = page.locator(".rows .window");
  for (let i = 0; i < 5; ++i) {
    await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await page.waitForTimeout(150);
  }
  const rows = await page.locator(".rows .window .row").count();
  const calls = calls_of("Jobs/ListItems").length - before;
  facts.check("of 100,000 stages only rows in sight exist, and pages are read as one scrolls", rows < 60 && calls < 12, `${rows} rows, ${calls} calls`);
  await page.getByLabel("Show").selectOption("FAILED");
  await page.locator(".rows").getByText("p99999/dip_slip").waitFor();
  facts.check("one that failed is found among them", true);
  server.workers = workers_of(200);
  server.tell("workers", { workers: server.workers, dispatches: [] });
  await go("#/workers");
  await see("200 workers");
  facts.check("200 workers come in parts", (await page.locator(".worker").count()) === 50);
  server.workers = workers_of(1);
  server.tell("workers", { workers: server.workers, dispatches: [] });
  await page.getByRole("heading", { name: "1 worker", exact: true }).waitFor();
  facts.check("one worker is one", true);
}

try {
  const parts = { logging_in, views, by_role, by_keyboard, when_things_go_wrong, scenario, data_files, large };
  for (const [name, part] of Object.entries(parts)) {
    if (!process.argv[3] || name === process.argv[3]) await part();
    facts.check(`no name was taken for markup: ${name}`, !(await harmed(page)));
  }
  facts.check("no error, nothing that the policy refused", faults.length === 0, faults.join("\n"));
} catch (error) {
  facts.check("the test comes to its end", false, `${error.stack}\n${(await text().catch(() => "")).replace(/\s+/g, " ").slice(-900)}`);
} finally {
  await close();
  await server.stop();
}
process.exit(facts.failed ? 1 : 0);
