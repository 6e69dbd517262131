/** Build configuration of the console (web/build.ts). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  define: { SVC_VERSION: JSON.stringify(version) },
  plugins: [react()],
  build: {
    // As documented in docs/console.md: the oldest versions with ES2024 and every API the page uses.
    target: ["chrome119", "edge119", "firefox124", "safari17.4"],
    // The page's Content-Security-Policy allows only scripts and styles that are files of their own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
