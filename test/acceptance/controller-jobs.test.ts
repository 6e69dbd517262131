/** Jobs through `svc up`, from the request to the result: a real controller, database, node and scorer. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, test } from "node:test";
import { EventStream } from "../server/event-stream.ts";
import type { Batch, Job, NodeList, Page } from "../server/jobs-client.ts";
import { score as scoreOverRest } from "../server/rest-client.ts";
import { sameResult } from "../server/same-result.ts";
import { svc } from "../server/svc-process.ts";
import { openUp } from "./up.ts";

const opened = await openUp();
after(() => opened[Symbol.asyncDispose]());
const { clips, up, jobs, pair, scoredHere } = opened;

describe("a job", () => {
  test("goes from QUEUED to SUCCEEDED with exactly the scores of svc score, although it was split", async () => {
    const { status, headers, body } = await jobs.submit({ ...pair, features: ["psnr"], name: "whole flow" });
    assert.equal(status, 201);
    assert.equal(headers.get("location"), `/v1/jobs/${body.id}`);
    assert.equal(body.state, "QUEUED");
    assert.deepEqual(body.spec, { ...pair, features: ["psnr"], name: "whole flow" });
    assert.equal(body.tenantId, "dev");
    const job = await jobs.until(body.id, "SUCCEEDED");
    const here = await scoredHere("--metric", "psnr");
    sameResult(job.result, here);
    assert.equal(job.score, here.score);
    assert.ok(job.segmentsTotal > 1, "the job was split");
    assert.equal(job.segmentsDone, job.segmentsTotal);
    const scoring = job.work?.filter(({ kind }) => kind !== "STILLS");
    assert.deepEqual([...new Set(scoring?.map(({ state }) => state))], ["DONE"]);
  });

  test("has its scorer, and codec, size and video bit rate of its distorted file, in lists too", async () => {
    const { id } = (await jobs.submit(pair)).body;
    const job = await jobs.until(id, "SUCCEEDED");
    const { codec, width, height, videoBitRate, encoder } = (await scoredHere()).distorted;
    assert.ok(videoBitRate > 0);
    assert.deepEqual(job.distortedMedia, { codec, width, height, videoBitRate, encoder });
    const { body } = await jobs.call<Page>("listJobs", "/v1/jobs?pageSize=500");
    const listed = body.jobs.find((one) => one.id === id);
    assert.deepEqual(listed?.distortedMedia, job.distortedMedia);
    assert.deepEqual([listed?.scorer, job.scorer], [job.result?.scorer, job.result?.scorer]);
  });

  test("has its frames as JSON and as CSV, all or a range", async () => {
    const { id } = (await jobs.submit(pair)).body;
    await jobs.until(id, "SUCCEEDED");
    const { frames } = await scoredHere("--frames");
    const path = `/v1/jobs/${id}/frames`;
    const whole = await jobs.call<{ frames: unknown }>("getJobFrames", path);
    assert.deepEqual(whole.body.frames, frames);
    const part = await jobs.call<{ frames: unknown }>("getJobFrames", `${path}?firstFrame=30&frameCount=10`);
    assert.deepEqual(part.body.frames, frames.slice(30, 40));
    const beyond = await jobs.call<{ frames: unknown }>("getJobFrames", `${path}?firstFrame=75`);
    assert.deepEqual(beyond.body.frames, []);
    const file = clips.directory.file("frames.csv");
    await svc(["score", pair.reference, pair.distorted, "--csv", file]);
    const csv = await readFile(file, "utf8");
    for (const init of [{ headers: { accept: "text/csv" } }, { query: "?format=csv" }]) {
      const answer = await fetch(`${up.rest}${path}${"query" in init ? init.query : ""}`, init);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
      assert.equal(await answer.text(), csv);
    }
    const range = await (await fetch(`${up.rest}${path}?format=csv&firstFrame=30&frameCount=2`)).text();
    const [header, ...rows] = csv.split("\n");
    assert.equal(
      range,
      `${header}\n${rows.slice(30, 32).join("\n")}\n`,
      "its times are those of the whole video",
    );
    assert.match(range, /^frame,vmaf,.*,time\n30,.*,\d+\.\d{6}\n/);
    const json = await fetch(`${up.rest}${path}?format=json`, { headers: { accept: "text/csv" } });
    assert.match(json.headers.get("content-type") ?? "", /^application\/json/);
    await json.arrayBuffer();
  });

  test("whose media cannot be scored fails with the code and facts of svc score", async () => {
    const { id } = (await jobs.submit({ ...pair, distorted: clips.pair.distorted })).body;
    const job = await jobs.until(id, "FAILED");
    assert.equal(job.error?.code, "FRAME_COUNT_MISMATCH");
    assert.deepEqual(Object.keys(job.error?.found ?? {}).sort(), ["distorted", "reference", "remedy"]);
    assert.deepEqual(job.error?.found?.["remedy"], {
      option: "onFrameCountMismatch",
      value: "COMMON",
      onlyIf: "the missing frames are the last ones",
    });
    assert.equal(job.result, undefined);
  });

  test("is CANCELLED immediately with its scorer killed; a repeat does nothing; cancelling a finished job is refused", async () => {
    const { id } = (await jobs.submit(clips.longPair)).body;
    await jobs.until(id, "RUNNING");
    await up.scorerRuns();
    const cancelled = await jobs.cancel(id);
    assert.equal(cancelled.status, 200);
    assert.equal(cancelled.body.state, "CANCELLED");
    await up.scorerGone();
    assert.equal((await jobs.cancel(id)).body.state, "CANCELLED");
    const done = (await jobs.submit(clips.pair)).body;
    await jobs.until(done.id, "SUCCEEDED");
    const refused = await jobs.cancel(done.id);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, "JOB_FINISHED");
  });
});

describe("submitting", () => {
  test("the same key returns the job stored first; with another job 409", async () => {
    const key = { "idempotency-key": "submit-once" };
    const first = await jobs.submit({ ...clips.pair, priority: 3 }, key);
    const again = await jobs.submit({ priority: 3, ...clips.pair }, key);
    assert.deepEqual([first.status, again.status], [201, 200]);
    assert.equal(again.body.id, first.body.id);
    assert.equal(again.headers.get("location"), `/v1/jobs/${first.body.id}`);
    const other = await jobs.submit({ ...clips.pair, priority: 4 }, key);
    assert.equal(other.status, 409);
    assert.equal(other.body.code, "IDEMPOTENCY_CONFLICT");
  });

  test("a batch is stored completely or not at all, in order", async () => {
    const entry = (name: string) => ({
      job: { ...clips.pair, name, labels: { batch: "b" } },
      idempotencyKey: name,
    });
    const stored = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", {
      jobs: ["x", "y", "z"].map(entry),
    });
    assert.equal(stored.status, 201);
    assert.deepEqual(
      stored.body.jobs.map(({ job, existed }) => [job.spec["name"], existed]),
      [
        ["x", false],
        ["y", false],
        ["z", false],
      ],
    );
    const again = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", { jobs: ["z", "x"].map(entry) });
    assert.equal(again.status, 200);
    assert.deepEqual(
      again.body.jobs.map(({ job }) => job.id),
      [stored.body.jobs[2]?.job.id, stored.body.jobs[0]?.job.id],
    );
    const bad = { jobs: [entry("new"), { job: { ...clips.pair, models: ["not a name"] } }] };
    const refused = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", bad);
    assert.equal(refused.status, 400);
    assert.equal((await jobs.list("?label=batch=b")).body.jobs.length, 3);
  });

  test("jobs are listed newest first, by state and label, in pages", async () => {
    const names = ["p1", "p2", "p3"];
    const label = "team/part:one";
    for (const name of names) {
      const { id } = (await jobs.submit({ ...clips.pair, name, labels: { "team/part": "one" } })).body;
      await jobs.until(id, "SUCCEEDED");
    }
    const listed: string[] = [];
    let token = "";
    do {
      const query = new URLSearchParams({ label, state: "SUCCEEDED", pageSize: "2", pageToken: token });
      if (token === "") query.delete("pageToken");
      const { body } = await jobs.list(`?${query.toString()}`);
      listed.push(...body.jobs.map(({ spec }) => String(spec["name"])));
      token = body.nextPageToken;
      assert.ok(body.jobs.every((job) => job.result === undefined && job.work === undefined));
    } while (token !== "");
    assert.deepEqual(listed, names.toReversed());
    assert.deepEqual((await jobs.list(`?label=${label}&state=FAILED&state=CANCELLED`)).body.jobs, []);
    assert.deepEqual((await jobs.list("?label=team/part=two")).body.jobs, []);
  });
});

describe("the stream", () => {
  const jobOf = (data: string): Job => JSON.parse(data).job;

  test("sends the current jobs, then every change in order, and resumes where it stopped", async () => {
    const label = "stream=first";
    const labels = { stream: "first" };
    const before = (await jobs.submit({ ...clips.pair, labels })).body;
    await jobs.settled(before.id);
    let lastId = "";
    let next: Job;
    {
      using stream = await EventStream.open(`${up.rest}/v1/jobs:stream?label=${label}`);
      assert.equal(stream.response.headers.get("content-type"), "text/event-stream; charset=utf-8");
      const snapshot = await stream.next();
      assert.equal(snapshot?.event, "snapshot");
      assert.equal(jobOf(snapshot?.data ?? "").id, before.id);
      const end = await stream.next();
      assert.equal(end?.event, "snapshotEnd");
      assert.notEqual(end?.id, "");
      next = (await jobs.submit({ ...pair, labels, noCache: true })).body;
      const first = await stream.next();
      assert.equal(first?.event, "change");
      assert.deepEqual([jobOf(first?.data ?? "").id, jobOf(first?.data ?? "").revision], [next.id, 1]);
      lastId = first?.id ?? "";
    }
    await jobs.until(next.id, "SUCCEEDED");
    using resumed = await EventStream.open(`${up.rest}/v1/jobs:stream?label=${label}`, {
      "last-event-id": lastId,
    });
    const reported: Job[] = [];
    await resumed.find(({ event, data }) => {
      assert.equal(event, "change");
      reported.push(jobOf(data));
      return jobOf(data).state === "SUCCEEDED";
    });
    const revisions = reported.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 2),
      "every change, once, in order",
    );
    assert.equal(reported[0]?.state, "RUNNING");
  });

  test("is filtered by job and state", async () => {
    const watched = (await jobs.submit({ ...clips.pair, name: "watched" })).body;
    const path = `${up.rest}/v1/jobs:stream?id=${watched.id}&state=SUCCEEDED`;
    using stream = await EventStream.open(path);
    await jobs.submit({ ...clips.pair, name: "other" });
    const events: string[] = [];
    const last = await stream.find(({ event, data }) => {
      events.push(event);
      return event !== "snapshotEnd" && jobOf(data).state === "SUCCEEDED";
    });
    assert.equal(jobOf(last.data).id, watched.id);
    assert.ok(events.length <= 2, events.join());
  });
});

test("lists the node; after a drain it finishes its tasks and takes no new ones", async () => {
  const { body } = await jobs.call<NodeList>("listNodes", "/v1/nodes");
  const node = body.nodes.find(({ state }) => state === "ONLINE");
  assert.equal(node?.name, "local");
  const drained = await jobs.call<{ state: string }>("drainNode", `/v1/nodes/${node?.id}:drain`, {
    method: "POST",
  });
  assert.equal(drained.body.state, "DRAINING");
  const { status, body: refused } = await scoreOverRest(up, clips.pair);
  assert.equal(status, 503);
  assert.equal(refused.code, "NO_NODE_ONLINE");
  const waiting = (await jobs.submit(clips.pair)).body;
  assert.equal((await jobs.get(waiting.id)).body.state, "QUEUED");
  await jobs.cancel(waiting.id);
});

test("metrics contain no caller-chosen text, and have a separate port", async () => {
  const text = await (await fetch(`${up.metrics}/metrics`)).text();
  assert.match(text, /^svc_http_requests_total\{.*route="\/v1\/jobs\/\{id\}"/m);
  assert.doesNotMatch(text, /three-seconds|whole flow/);
  assert.equal((await fetch(`${up.rest}/metrics`)).status, 404);
});
