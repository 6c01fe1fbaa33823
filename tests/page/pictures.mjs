// SPDX-License-Identifier: BSD-3-Clause
// Pictures of docs/user/dashboard.md: overview and workers of the fake server, then job and map of one with a computed job.
// Usage: node pictures.mjs FOLDER FOLDER_OF_THE_PAGE [JOB "$(kaname page --print)"]; KANAME_VIEW names a file for page_data.png.
import path from "node:path";

import { open_browser } from "./browser.mjs";
import { FakeServer } from "./fake_server.mjs";

const [out, page_folder, job, line] = process.argv.slice(2);
const { page, close } = await open_browser();
const take = (name) => page.screenshot({ path: path.join(out, `page_${name}.png`) });
const go = (hash) => page.evaluate((to) => (location.hash = to), hash);
const see = (words) => page.getByText(words).first().waitFor();

await page.setViewportSize({ width: 1180, height: 740 });
const fake = await new FakeServer(path.resolve(page_folder)).start();
const plain = (items, word) => items.filter((item) => !item[word].includes("<"));
fake.workers = plain(fake.workers, "title");
fake.stats.last_failures = plain(fake.stats.last_failures, "label");
await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
await page.goto(`${fake.address}/#login=code-operator&to=/workers`);
await see("node13");
await page.waitForTimeout(800);
await take("workers");
await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
await go("#/overview");
await see("Disk and database");
await page.waitForTimeout(800);
await take("overview");
if (process.env.KANAME_VIEW) {
  await go("#/data");
  await page.locator("input[type=file]").setInputFiles(process.env.KANAME_VIEW);
  await see("Covariogram of the errors");
  await page.waitForTimeout(1500);
  const box = await page.locator(".map-box canvas").boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.waitForTimeout(500);
  await take("data");
}
await fake.stop();

if (job) {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(line.split(/\s+/).find((word) => word.includes("#login=")));
  await see("Disk and database");
  await go(`#/jobs/${job}?tab=residuals`);
  await see("iterations in all");
  await page.waitForTimeout(500);
  await take("job");
  await go(`#/map/${job}?source=s02d01%2Fdip_slip&epoch=6`);
  await see("Values at the stations");
  await page.waitForTimeout(2500);
  const stations = await page.locator("select").last().locator("option").allInnerTexts();
  await page.getByRole("combobox", { name: "Station" }).selectOption(stations[Math.floor(stations.length / 2)]);
  await page.waitForTimeout(1500);
  await take("map");
}
await close();
