/** Attempts on the jobs of another tenant over gRPC. */
import assert from "node:assert/strict";
import { JobService, StreamJobsResponse_Kind as Kind } from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  type Attempts,
  allOfOwn,
  assertNoJob,
  assertOnlyOwnClip,
  codeOf,
  ownChange,
  theirFilters,
} from "./tenant-attempts.ts";
import { CLIP_FRAME, KEY, LABELS, OWN, type TwoTenants } from "./two-tenants.ts";

const jobs = JobService.method;

export function attemptsOnJobs(two: TwoTenants): Attempts {
  const { mine, yours } = two;
  const { done, running, pageToken, eventId } = two.theirs;
  return {
    "svc.v1.JobService/GetJob": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.getJob, { id })), "WRONG_TENANT");
    },
    "svc.v1.JobService/CancelJob": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.cancelJob, { id })), "WRONG_TENANT");
    },
    "svc.v1.JobService/FinishJob": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.finishJob, { id })), "WRONG_TENANT");
    },
    "svc.v1.JobService/UpdateJob": async () => {
      for (const id of [done, running]) {
        const change = { id, setLabels: { film: "mine" }, removeLabels: ["other"] };
        assert.equal(await codeOf(yours.call(jobs.updateJob, change)), "WRONG_TENANT");
      }
    },
    "svc.v1.JobService/DeleteJob": async () => {
      for (const id of [done, running]) {
        for (const cancel of [false, true])
          assert.equal(await codeOf(yours.call(jobs.deleteJob, { id, cancel })), "WRONG_TENANT");
      }
    },
    "svc.v1.JobService/CancelJobs": async () => {
      for (const request of theirFilters(two)) {
        const answer = await read(yours.stream(jobs.cancelJobs, request));
        assert.deepEqual([answer.at(-1)?.matched, answer.at(-1)?.cancelled], [0, 0]);
      }
      await allOfOwn(two, async () => read(yours.stream(jobs.cancelJobs, { all: true })), "CANCELLED");
    },
    "svc.v1.JobService/DeleteJobs": async () => {
      for (const request of theirFilters(two)) {
        const answer = await read(yours.stream(jobs.deleteJobs, { ...request, cancel: true }));
        assert.deepEqual([answer.at(-1)?.matched, answer.at(-1)?.deleted], [0, 0]);
      }
      await allOfOwn(
        two,
        async () => read(yours.stream(jobs.deleteJobs, { all: true, cancel: true })),
        "JOB_NOT_FOUND",
      );
    },
    "svc.v1.JobService/GetJobFrames": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(read(yours.stream(jobs.getJobFrames, { id }))), "WRONG_TENANT");
    },
    "svc.v1.JobService/ListStills": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.listStills, { id })), "WRONG_TENANT");
    },
    "svc.v1.JobService/GetStill": async () => {
      const { stills } = await mine.call(jobs.listStills, { id: done });
      assert.ok(stills.length > 0);
      for (const { frame, side } of stills)
        assert.equal(await codeOf(yours.call(jobs.getStill, { id: done, frame, side })), "WRONG_TENANT");
    },
    "svc.v1.JobService/RequestStills": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.requestStills, { id, frames: [1] })), "WRONG_TENANT");
      const { stills } = await mine.call(jobs.listStills, { id: done });
      assert.ok(stills.length > 0 && stills.every(({ frame }) => frame !== 1));
    },
    "svc.v1.JobService/DeleteStill": async () => {
      const { stills } = await mine.call(jobs.listStills, { id: done });
      for (const { frame } of stills)
        assert.equal(await codeOf(yours.call(jobs.deleteStill, { id: done, frame })), "WRONG_TENANT");
      assert.deepEqual((await mine.call(jobs.listStills, { id: done })).stills, stills);
    },
    "svc.v1.JobService/ListClips": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.listClips, { id })), "WRONG_TENANT");
    },
    "svc.v1.JobService/GetClip": async () => {
      for (const id of [done, running])
        assert.equal(
          await codeOf(read(yours.stream(jobs.getClip, { id, frame: CLIP_FRAME }))),
          "WRONG_TENANT",
        );
    },
    "svc.v1.JobService/RequestClips": async () => {
      for (const id of [done, running])
        assert.equal(await codeOf(yours.call(jobs.requestClips, { id, frames: [1] })), "WRONG_TENANT");
      await assertOnlyOwnClip(two);
    },
    "svc.v1.JobService/DeleteClip": async () => {
      assert.equal(
        await codeOf(yours.call(jobs.deleteClip, { id: done, frame: CLIP_FRAME })),
        "WRONG_TENANT",
      );
      await assertOnlyOwnClip(two);
    },
    "svc.v1.JobService/ListJobs": async () => {
      for (const request of [{}, { labels: LABELS }, { pageToken, pageSize: 1 }, { pageSize: 500 }])
        assertNoJob(two, await yours.call(jobs.listJobs, request));
      assert.deepEqual((await yours.call(jobs.listJobs, { labels: LABELS })).jobs, []);
    },
    "svc.v1.JobService/StreamJobs": async () => {
      await assertOwnStream(two, {});
      await assertOwnStream(two, { afterEventId: eventId });
      const named = yours.stream(jobs.streamJobs, { ids: [done, running] });
      for await (const { kind } of named) {
        assert.equal(kind, Kind.SNAPSHOT_END);
        break;
      }
    },
    "svc.v1.JobService/SubmitJob": async () => {
      const { job, existed } = await yours.call(jobs.submitJob, { job: OWN, idempotencyKey: KEY });
      assert.deepEqual([existed, job?.tenantId, job?.id === done], [false, "yours", false]);
    },
    "svc.v1.JobService/SubmitJobs": async () => {
      const answer = await yours.call(jobs.submitJobs, { jobs: [{ job: OWN, idempotencyKey: KEY }] });
      assert.deepEqual([answer.jobs[0]?.job?.tenantId, answer.jobs[0]?.job?.id === done], ["yours", false]);
    },
  };
}

async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

async function assertOwnStream(
  two: TwoTenants,
  request: {
    ids?: string[];
    labels?: typeof LABELS;
    afterEventId?: string;
  },
): Promise<void> {
  let own: string | undefined;
  for await (const event of two.yours.stream(jobs.streamJobs, request)) {
    assertNoJob(two, event);
    assert.equal(event.job?.tenantId ?? "yours", "yours");
    if (event.kind === Kind.SNAPSHOT_END || own === undefined) own ??= await ownChange(two);
    else if (event.job?.id === own) break;
  }
}
