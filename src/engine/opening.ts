/** Opens the engine in the background, and retries until it succeeds. */

import { Opening } from "../platform/concurrency/opening.ts";
import type { Log } from "../platform/observability/log.ts";
import type { Engine } from "./engine.ts";

export class EngineOpening extends Opening<Engine> {
  constructor(open: () => Promise<Engine>, log: Log) {
    super({ name: "scorer", code: "SCORER_NOT_READY", open, facts: ({ scorer }) => ({ scorer }), log });
  }

  /** The engine. Throws SCORER_NOT_READY with the reason until it is open. */
  get engine(): Engine {
    return this.value;
  }
}
