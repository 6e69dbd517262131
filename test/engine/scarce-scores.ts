/** A process that scores a pair many times concurrently, then once alone; prints how each score ended. */

import { pairRequest } from "../../src/engine/contract/request.ts";
import { openEngine } from "../../src/engine/open.ts";
import { Failure } from "../../src/platform/failure.ts";

const AT_ONCE = 24;

const [reference = "", distorted = ""] = process.argv.slice(2);
const engine = await openEngine({ threads: 1 });
const score = (): Promise<string> =>
  engine.score(pairRequest({ reference, distorted })).then(
    () => "scored",
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );
const crowd = await Promise.all(Array.from({ length: AT_ONCE }, score));
process.stdout.write(JSON.stringify({ crowd, alone: await score() }));
