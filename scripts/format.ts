/** Formats all code and sorts its imports: `npm run format`. */
import { PROJECT, run } from "./gates/gate.ts";

const { code, output } = await run(PROJECT, "biome", ["check", "--write", "--linter-enabled=false"]);
process.stdout.write(output);
process.exitCode = code ?? 1;
