/** Filtering and sorting jobs by a query, and the query's form in the URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  codecText,
  leftText,
  progressText,
  titleOf,
  videoRateText,
} from "../../../web/src/jobs/job-facts.ts";
import { inOrder, select } from "../../../web/src/jobs/job-order.ts";
import { type JobQuery, queryOf, sortedBy, withQuery } from "../../../web/src/jobs/job-query.ts";
import { addressText, instantText, localText } from "../../../web/src/jobs/times.ts";
import { job } from "./jobs.ts";

const JOBS = [
  job("1", {
    state: "SUCCEEDED",
    score: 70,
    createTime: "2026-01-01T00:00:01Z",
    spec: { reference: "/in/Ref.mov", distorted: "/out/a.mp4", name: "shot 10", labels: { title: "x" } },
  }),
  job("2", {
    state: "FAILED",
    error: { code: "FRAME_COUNT_MISMATCH", message: "No." },
    createTime: "2026-01-01T00:00:02Z",
    spec: { reference: "/in/ref.mov", distorted: "/out/b.mp4", labels: { title: "x", codec: "av1" } },
  }),
  job("3", {
    state: "SUCCEEDED",
    score: 90,
    createTime: "2026-01-01T00:00:03Z",
    spec: { reference: "/in/other.mov", distorted: "/out/c.mp4", name: "shot 9", models: ["vmaf_4k"] },
  }),
  job("4", { createTime: "2026-01-01T00:00:04Z" }),
];

function shown(address: string): string {
  return select(JOBS, queryOf(new URLSearchParams(address)))
    .jobs.map(({ id }) => id)
    .join("");
}

test("the newest come first by default", () => {
  assert.equal(shown(""), "4321");
  assert.equal(shown("sort=-age"), "1234");
  assert.equal(shown("sort=name"), "2431", "numbers in names count as numbers");
  assert.equal(shown("sort=state"), "4312");
  assert.equal(shown("sort=nonsense"), "4321");
});

test("jobs of the same second, like those of a batch, are sorted by name", () => {
  const named = (id: string, name: string) =>
    job(id, {
      createTime: `2026-01-01T00:00:00.00${id}Z`,
      score: 50,
      spec: { reference: "/r.mov", distorted: "/d.mp4", name },
    });
  const batch = [named("1", "rung 10"), named("2", "rung 9"), named("3", "rung 1"), named("4", "rung 9")];
  for (const address of ["", "sort=-age", "sort=score", "sort=-score", "sort=state"]) {
    const query = queryOf(new URLSearchParams(address));
    assert.equal(
      inOrder(batch, query)
        .map(({ id }) => id)
        .join(""),
      "3241",
      address,
    );
    assert.deepEqual(select(batch, query).jobs, inOrder(batch, query));
  }
});

test("jobs without a score come last in either direction", () => {
  assert.equal(shown("sort=score"), "1342");
  assert.equal(shown("sort=-score"), "3142");
});

test("sorts by bit rate, lowest first; jobs without one come last in either direction", () => {
  const media = { codec: "hevc", width: 1280, height: 720 };
  const rated = [
    job("a", { distortedMedia: { ...media, videoBitRate: 2_000 } }),
    job("b"),
    job("c", { distortedMedia: { ...media, videoBitRate: 1_000 } }),
    job("d", { distortedMedia: media }),
  ];
  const order = (address: string) =>
    inOrder(rated, queryOf(new URLSearchParams(address)))
      .map(({ id }) => id)
      .join("");
  assert.deepEqual([order("sort=rate"), order("sort=-rate")], ["cabd", "acbd"]);
  assert.equal(select(rated, queryOf(new URLSearchParams("q=hevc"))).jobs.length, 3);
  assert.deepEqual(rated.map(codecText), [
    "hevc · 1280×720",
    undefined,
    "hevc · 1280×720",
    "hevc · 1280×720",
  ]);
  assert.deepEqual(rated.map(videoRateText), ["2.00 kbit/s", undefined, "1.00 kbit/s", undefined]);
});

test("searches every word in names, paths, labels, models, codes and ids, ignoring case", () => {
  assert.equal(shown("q=SHOT"), "31");
  assert.equal(shown("q=ref.mov x"), "21");
  assert.equal(shown("q=codec%3Dav1"), "2");
  assert.equal(shown("q=vmaf_4k"), "3");
  assert.equal(shown("q=frame_count"), "2");
  assert.equal(shown("q=nothing like it"), "");
});

test("filters by states and labels; counts per state ignore the state filter", () => {
  assert.equal(shown("state=FAILED&state=QUEUED"), "42");
  assert.equal(shown("label=title%3Dx&label=codec%3Dav1"), "2");
  const { counts } = select(JOBS, queryOf(new URLSearchParams("label=title%3Dx&state=QUEUED")));
  assert.deepEqual(counts, { QUEUED: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 1, CANCELLED: 0 });
});

test("a query survives a round trip through the URL; other parameters are kept", () => {
  const address = "selected=9&q=a+b&state=RUNNING&state=FAILED&label=k%3Dv%3Dw&sort=-score";
  const params = new URLSearchParams(address);
  assert.equal(withQuery(params, queryOf(params)).toString(), address);
  const odd = new URLSearchParams("state=ASLEEP&label=none&label=k%3Dv&label=k%3Dv&sort=-");
  assert.equal(withQuery(odd, queryOf(odd)).toString(), "label=k%3Dv");
});

test("selecting a column again reverses it, and scores start with the best", () => {
  const query: JobQuery = queryOf(new URLSearchParams());
  const byScore = sortedBy(query, "score");
  assert.deepEqual([byScore.sort, byScore.descending], ["score", true]);
  assert.equal(sortedBy(byScore, "score").descending, false);
  assert.equal(sortedBy(byScore, "name").descending, false);
});

test("shows a job's name, file or id as its title, and its progress", () => {
  assert.deepEqual(JOBS.map(titleOf), ["shot 10", "b.mp4", "shot 9", "d.y4m"]);
  const progress = { framesDone: 1_250, framesTotal: 5_000, fps: 10, secondsLeft: 375 };
  const running = job("5", { state: "RUNNING", progress });
  assert.equal(progressText(running), "1,250 of 5,000 frames");
  assert.equal(leftText(running), "~6 min left");
  assert.equal(progressText(job("6", { state: "RUNNING" })), "Inspecting files");
  const fetch = { bytesDone: 1.2e9, bytesTotal: 3.4e9 };
  assert.equal(progressText(job("6", { state: "RUNNING", fetch })), "Fetching videos: 1.2 of 3.4 GB");
  assert.equal(leftText(job("6", { state: "RUNNING" })), undefined);
  const times = { startTime: "2026-01-01T00:00:00Z", endTime: "2026-01-01T01:05:30Z" };
  const ended = job("7", { state: "SUCCEEDED", progress, ...times });
  assert.equal(progressText(ended), "5,000 frames in 1 h 5 min");
  assert.deepEqual(JOBS.slice(1, 2).map(progressText), ["FRAME_COUNT_MISMATCH"]);
});

const NOW = Date.parse("2026-01-01T00:00:05Z");

test("filters jobs by submission time: up to now, or between two instants", () => {
  const shownAt = (address: string) =>
    select(JOBS, queryOf(new URLSearchParams(address)), NOW)
      .jobs.map(({ id }) => id)
      .join("");
  assert.equal(shownAt("since=1m"), "4321");
  assert.equal(shownAt("since=2026-01-01T00:00:02Z"), "432", "since is inclusive");
  assert.equal(shownAt("until=2026-01-01T00:00:02Z"), "1", "until is exclusive");
  assert.equal(shownAt("since=2026-01-01T01:00:02%2B01:00&until=2026-01-01T00:00:04Z"), "32");
  assert.equal(shownAt("until=1m"), "");
  for (const odd of ["yesterday", "7w", "-7d", "0d", "2026-01-01", "2026-13-01T00:00:00Z"])
    assert.equal(shownAt(`since=${odd}&until=${odd}`), "4321", odd);
});

test("sorts by end time, latest first; jobs that have not ended come last in either direction", () => {
  const ended = (id: string, endTime?: string) =>
    job(id, { createTime: `2026-01-01T00:00:0${id}Z`, ...(endTime && { endTime }) });
  const jobs = [
    ended("1", "2026-01-01T00:02:00Z"),
    ended("2", "2026-01-01T00:01:00Z"),
    ended("3"),
    ended("4", "2026-01-01T00:03:00Z"),
  ];
  const order = (address: string) =>
    inOrder(jobs, queryOf(new URLSearchParams(address)))
      .map(({ id }) => id)
      .join("");
  assert.equal(order("sort=ended"), "4123");
  assert.equal(order("sort=-ended"), "2143");
});

test("parsing and writing a URL keeps it unchanged", () => {
  for (const address of [
    "",
    "q=a&state=QUEUED&label=a%3Db&since=7d&until=2026-01-01T00%3A00%3A00Z&sort=-ended",
    "since=24h",
  ]) {
    const params = new URLSearchParams(address);
    assert.equal(String(withQuery(params, queryOf(params))), address);
  }
});

test("a local time field and the URL denote the same instant", () => {
  assert.equal(addressText("2026-05-17T09:30"), instantText(new Date(2026, 4, 17, 9, 30).getTime()));
  assert.equal(localText(new Date(2026, 4, 17, 9, 30).getTime()), "2026-05-17T09:30");
  assert.equal(localText(undefined), "");
  assert.equal(addressText(""), "");
  assert.equal(instantText(Date.UTC(2026, 4, 17)), "2026-05-17T00:00:00Z");
});
