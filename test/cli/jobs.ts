/** Jobs as the controller returns them, for tests of their display. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Job,
  Job_State,
  JobSchema,
  type JobSpec,
  type JobSpecSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";

/** The fields that a test sets. */
type Init = Exclude<MessageInitShape<typeof JobSchema>, Job> & {
  spec?: Exclude<MessageInitShape<typeof JobSpecSchema>, JobSpec>;
};

export const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);
export const ID = "0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10";

/** A name that would clear the screen, reverse the text and ring the bell. */
export const HOSTILE = "\x1b[2J\u202ename\x07\nSUCCEEDED";

/** Submitted 90 s before NOW. */
export function job(init: Init = {}): Job {
  return create(JobSchema, {
    id: ID,
    tenantId: "dev",
    state: Job_State.QUEUED,
    createTime: timestampFromMs(NOW - 90_000),
    revision: 1,
    ...init,
    spec: { reference: "/film/source.mov", distorted: "/film/encode.mp4", ...init.spec },
  });
}

export function running(framesDone: number, init: Init = {}): Job {
  const progress = { framesDone, framesTotal: 200, fps: 50, secondsLeft: (200 - framesDone) / 50 };
  return job({ state: Job_State.RUNNING, progress, segmentsTotal: 4, segmentsDone: 1, ...init });
}

export function succeeded(init: Init = {}): Job {
  return running(200, {
    state: Job_State.SUCCEEDED,
    score: 93.5,
    startTime: timestampFromMs(NOW - 80_000),
    endTime: timestampFromMs(NOW - 67_700),
    ...init,
  });
}
