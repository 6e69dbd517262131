/**
 * Signs the URLs of objects that leased tasks need: with the lease, and again when a heartbeat asks for new ones. URLs
 * of the objects of titles are signed when a node asks for them.
 */
import { create } from "@bufbuild/protobuf";
import {
  MediaAccess_Side,
  type RenewedMedia,
  RenewedMediaSchema,
  type RunningWork,
  type SignTitleObjectsRequest,
  type SignTitleObjectsResponse,
  SignTitleObjectsResponseSchema,
  type WorkItem,
} from "../../gen/proto/svc/v1/node_pb.ts";
import { MAX_TITLE_OBJECTS } from "../../jobs/media/title-objects.ts";
import { SIGNED_SECONDS } from "../../media/storages/signer.ts";
import { Failure, invalid } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import type { ClaimedWork } from "../../store/contract/task-records.ts";
import { workItem } from "../messages/task.ts";
import { type ReportOptions, recordFailure, stale } from "../reports/task-report.ts";
import { checkAttempt } from "../requests/attempt.ts";
import { readSpec } from "../requests/job-spec.ts";
import type { RemoteVideos } from "../videos/remote-videos.ts";
import type { Sessions } from "./sessions.ts";

export interface MediaLeasing extends ReportOptions {
  readonly videos: RemoteVideos;
  readonly log: Log;
}

/**
 * Returns a leased task for its node, with URLs. Returns undefined if they cannot be signed, for example because the
 * tenant no longer has the storage; the attempt has then failed.
 */
export async function itemWithMedia(
  options: MediaLeasing,
  session: string,
  work: ClaimedWork,
): Promise<WorkItem | undefined> {
  const { videos, log, segmentSeconds } = options;
  const item = workItem(work, segmentSeconds);
  try {
    return { ...item, media: await videos.lease(work.tenant, readSpec(work.spec)) };
  } catch (thrown) {
    const { code, message, cause } = Failure.from(thrown);
    log.warn({ jobId: work.jobId, code, err: cause }, "failed to sign the URLs of a task's videos");
    const fence = { session, itemId: work.id, attempt: work.attempt };
    await recordFailure(options, fence, { code, message, found: "", cutFault: false });
    return undefined;
  }
}

/** Returns new URLs for the tasks of a session that ask for them and are still leased to it. */
export async function renewedMedia(
  { store, videos, log }: { readonly store: Store } & Pick<MediaLeasing, "videos" | "log">,
  session: string,
  running: readonly Pick<RunningWork, "itemId" | "attempt" | "renewMedia">[],
): Promise<RenewedMedia[]> {
  const renewed: RenewedMedia[] = [];
  for (const { itemId, attempt, renewMedia } of running) {
    const leased = renewMedia ? await store.leasedSpec({ session, itemId, attempt }) : undefined;
    if (leased === undefined) continue;
    try {
      const media = await videos.lease(leased.tenant, readSpec(leased.spec));
      renewed.push(create(RenewedMediaSchema, { itemId, attempt, media }));
    } catch (thrown) {
      // The node asks again, and fails the task when its URLs have expired.
      const { code, cause } = Failure.from(thrown);
      log.warn({ itemId, code, err: cause }, "failed to renew the URLs of a task's videos");
    }
  }
  return renewed;
}

export interface TitleSigning extends Pick<MediaLeasing, "videos"> {
  readonly store: Store;
  readonly sessions: Sessions;
}

/**
 * Returns URLs of objects of a leased task's title. `tenant`: the tenant of the node. Throws INVALID_REQUEST,
 * STALE_ATTEMPT, URL_NOT_ALLOWED, STORAGE_UNAVAILABLE.
 */
export async function signTitleObjects(
  { store, sessions, videos }: TitleSigning,
  { session, itemId, attempt, side: asked, paths }: SignTitleObjectsRequest,
  tenant: string,
): Promise<SignTitleObjectsResponse> {
  checkAttempt("attempt", attempt);
  if (paths.length < 1 || paths.length > MAX_TITLE_OBJECTS)
    throw invalid(`paths has ${paths.length} paths. Use 1 to ${MAX_TITLE_OBJECTS}.`);
  if (asked !== MediaAccess_Side.REFERENCE && asked !== MediaAccess_Side.DISTORTED)
    throw invalid("side is missing. Use REFERENCE or DISTORTED.");
  const side = asked === MediaAccess_Side.REFERENCE ? "reference" : "distorted";
  const node = await sessions.find(session, tenant);
  const leased = node && (await store.leasedSpec({ session, itemId, attempt }));
  if (leased === undefined) throw stale();
  const urls = await videos.titleObjects(leased.tenant, readSpec(leased.spec), side, paths);
  return create(SignTitleObjectsResponseSchema, { urls: [...urls], validSeconds: SIGNED_SECONDS });
}
