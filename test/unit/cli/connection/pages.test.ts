import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ALL, type FetchPage, pagesOf } from "../../../../src/cli/connection/pages.ts";
import { Failure } from "../../../../src/platform/failure.ts";

/** Returns a list of numbers from 0, of which `fit` fit into a message; `asked` records the requested page sizes. */
function numbers(count: number, fit = Number.POSITIVE_INFINITY) {
  const asked: number[] = [];
  const fetch: FetchPage<number> = async ({ pageSize, pageToken }) => {
    asked.push(pageSize);
    const from = Number(pageToken);
    const to = Math.min(count, from + pageSize);
    if (to - from > fit) throw new Failure("REQUEST_TOO_LARGE", "The answer is too large.");
    const things = Array.from({ length: to - from }, (_, index) => from + index);
    return { things, nextPageToken: to < count ? String(to) : "" };
  };
  return { asked, fetch };
}

async function pages<T>(generator: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const all: (readonly T[])[] = [];
  for await (const page of generator) all.push(page);
  return all;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a paginated list", () => {
  test("is complete and in order, each item once", async () => {
    const { fetch, asked } = numbers(1_234);
    assert.deepEqual((await pages(pagesOf(fetch, ALL))).flat(), upTo(1_234));
    assert.deepEqual(asked, [500, 500, 500]);
  });

  test("ends at the limit, and requests no more than that", async () => {
    const { fetch, asked } = numbers(2_000);
    assert.deepEqual((await pages(pagesOf(fetch, { limit: 620 }))).flat(), upTo(620));
    assert.deepEqual(asked, [500, 120]);
  });

  test("has no empty pages", async () => {
    assert.deepEqual(await pages(pagesOf(numbers(0).fetch, ALL)), []);
  });

  test("with large items comes in smaller pages", async () => {
    const { fetch, asked } = numbers(300, 130);
    assert.deepEqual((await pages(pagesOf(fetch, ALL))).flat(), upTo(300));
    assert.deepEqual(asked, [500, 250, 125, 125, 125]);
  });

  test("fails if a single item is too large", async () => {
    await assert.rejects(pages(pagesOf(numbers(3, 0).fetch, ALL)), { code: "REQUEST_TOO_LARGE" });
  });
});
