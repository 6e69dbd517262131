/** How the console is built (web/build.ts). */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react()],
  build: {
    // What docs/console.md promises: the oldest that have all that ES2024 and the page call by name.
    target: ["chrome119", "edge119", "firefox124", "safari17.4"],
    // The page's policy takes no script or style that is not a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
