/** Installs the scorer in a checkout: `node scripts/scorer.ts`, run by the install. */
import { installScorer } from "../src/cli/scorer/install.ts";
import { programPlaces } from "../src/platform/config/program-places.ts";
import { Failure } from "../src/platform/failure.ts";

const say = (line: string): void => void process.stderr.write(`svc: ${line}\n`);

try {
  const { scorerFolder } = programPlaces(process.env);
  await installScorer({ scorerFolder, say });
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  say(error.message);
  process.exitCode = 1;
}
