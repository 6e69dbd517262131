/** All gates, in the order in which `npm run check` runs them: cheap and informative ones first. */
import { breaking } from "./breaking.ts";
import { commits } from "./commits.ts";
import { type Gate, toolGate } from "./gate.ts";
import { generated } from "./generated.ts";
import { hygiene } from "./hygiene.ts";
import { imports } from "./imports.ts";
import { language } from "./language.ts";
import { lock } from "./lock.ts";
import { names } from "./names.ts";
import { rooms } from "./rooms.ts";

export const GATES: readonly Gate[] = [
  toolGate(
    "format",
    "Biome formats and sorts imports (npm run format)",
    "biome",
    "ci",
    "--linter-enabled=false",
    "--colors=off",
    "--max-diagnostics=50",
  ),
  toolGate(
    "biome",
    "Biome's lint rules",
    "biome",
    "lint",
    "--error-on-warnings",
    "--colors=off",
    "--max-diagnostics=50",
  ),
  toolGate("oxlint", "oxlint's lint rules, including type-aware ones", "oxlint", "--deny-warnings"),
  toolGate("types", "the code type-checks", "tsc", "--project", "tsconfig.json", "--pretty", "false"),
  toolGate(
    "console",
    "the console type-checks",
    "tsc",
    "--project",
    "web/tsconfig.json",
    "--pretty",
    "false",
  ),
  toolGate("dead-code", "knip finds no unused file, export or dependency", "knip", "--no-progress"),
  imports,
  rooms,
  names,
  language,
  hygiene,
  lock,
  commits,
  toolGate("proto", "buf's rules for messages and services", "buf", "lint"),
  breaking,
  generated,
];
