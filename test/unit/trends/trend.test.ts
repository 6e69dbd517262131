import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clipsOf, type ReleaseJob } from "../../../src/trends/clips.ts";
import { naturalOrder } from "../../../src/trends/order.ts";
import { type TrendRequest, trendOf } from "../../../src/trends/trend.ts";

const REQUEST: TrendRequest = {
  statistic: "mean",
  isLower: false,
  baseline: undefined,
  candidate: undefined,
  threshold: 0.5,
};

let number = 0;
function job(release: string, over: Partial<ReleaseJob> = {}): ReleaseJob {
  const id = String(number++);
  const reference = "/masters/film.mov";
  return {
    id,
    release,
    reference,
    distorted: `/r${release}/film.mp4`,
    labels: {},
    values: { mean: 90 },
    ...over,
  };
}

test("releases are in the order of their numbers", () => {
  const values = ["10", "9", "1.10", "1.9", "2026-01-02", "2025-12-31", "v2", "v10", "1"];
  assert.deepEqual(values.toSorted(naturalOrder), [
    ...["1", "1.9", "1.10", "9", "10", "2025-12-31", "2026-01-02", "v2", "v10"],
  ]);
});

describe("a clip", () => {
  const names = (jobs: readonly ReleaseJob[]) =>
    clipsOf(jobs).map((clip) => [clip.name, ...[...clip.jobs.keys()].sort()]);

  test("is a reference, regardless of other labels", () => {
    const jobs = ["6", "7"].map((release) => job(release, { labels: { commit: `c${release}` } }));
    assert.deepEqual(names(jobs), [["film.mov", "6", "7"]]);
  });

  test("is identified by the file name of its encode, without the release, if its reference has several", () => {
    const jobs = ["6", "7"].flatMap((release) =>
      ["low", "high"].map((rung) => job(release, { distorted: `/out/film-${rung}-r${release}-1067p.mp4` })),
    );
    assert.deepEqual(names(jobs), [
      ["film.mov · film-high-r*-1067p.mp4", "6", "7"],
      ["film.mov · film-low-r*-1067p.mp4", "6", "7"],
    ]);
  });

  test("keeps numbers and words of its file name that only contain the release", () => {
    const files = ["x264-22.mp4", "x264-12.mp4", "domain-2a.mp4"];
    const jobs = ["2", "12", "main"].flatMap((release) =>
      files.map((file) => job(release, { distorted: `/r/${release}-${file}` })),
    );
    assert.deepEqual(names(jobs), [
      ["film.mov · *-domain-*a.mp4", "2"],
      ["film.mov · *-domain-2a.mp4", "12", "main"],
      ["film.mov · *-x264-*.mp4", "12"],
      ["film.mov · *-x264-12.mp4", "2", "main"],
      ["film.mov · *-x264-22.mp4", "12", "2", "main"],
    ]);
  });

  test("is identified without a release whose name is a pattern", () => {
    const jobs = ["1.9", "1+(2"].flatMap((release) =>
      ["low", "high"].map((rung) => job(release, { distorted: `/film-${rung}-${release}-1x9.mp4` })),
    );
    assert.deepEqual(names(jobs), [
      ["film.mov · film-high-*-1x9.mp4", "1+(2", "1.9"],
      ["film.mov · film-low-*-1x9.mp4", "1+(2", "1.9"],
    ]);
  });

  test("is identified by its whole file name if that matches more clips", () => {
    const jobs = ["21", "22"].flatMap((release) =>
      ["x264-22.mp4", "x264-28.mp4"].map((file) => job(release, { distorted: `/${release}/${file}` })),
    );
    assert.deepEqual(names(jobs), [
      ["film.mov · x264-22.mp4", "21", "22"],
      ["film.mov · x264-28.mp4", "21", "22"],
    ]);
  });

  test("is identified by labels if file names do not repeat", () => {
    const jobs = ["6", "7"].flatMap((release) =>
      ["low", "high"].map((rung) => job(release, { distorted: `/out/${number}.mp4`, labels: { rung } })),
    );
    assert.deepEqual(names(jobs), [
      ["film.mov · rung=high", "6", "7"],
      ["film.mov · rung=low", "6", "7"],
    ]);
  });

  test("has the first of several jobs over the same pair", () => {
    const [clip] = clipsOf([job("7", { id: "latest" }), job("7", { id: "earlier" })]);
    assert.equal(clip?.jobs.get("7")?.id, "latest");
  });

  test("of references with the same file name are two", () => {
    const jobs = ["/a/film.mov", "/b/film.mov"].flatMap((reference) =>
      ["6", "7"].map((release) => job(release, { reference })),
    );
    assert.deepEqual(names(jobs), [
      ["/a/film.mov · film.mp4", "6", "7"],
      ["/b/film.mov · film.mp4", "6", "7"],
    ]);
  });
});

describe("a trend", () => {
  /** 12 clips; release 7 is worse by a point and more in all of them. */
  const jobs = Array.from({ length: 12 }, (_, clip) =>
    ["5", "6", "7"].map((release) => {
      const loss = release === "7" ? 1 + (clip % 3) / 10 : 0;
      const mean = 80 + clip - loss + (release === "6" ? (clip % 2 ? 0.01 : -0.01) : 0);
      return job(release, { reference: `/m/${clip}.mov`, values: { mean, p5: mean - 10 - loss } });
    }),
  ).flat();

  test("compares the last release with the one before it", () => {
    const { delta, releases } = trendOf(jobs, REQUEST);
    assert.deepEqual([delta?.baseline, delta?.candidate, delta?.verdict], ["6", "7", "worse"]);
    assert.deepEqual([delta?.worse, delta?.better], [12, 0]);
    const means = Object.fromEntries(
      delta?.statistics.map(({ name, delta: { mean } }) => [name, mean]) ?? [],
    );
    assert.equal(means["mean"]?.toFixed(2), "-1.10");
    assert.equal(means["p5"]?.toFixed(2), "-2.20");
    assert.ok(Number.isNaN(means["min"]));
    assert.deepEqual(
      releases.map(({ name, clips, change }) => [name, clips, change?.mean.toFixed(2)]),
      [
        ["5", 12, undefined],
        ["6", 12, undefined],
        ["7", 12, "-1.10"],
      ],
    );
  });

  test("compares the requested releases, in either direction", () => {
    const { delta } = trendOf(jobs, { ...REQUEST, baseline: "7", candidate: "5" });
    assert.deepEqual([delta?.verdict, delta?.worse, delta?.better], ["better", 0, 12]);
    assert.equal(trendOf(jobs, { ...REQUEST, baseline: "7" }).delta?.candidate, "6");
    assert.equal(trendOf(jobs, { ...REQUEST, candidate: "5" }).delta?.baseline, "6");
    assert.throws(() => trendOf(jobs, { ...REQUEST, baseline: "4" }), RangeError);
  });

  test("of a metric of which less is better is worse if it rises", () => {
    const request = { ...REQUEST, isLower: true, baseline: "7", candidate: "6" };
    assert.equal(trendOf(jobs, request).delta?.verdict, "worse");
  });

  test("counts a reference once, however many encodes it has", () => {
    const ladder = ["6", "7"].flatMap((release) =>
      [1, 2, 3, 4, 5, 6].map((rung) => {
        const loss = release === "7" ? 2 + rung / 10 : 0;
        return job(release, { distorted: `/${release}/${rung}.mp4`, values: { mean: 60 + rung - loss } });
      }),
    );
    const { delta } = trendOf(ladder, REQUEST);
    const { clips, mean, halfWidth } = delta?.statistics[0]?.delta ?? {};
    assert.deepEqual([delta?.worse, clips, mean?.toFixed(2), halfWidth], [6, 6, "-2.35", undefined]);
    assert.equal(delta?.verdict, "unchanged");
  });

  test("of one release, or of none, compares nothing", () => {
    assert.equal(trendOf([job("7")], REQUEST).delta, undefined);
    assert.equal(trendOf([job("7")], { ...REQUEST, baseline: "7" }).delta, undefined);
    assert.deepEqual(trendOf([], REQUEST), { releases: [], clips: [], delta: undefined });
  });

  test("of releases without a common clip states 0 common clips", () => {
    const apart = [job("6", { reference: "/m/a.mov" }), job("7", { reference: "/m/b.mov" })];
    const { delta } = trendOf(apart, REQUEST);
    assert.deepEqual([delta?.verdict, delta?.statistics[0]?.delta.clips], ["unchanged", 0]);
  });
});
