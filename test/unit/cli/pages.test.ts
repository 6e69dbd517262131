import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ALL, type FetchPage, pagesOf } from "../../../src/cli/pages.ts";
import { Failure } from "../../../src/platform/failure.ts";

/** A list of the numbers from 0 on, of which a message holds so many; `asked` keeps the sizes of the pages asked for. */
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

describe("a list in pages", () => {
  test("is whole, in its order, each thing once", async () => {
    const { fetch, asked } = numbers(1_234);
    assert.deepEqual((await pages(pagesOf(fetch, ALL))).flat(), upTo(1_234));
    assert.deepEqual(asked, [500, 500, 500]);
  });

  test("ends at the limit, and asks for no more than that", async () => {
    const { fetch, asked } = numbers(2_000);
    assert.deepEqual((await pages(pagesOf(fetch, { limit: 620 }))).flat(), upTo(620));
    assert.deepEqual(asked, [500, 120]);
  });

  test("has no empty page", async () => {
    assert.deepEqual(await pages(pagesOf(numbers(0).fetch, ALL)), []);
  });

  test("whose things are large comes in smaller pages", async () => {
    const { fetch, asked } = numbers(300, 130);
    assert.deepEqual((await pages(pagesOf(fetch, ALL))).flat(), upTo(300));
    assert.deepEqual(asked, [500, 250, 125, 125, 125]);
  });

  test("one of whose things alone is too large is a failure", async () => {
    await assert.rejects(pages(pagesOf(numbers(3, 0).fetch, ALL)), { code: "REQUEST_TOO_LARGE" });
  });
});
