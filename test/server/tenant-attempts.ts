/** Attempts of tenant "yours" on the data of tenant "mine", and what tests of each transport check of them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { ComparisonService } from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { TenantService } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import { UploadService } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Peer } from "../controller/peer.ts";
import { CLIP_FRAME, LABELS, OWN, SECRET, type TwoTenants } from "./two-tenants.ts";

const jobs = JobService.method;
const tenants = TenantService.method;

const TABLE = parse(
  await readFile(new URL("../../api/permissions.yaml", import.meta.url), "utf8"),
) as Readonly<Record<"grpc" | "http", Readonly<Record<string, string>>>>;
/** The response is about the service or the caller. */
export const NOTHING_OF_TENANTS = "no tenant's data";

/** Operation → the attempt. */
export type Attempts = Readonly<Record<string, (() => Promise<void>) | typeof NOTHING_OF_TENANTS>>;

/** Tests each operation of the table of permissions. Fails for an operation that has no entry. */
export function testAttempts(transport: "grpc" | "http", two: TwoTenants, attempts: Attempts): void {
  describe(`over ${transport}`, () => {
    test("every operation has an entry", () => {
      assert.deepEqual(Object.keys(attempts).toSorted(), Object.keys(TABLE[transport]).toSorted());
    });
    for (const [operation, need] of Object.entries(TABLE[transport])) {
      const attempt = attempts[operation];
      if (attempt === NOTHING_OF_TENANTS) {
        test(`${operation}: needs no role, because it contains no tenant's data`, () => {
          assert.ok(need === "open" || need === "token", need);
        });
      } else {
        test(`${operation}: neither reveals nor changes another tenant's data`, async () => {
          assert.ok(attempt, "no entry for this operation");
          const before = await ownersView(two);
          await attempt();
          assert.equal(await ownersView(two), before);
        });
      }
    }
  });
  test("the owner's node still works after all attempts", async () => {
    const { node, item, running } = two.theirs;
    await node.heartbeat({ running: [{ itemId: item.itemId, attempt: item.attempt }] });
    await node.plan(item, 60, 20);
    const { job } = await two.mine.call(jobs.getJob, { id: running });
    assert.equal(job?.segmentsTotal, 3);
  });
}

/** The data of "mine" as its owner sees it. */
async function ownersView({ mine, theirs }: TwoTenants): Promise<unknown> {
  const { done, running, comparison } = theirs;
  const answer = await Promise.all([done, running].map((id) => mine.call(jobs.getJob, { id })));
  const { nodes: own } = await mine.call(NodeService.method.listNodes, {});
  const { revocations } = await mine.call(tenants.listRevocations, {});
  const { comparison: compared } = await mine.call(ComparisonService.method.getComparison, {
    id: comparison,
  });
  const { uploads: sent } = await mine.call(UploadService.method.listUploads, {});
  const states = own.map(({ id, name, state, work }) => [id, name, state, work.length]);
  return JSON.stringify([answer.map(({ job }) => job), states, revocations, compared, sent], plain);
}

/** Returns the code of a failure, whose message must not contain data of the other tenant. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    (answer) => assert.fail(`returned ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw thrown;
  assert.doesNotMatch(thrown.message + JSON.stringify(thrown.found ?? {}), /secret|mine/);
  return thrown.code;
}

/** A replacer for JSON: messages contain big integers. */
export const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** Matches what occurs only in the other tenant's data. */
export function anothers({ theirs: { done, running } }: TwoTenants): RegExp {
  return new RegExp(`secret|${done}|${running}`);
}

export function assertNoJob(two: TwoTenants, of: object): void {
  assert.doesNotMatch(JSON.stringify(of, plain), anothers(two));
}

/** Filters that match the other tenant's jobs and none of the caller's. */
export function theirFilters({ theirs: { done, running } }: TwoTenants) {
  return [{ filter: { labels: LABELS } }, { filter: { ids: [done, running] } }];
}

export async function assertOnlyOwnClip({ mine, theirs: { done } }: TwoTenants): Promise<void> {
  const { clips } = await mine.call(jobs.listClips, { id: done });
  assert.deepEqual(
    clips.map(({ frame }) => frame),
    [CLIP_FRAME],
  );
}

/**
 * An operation on all jobs affects only the caller's: they become `after`, a state or a code; the other's are
 * unchanged.
 */
export async function allOfOwn(
  { transports, yours }: TwoTenants,
  work: () => Promise<unknown>,
  after: string,
): Promise<void> {
  const { job } = await yours.call(jobs.submitJob, { job: OWN });
  await work();
  const { body } = await transports.ask("yours", `/v1/jobs/${job?.id}`);
  assert.doesNotMatch(JSON.stringify(body), /secret|"mine"/);
  assert.equal(body["state"] ?? body["code"], after);
}

/** A stream only reports the caller's jobs: the next event is the caller's, although another's job changed before. */
export async function ownChange({ mine, yours }: TwoTenants): Promise<string> {
  await mine.call(jobs.submitJob, { job: { ...SECRET, name: "secret" } });
  const { job } = await yours.call(jobs.submitJob, { job: OWN });
  return job?.id ?? "";
}

/** A node of a third tenant, which has no job. Any work it gets would be another's. */
export async function thirdNode({ transports }: TwoTenants): Promise<Peer> {
  return Peer.register(transports.system.nodes, "third");
}

/** Writes two changes to the other tenant's audit log. */
export async function audited({ transports, theirs: { done, running } }: TwoTenants): Promise<void> {
  const change = {
    ...{ timeMs: Date.now(), requestId: "secret", transport: "grpc" as const },
    ...{ tenant: "mine", subject: "secret", operation: "svc.v1.JobService/SubmitJob" },
    ...{ targets: [done, running], outcome: "OK", peer: "", durationMs: 1, count: 1 },
  };
  await transports.system.store.insertAudit([change, change].map((one) => ({ ...one, id: randomUUID() })));
}

/** A page token of the other tenant. */
export async function auditToken({ mine }: TwoTenants): Promise<string> {
  return (await mine.call(tenants.listAudit, { pageSize: 1 })).nextPageToken;
}
