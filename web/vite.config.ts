/** Build configuration of the console (web/build.ts). */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react()],
  build: {
    // As documented in docs/console.md: the oldest versions with ES2024 and every API the page uses.
    target: ["chrome119", "edge119", "firefox124", "safari17.4"],
    // The page's Content-Security-Policy allows only scripts and styles that are files of their own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
