/**
 * Makes sure that nodes find the files of jobs: uploads them, or checks that they exist, before the jobs are submitted.
 */
import type { Connection } from "../../client/connection/connection.ts";
import { SIDES, type Side } from "../../engine/contract/request.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { invalid } from "../../platform/failure.ts";
import { sendAll } from "../uploads/send-all.ts";
import type { ListedJob } from "./list-file.ts";
import { checkFiles, type FileFlags } from "./local-files.ts";

export interface UploadFlags extends FileFlags {
  readonly upload?: boolean;
}

/**
 * With --upload, uploads the files and returns the jobs with the new paths. Otherwise checks that the files exist and
 * returns the jobs unchanged.
 */
export async function uploadOrCheck(
  connection: Connection,
  jobs: readonly ListedJob[],
  flags: UploadFlags,
  signal: AbortSignal,
): Promise<readonly ListedJob[]> {
  if (flags.upload && flags.remoteFiles) throw invalid("Give --upload or --remote-files, not both.");
  if (flags.upload) return withUploads(connection, jobs, { quiet: flags.quiet === true, signal });
  await checkFiles(jobs, flags, signal);
  return jobs;
}

/** Returns the jobs with the paths of the uploads. Names of objects in storages stay as they are. */
async function withUploads(
  connection: Connection,
  jobs: readonly ListedJob[],
  options: { readonly quiet: boolean; readonly signal: AbortSignal },
): Promise<readonly ListedJob[]> {
  const named = ({ request }: ListedJob, side: Side) => request.job?.[side] ?? "";
  const isFile = (name: string) => name !== "" && remoteName(name) === undefined;
  const paths = jobs.flatMap((job) => SIDES.map((side) => named(job, side)).filter(isFile));
  const sent = await sendAll(connection, paths, options);
  const pathOf = (name: string) => sent.get(name)?.path ?? name;
  return jobs.map(({ line, request }) => {
    const { job } = request;
    if (job === undefined) return { line, request };
    const moved = { reference: pathOf(job.reference), distorted: pathOf(job.distorted) };
    return { line, request: { ...request, job: { ...job, ...moved } } };
  });
}
