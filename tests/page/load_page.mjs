// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of a busy server's Overview: its answers' times, and the page's memory while it is open.
// Usage: node load_page.mjs URL TOKEN MINUTES; exit code 1 when a fact does not hold.
import { Facts, open_browser } from "./browser.mjs";

const [url, token, minutes] = process.argv.slice(2);
const ANSWER_MS = 200;
const GROWTH_MB = 5;
const CALLS = 15;
const SETTLE_S = 20;
const facts = new Facts();

async function time_of(method) {
  const times = [];
  for (let i = 0; i < CALLS; ++i) {
    const start = performance.now();
    const answer = await fetch(`${url}/v1/rpc/${method}`, {
      method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json" }, body: "{}",
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method}: HTTP ${answer.status}`);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[CALLS >> 1];
}

const { context, page, faults, close } = await open_browser();
const session = await context.newCDPSession(page);
async function heap_mb() {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}
try {
  const times = {};
  for (const method of ["Admin/GetStats", "Admin/ListWorkers", "Jobs/ListJobs", "Campaigns/ListCampaigns"]) times[method] = await time_of(method);
  const sum = Object.values(times).reduce((a, b) => a + b);
  facts.check(`what the Overview asks for takes less than ${ANSWER_MS} ms`, sum < ANSWER_MS, JSON.stringify(times));
  console.log(`      ${sum.toFixed(1)} ms in all, medians of ${CALLS}: ${JSON.stringify(times)}`);
  await page.goto(url);
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByText("Disk and database").waitFor();
  await page.waitForTimeout(SETTLE_S * 1000);
  const before = await heap_mb();
  await page.waitForTimeout(Number(minutes) * 60000);
  const after = await heap_mb();
  const said = (await page.locator(".figures").first().innerText()).replace(/\s+/g, " ");
  facts.check(`the page's memory grows by less than ${GROWTH_MB} MB in ${minutes} minutes`, after - before < GROWTH_MB, `${before} to ${after} MB`);
  console.log(`      ${before.toFixed(2)} MB, then ${after.toFixed(2)} MB; ${said}`);
  facts.check("the Overview is live all the while", await page.locator(".connection.live").isVisible());
  facts.check("no error, nothing that the policy refused", faults.length === 0, faults.join("\n"));
} finally {
  await close();
}
process.exit(facts.failed ? 1 : 0);
