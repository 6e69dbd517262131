/** URLs of the objects that leased tasks need: signed with the lease, and again when a heartbeat asks for new ones. */
import { create } from "@bufbuild/protobuf";
import {
  type RenewedMedia,
  RenewedMediaSchema,
  type RunningWork,
  type WorkItem,
} from "../../gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import type { ClaimedWork } from "../../store/contract/task-records.ts";
import { workItem } from "../messages/task.ts";
import { type ReportOptions, recordFailure } from "../reports/task-report.ts";
import { readSpec } from "../requests/job-spec.ts";
import type { RemoteVideos } from "../videos/remote-videos.ts";

export interface MediaLeasing extends ReportOptions {
  readonly videos: RemoteVideos;
  readonly log: Log;
}

/**
 * Returns a leased task for its node, with URLs. Returns undefined if they cannot be signed: the attempt has failed, for
 * example because the tenant has no such storage any more.
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
