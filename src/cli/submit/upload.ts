/** Uploads the files of jobs before they are submitted. */
import type { Connection } from "../../client/connection/connection.ts";
import { SIDES, type Side } from "../../engine/contract/request.ts";
import { remoteName } from "../../jobs/media/names.ts";
import { sendAll } from "../uploads/send-all.ts";
import type { ListedJob } from "./list-file.ts";

/** Returns the jobs with the paths of the uploads. Names of objects in storages stay as they are. */
export async function withUploads(
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
