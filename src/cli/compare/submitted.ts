/** Compares pairs on a controller, which keeps the comparison. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Connection } from "../../client/connection/connection.ts";
import {
  type Comparison,
  type ComparisonCell,
  type ComparisonPairSchema,
  ComparisonService,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State, SubmitJobRequestSchema } from "../../gen/proto/svc/v1/job_pb.ts";
import { batchesOf } from "../../platform/batches.ts";
import { required } from "../connection/server.ts";
import { awaitJobs, MAX_AWAITED } from "../jobs/wait.ts";
import type { ListedJob } from "../submit/list-file.ts";
import { awaitListed, gatesFor } from "../submit/outcome.ts";
import { settingsOf } from "../submit/spec.ts";
import { type UploadFlags, uploadOrCheck } from "../submit/upload.ts";
import type { CompareFlags } from "./options.ts";
import type { Pair } from "./pairs.ts";
import { RenditionFiles } from "./titles.ts";

const { submitComparison, getComparison, addCells } = ComparisonService.method;

/** Milliseconds that the server may take to store or read thousands of jobs. */
const TIMEOUT_MS = 120_000;

export async function submitPairs(
  connection: Connection,
  pairs: readonly Pair[],
  flags: CompareFlags,
  signal: AbortSignal,
): Promise<Comparison> {
  const { name = "", failUnder, ...shared } = flags;
  const settings = { ...settingsOf(shared), gates: [...failUnder] };
  const unnamed = create(SubmitJobRequestSchema, { job: settings });
  await gatesFor(connection, flags, [{ request: unnamed }], signal);
  const request = {
    name,
    settings,
    anchor: flags.anchor ?? "",
    groupBy: [...(flags.groupBy ?? [])],
    pairs: await sentPairs(connection, pairs, flags, signal),
  };
  const { comparison } = await connection.call(submitComparison, request, { signal, timeoutMs: TIMEOUT_MS });
  return required(comparison, "the comparison");
}

/** Adds pairs to a comparison. Returns it with the number of cells that were added; the others existed. */
export async function addPairs(
  connection: Connection,
  id: string,
  pairs: readonly Pair[],
  flags: UploadFlags,
  signal: AbortSignal,
): Promise<{ readonly comparison: Comparison; readonly added: number }> {
  const request = { id, pairs: await sentPairs(connection, pairs, flags, signal) };
  const { comparison, added } = await connection.call(addCells, request, { signal, timeoutMs: TIMEOUT_MS });
  return { comparison: required(comparison, "the comparison"), added };
}

/** Returns the pairs of a request, after their files are uploaded or checked. */
async function sentPairs(
  connection: Connection,
  pairs: readonly Pair[],
  flags: UploadFlags,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof ComparisonPairSchema>[]> {
  await using renditions = new RenditionFiles();
  const files: ListedJob[] = [];
  for (const pair of pairs) {
    const { line, reference } = pair;
    const distorted = await renditions.fileOf(pair, signal);
    files.push({ line, request: create(SubmitJobRequestSchema, { job: { reference, distorted } }) });
  }
  const uploaded = await uploadOrCheck(connection, files, flags, signal);
  return pairs.map(({ ladder, clip }, index) => {
    const { reference = "", distorted = "" } = uploaded[index]?.request.job ?? {};
    return { reference, distorted, ladder, clip };
  });
}

export async function fetchComparison(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const { comparison } = await connection.call(getComparison, { id }, { signal, timeoutMs: TIMEOUT_MS });
  return required(comparison, `comparison ${id}`);
}

/**
 * Waits until the jobs of all cells have ended, including cells that titles add. Returns the comparison in its final
 * state.
 */
export async function awaitCells(
  connection: Connection,
  comparison: Comparison,
  { quiet }: Pick<CompareFlags, "quiet">,
  signal: AbortSignal,
): Promise<Comparison> {
  for (let last = comparison; ; ) {
    const ids = last.cells.filter(isOpen).map(({ jobId }) => jobId);
    for (const batch of batchesOf(ids, MAX_AWAITED))
      await (quiet ? awaitJobs(connection, batch, {}, signal) : awaitListed(connection, batch, signal));
    last = await fetchComparison(connection, last.id, signal);
    if (!last.cells.some(isOpen)) return last;
  }
}

function isOpen({ state }: ComparisonCell): boolean {
  return state === Job_State.QUEUED || state === Job_State.RUNNING;
}
