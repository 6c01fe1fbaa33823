// SPDX-License-Identifier: BSD-3-Clause
// Lists the packages that are built into the page, with their licences: licences.json beside index.html,
// which the page shows.
import fs from "node:fs";
import path from "node:path";

const NOTES = { "world-atlas": "Outlines of land: Natural Earth, public domain." };

/** The folder and package.json of the package that a module is part of. */
function package_of(id) {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id.replace(/^\0/, ""));
  return match ? match[1] : null;
}

function describe(folder) {
  const about = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = fs.readdirSync(folder).find((name) => /^(licen[sc]e|copying)(\.\w+)?$/i.test(name));
  if (!file) throw new Error(`${about.name} ${about.version} has no file with its licence`);
  return {
    name: about.name,
    version: about.version,
    licence: about.license,
    note: NOTES[about.name] ?? "",
    text: fs.readFileSync(path.join(folder, file), "utf8").trim(),
  };
}

export function licences() {
  const folders = new Set();
  let root = "";
  return {
    name: "kaname-licences",
    apply: "build",
    moduleParsed(info) {
      const folder = package_of(info.id.split("?")[0]);
      if (folder && path.basename(folder) !== "vite") folders.add(folder);
    },
    configResolved(config) {
      root = config.root;
    },
    // Modules are known by now; fonts that styles name are assets alone.
    generateBundle(_, bundle) {
      for (const item of Object.values(bundle)) {
        for (const name of item.originalFileNames ?? []) {
          const folder = package_of(path.resolve(root, name));
          if (folder) folders.add(folder);
        }
      }
      const list = [...folders].map(describe).sort((a, b) => (a.name < b.name ? -1 : 1));
      this.emitFile({
        type: "asset",
        fileName: "licences.json",
        source: JSON.stringify(list, null, 1),
      });
    },
  };
}
