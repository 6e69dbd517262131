/** The geometry of the still viewer: all layers of a pane cover its picture exactly, in every view and at every zoom. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../waiting.ts";
import { SCENE, ScoredJob } from "./scored-job.ts";

const VIEWS = ["beside", "wipe", "flip", "difference", "heat"] as const;
const DESKTOP = { width: 1280, height: 1000 };
const PHONE = { width: 390, height: 800 };

/** A still with half as many samples each way as the video: its own size must not matter. */
const HALF =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="45"><rect width="80" height="45" fill="gray"/></svg>';

let scored: ScoredJob;
before(async () => {
  scored = await ScoredJob.open();
});
after(() => scored[Symbol.asyncDispose]());

interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Distances of the edges of two boxes, of which the largest counts. */
function apart(one: Box, other: Box): number {
  return Math.max(
    ...[one.x - other.x, one.x + one.width - other.x - other.width].map(Math.abs),
    ...[one.y - other.y, one.y + one.height - other.y - other.height].map(Math.abs),
  );
}

/** The boxes of each pane, of its picture, and of what lies in that. */
function panes(page: Page): Promise<readonly { pane: Box; picture: Box; layers: readonly Box[] }[]> {
  return page.evaluate(`(() => {
    const boxOf = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { name: element.className || element.localName, x, y, width, height };
    };
    return [...document.querySelectorAll(".still-viewer .pane")].map((pane) => ({
      pane: boxOf(pane),
      picture: boxOf(pane.querySelector(".picture")),
      layers: [...pane.querySelectorAll("img, .wiped, .flipped, .differing, .heat")].map(boxOf),
    }));
  })()`);
}

/** Opens a view and waits until both stills are drawn, each with half as many samples as the video. */
async function opened(view: (typeof VIEWS)[number], viewport: typeof DESKTOP): Promise<Page> {
  const page = await scored.pages.page("about:blank", { viewport });
  await page.route(/\/stills\/\d+\/(reference|distorted)$/, (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: HALF }),
  );
  await page.goto(scored.url(`?still=${view}`));
  const drawn = `[...document.querySelectorAll(".still-viewer .pane img")].filter((one) => one.complete && one.naturalWidth > 0 && one.closest(".pane").clientHeight > 1).length`;
  await until(async () => (await page.evaluate(drawn)) === (view === "heat" ? 1 : 2), `stills of ${view}`);
  if (view === "heat") await page.locator(".heat canvas").waitFor();
  return page;
}

/** Checks that all layers cover the picture, regardless of the size of the image itself. */
async function checkLayers(page: Page, at: string): Promise<void> {
  for (const { picture, layers } of await panes(page))
    for (const layer of layers)
      assert.ok(apart(layer, picture) < 0.5, `${at}: ${JSON.stringify({ picture, layer })}`);
}

for (const view of VIEWS)
  test(`${view}: pictures fill their panes on a desktop and a phone, and layers cover the picture`, async () => {
    for (const viewport of [DESKTOP, PHONE]) {
      const page = await opened(view, viewport);
      const at = `${view} at ${viewport.width}`;
      const shown = await panes(page);
      assert.equal(shown.length, view === "beside" ? 2 : 1, at);
      for (const { pane, picture, layers } of shown) {
        assert.ok(pane.width > viewport.width / 4, JSON.stringify(pane));
        assert.ok(layers.length > 0, at);
        // The height of a pane is a whole number.
        assert.ok(apart(picture, pane) <= 1, `${at}: ${JSON.stringify({ pane, picture })}`);
      }
      await checkLayers(page, at);
      await page.getByRole("button", { name: "8×" }).click();
      await page.getByText("800 %").waitFor();
      for (const { picture } of await panes(page)) assert.equal(Math.round(picture.width), 8 * SCENE.width);
      await checkLayers(page, `${at}, 8×`);
      await page.context().close();
    }
  });

test("the heat map ends where the picture does, although its last row of blocks is larger", async () => {
  const page = await opened("heat", DESKTOP);
  const below = (distance: number) =>
    page.evaluate(`(() => {
      const box = document.querySelector(".pane .picture").getBoundingClientRect();
      return document.elementFromPoint(box.x + box.width / 2, box.bottom + ${distance}).className;
    })()`);
  await page.getByRole("button", { name: "1×" }).click();
  await page.getByText("100 %").waitFor();
  await page.locator(".pane").scrollIntoViewIfNeeded();
  const canvas = await page.locator(".heat canvas").boundingBox();
  assert.equal(Math.round(canvas?.height ?? 0), 96, "six rows of 16 for 90 lines");
  assert.notEqual(await below(-2), "pane");
  // Blocks that spill would be hit here; a pane that is not zoomed, or is smaller than the picture, has other names.
  assert.match(String(await below(2)), /^pane\b/);
  await page.context().close();
});
