/**
 * Finds earlier results that answer new jobs at once: the request is the same, the files are the same and unchanged,
 * and an online node would score them with the same programs and models.
 */
import { isAbsolute } from "node:path";
import { SIDES } from "../../engine/contract/request.ts";
import { fileIdentity } from "../../engine/files/identity.ts";
import { readPlan, type StoredPlan } from "../../engine/planning/plan-json.ts";
import type { GateOutcome } from "../../jobs/gates/outcome.ts";
import type { Capabilities, NodeScorer } from "../../jobs/work.ts";
import { canScore, scorersFor } from "../../jobs/work.ts";
import { within } from "../../platform/concurrency/lifecycle.ts";
import type { Answer, NewJob } from "../../store/contract/job-records.ts";
import { readResult } from "../messages/job.ts";
import { jobKey } from "../reports/reuse.ts";
import { judged } from "../requests/gates.ts";
import type { CheckedSpec } from "../requests/job-spec.ts";
import { objectIdentityIn } from "../videos/versions.ts";
import type { Submission } from "./submit.ts";

/** Milliseconds to examine the files of a submission, so that a file system that does not respond does not delay it. */
const LOOK_MS = 250;

/** The earlier job that answers a new one, and the new job's gates checked against that result. */
export type Answered = Required<Pick<NewJob, "answeredBy" | "gates">>;

/** Returns the answer for each job; undefined: the job has to be scored. */
export async function answersOf(
  jobs: readonly CheckedSpec[],
  tenant: string,
  { store, fleet }: Pick<Submission, "store" | "fleet">,
): Promise<readonly (Answered | undefined)[]> {
  const keys = await keysOf(jobs);
  const asked = jobs.flatMap((job, index) => {
    const key = keys[index];
    return key === undefined ? [] : [{ job, index, key }];
  });
  const answers: (Answered | undefined)[] = jobs.map(() => undefined);
  if (asked.length === 0) return answers;
  const found = await store.findAnswers(
    tenant,
    asked.map(({ key, job }) => ({ key, isJudged: job.spec.gates.length > 0 })),
  );
  if (found.every((answer) => answer === undefined)) return answers;
  const online = await fleet.recentCapabilities(tenant);
  for (const [n, { job, index }] of asked.entries()) {
    const answer = found[n];
    if (answer !== undefined && online.some((node) => wouldScore(node, job, answer)))
      answers[index] = { answeredBy: answer.jobId, gates: gatesOf(job, answer) };
  }
  return answers;
}

function gatesOf({ spec }: CheckedSpec, { judged: score }: Answer): readonly GateOutcome[] {
  return score === undefined ? [] : judged(spec, readResult(score));
}

/**
 * Returns the reuse key of each job; undefined: it is unknown whether its files are the same as those of an earlier
 * job.
 */
async function keysOf(jobs: readonly CheckedSpec[]): Promise<readonly (Uint8Array | undefined)[]> {
  const wanted = jobs.map(({ need, spec }) => need !== undefined && !spec.noCache);
  if (!wanted.includes(true)) return [];
  const paths = new Set(
    jobs.flatMap(({ spec }, index) => (wanted[index] ? SIDES.map((side) => spec[side]) : [])),
  );
  const identities = new Map<string, string | undefined>();
  // A relative path names another file on the machine that scores.
  const look = async (path: string) => {
    if (isAbsolute(path)) identities.set(path, await fileIdentity(path));
  };
  await within(LOOK_MS, async () => void (await Promise.all([...paths].map(look))));
  return jobs.map(({ spec, text }, index) => {
    const [reference, distorted] = SIDES.map(
      (side) => objectIdentityIn(spec, side) ?? identities.get(spec[side]),
    );
    return wanted[index] ? jobKey(text, reference, distorted) : undefined;
  });
}

/** Whether a node could plan the job, and would score it as the answer was scored. */
function wouldScore(node: Capabilities, { need }: CheckedSpec, answer: Answer): boolean {
  const facts = readOwn(answer.plan);
  if (facts === undefined) return false;
  const scoredBy = Buffer.from(answer.scoredBy).toString("hex");
  return scorersFor(node, need?.scorerVersion).some(
    (one) => one.scoredBy === scoredBy && canScore(one, answer.workClass) && resolvesAlike(one, facts),
  );
}

/** Whether no model of the node has one of the plan's short names: a file with that name would take precedence. */
function resolvesAlike({ models }: NodeScorer, facts: StoredPlan): boolean {
  const short = facts.models.filter(({ asked, name }) => asked !== name);
  return short.every(({ asked }) => models.some(({ name, digest }) => name === asked && digest === ""));
}

function readOwn(plan: string): StoredPlan | undefined {
  try {
    return readPlan(plan);
  } catch {
    // The plan was made by another version of svc.
    return undefined;
  }
}
