// SPDX-License-Identifier: BSD-3-Clause
import { defineConfig } from "vite";

import { licences } from "./tools/licences.mjs";

export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [licences()],
  build: {
    target: "es2022",
    // Nothing is inlined: the server's Content-Security-Policy allows files of its own alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
  },
});
