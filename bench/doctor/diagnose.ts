/** Diagnoses a pair with the engine. */
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Found } from "./found.ts";

/** A refusal counts as a finding with its code. */
export async function diagnose(engine: Engine, reference: string, distorted: string): Promise<Found> {
  try {
    return await engine.diagnose(pairRequest({ reference, distorted }));
  } catch (error) {
    const { code } = Failure.from(error);
    return { findings: [{ code, confidence: "certain" }], runs: [] };
  }
}
