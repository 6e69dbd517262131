/** Detects that the scorer of this version of svc is missing. */
import { findCandidates } from "./candidates.ts";
import type { ProgramPlaces } from "./places.ts";
import { buildFor, PLATFORM, RELEASE } from "./release.ts";

/** The command that installs the scorer. */
export const INSTALL_COMMAND = "svc scorer install";

/**
 * Returns a sentence if the current scorer is not installed although there is one for this system; otherwise undefined.
 */
export async function missingScorer(places: ProgramPlaces): Promise<string | undefined> {
  if (buildFor(PLATFORM) === undefined) return undefined;
  const found = await findCandidates(places);
  if (found.some(({ origin }) => origin === "installed")) return undefined;
  return `The current scorer, ${RELEASE.title}, is not installed.`;
}

/** Returns a warning if npm's older program scores because the current scorer is missing; otherwise undefined. */
export async function fallbackWarning(places: ProgramPlaces): Promise<string | undefined> {
  const missing = await missingScorer(places);
  const [first] = await findCandidates(places);
  if (missing === undefined || first?.origin !== "npm") return undefined;
  return `${missing} An older one scores instead. Install the current one with: ${INSTALL_COMMAND}`;
}
