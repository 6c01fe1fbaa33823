// SPDX-License-Identifier: BSD-3-Clause
// A browser of its own for a test, and what every page must hold: no error, nothing that the policy refused,
// no harm by names, accessibility as axe-core sees it.
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

// Packages lie where the test was told to put them, not beside the sources.
const packages = createRequire(path.join(process.env.KANAME_PAGE_PACKAGES ?? process.cwd(), "package.json"));
const { chromium } = packages("playwright-core");
const axe = fs.readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export class Facts {
  failed = 0;

  check(fact, holds, detail = "") {
    console.log(`${holds ? "ok   " : "FAIL "} ${fact}`);
    if (!holds) {
      this.failed += 1;
      if (detail) console.log(`      | ${String(detail).replaceAll("\n", "\n      | ")}`);
    }
    return holds;
  }
}

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export async function open_browser() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kaname-page-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.KANAME_CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS, viewport: { width: 1280, height: 800 }, acceptDownloads: true,
    timezoneId: "UTC",
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(15000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refused or lost request is told on the page; the browser notes it too.
    if (message.type() === "error" && !/Failed to load resource|net::ERR_/.test(message.text())) faults.push(message.text());
  });
  const close = async () => {
    await context.close();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  return { context, page, faults, close };
}

/** Returns the faults that axe-core finds on the page as it is, by all of its rules or the named ones. */
export async function accessibility(page, rules) {
  await page.waitForSelector("h1");  // each view has one once it has what it shows
  // Half a megabyte of script, which stays until the page is loaded anew.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const found = await page.evaluate((wanted) => globalThis.axe.run(document, wanted), options);
  return found.violations.map((fault) => `${fault.id}: ${fault.help}: ${fault.nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join("; ")}`);
}

/** Returns true if part of a name was taken for markup. */
export function harmed(page) {
  return page.evaluate(() => window.harmed === 1 || document.querySelectorAll("#page img, #page script, #page iframe, #page [onerror]").length > 0);
}

export function too_wide(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}

/** Returns the label of the focused element, as a screen reader would speak it. */
export function focused(page) {
  return page.evaluate(() => {
    const at = document.activeElement;
    return at ? (at.getAttribute("aria-label") ?? at.textContent ?? "").trim() : "";
  });
}

/** Tab until what is focused has such a name; fails after `most` steps. */
export async function tab_to(page, name, most = 80) {
  for (let i = 0; i < most; ++i) {
    await page.keyboard.press("Tab");
    if ((await focused(page)).match(name)) return true;
  }
  return false;
}
