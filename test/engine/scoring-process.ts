/**
 * A process that scores one pair and writes to stdout when scoring has begun; tests kill it. Arguments: reference,
 * distorted, scorer.
 */

import { pairRequest } from "../../src/engine/contract/request.ts";
import { openEngine } from "../../src/engine/open.ts";

const [reference = "", distorted = "", scorerPath] = process.argv.slice(2);
const engine = await openEngine({ threads: 2, scorerPath: scorerPath || undefined });
let begun = false;
await engine.score(pairRequest({ reference, distorted }), {
  onProgress: ({ framesDone }) => {
    if (begun || framesDone === 0) return;
    begun = true;
    process.stdout.write("scoring\n");
  },
});
process.stdout.write("scored\n");
