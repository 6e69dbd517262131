/** The video of a moment, in a real browser: requested by the click, made by a node, played, stepped and wiped. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { SCENE, ScoredJob } from "./scored-job.ts";

let scored: ScoredJob;
before(async () => {
  scored = await ScoredJob.open();
});
after(() => scored[Symbol.asyncDispose]());

/** The job's page with a video that does not play by itself. */
async function opened(query = "?still=video", options: BrowserContextOptions = {}): Promise<Page> {
  const page = await scored.pages.page(scored.url(query), {
    ...{ viewport: { width: 1280, height: 1000 }, reducedMotion: "reduce" },
    ...options,
  });
  await screen(page).waitFor();
  await until(async () => (await brightness(page)) > 1, "a frame");
  return page;
}

function screen(page: Page) {
  return page.getByRole("region", { name: /^Video of frames/ });
}

/** Number of the frame that the page says it shows. */
async function frameOf(page: Page): Promise<number> {
  return Number(/Frame (\d+)/.exec((await page.locator(".clip-frame").textContent()) ?? "")?.[1]);
}

/** Script: the samples of an image or a canvas, read from a copy. */
const SAMPLES = `(image) => {
  const copy = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(image, 0, 0);
  return copy.getImageData(0, 0, image.width, image.height).data;
}`;

/** The mean of the samples of the reference's canvas; 0 while nothing is drawn. */
async function brightness(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`(() => {
      const canvas = document.querySelector('.clip-stage canvas');
      if (canvas === null) return 0;
      const data = (${SAMPLES})(canvas);
      return data.reduce((sum, one, at) => sum + (at % 4 === 3 ? 0 : one), 0) / data.length;
    })()`),
  );
}

/** The mean difference of a canvas from the still of a frame. */
async function differenceFrom(page: Page, canvas: number, frame: number, side: string): Promise<number> {
  const path = JSON.stringify(`/v1/jobs/${scored.id}/stills/${frame}/${side}`);
  return Number(
    await page.evaluate(`(async () => {
      const still = await createImageBitmap(await (await fetch(${path})).blob());
      const [one, other] = [document.querySelectorAll('.clip-stage canvas')[${canvas}], still].map(${SAMPLES});
      return one.reduce((sum, sample, at) => sum + Math.abs(sample - other[at]), 0) / one.length;
    })()`),
  );
}

test("shows the moment's own frame of both sides, and steps from there", async () => {
  const page = await opened();
  const [, first = ""] =
    /frame (\d+)/.exec((await page.locator(".still-strip button").first().textContent()) ?? "") ?? [];
  const moment = Number(first);
  await until(async () => (await frameOf(page)) === moment, "the frame of the moment");
  const own = await differenceFrom(page, 0, moment, "reference");
  const distorted = await differenceFrom(page, 1, moment, "distorted");
  // Stills and the video lose much of this noise.
  assert.ok(own < 10 && distorted < 10, `${own}, ${distorted}`);
  assert.ok((await differenceFrom(page, 0, moment, "distorted")) > own + 2, "the sides are not swapped");
  await screen(page).focus();
  const to = async (frame: number) => {
    await until(async () => (await frameOf(page)) === frame, `frame ${frame}`);
  };
  await page.keyboard.press("ArrowRight");
  await to(moment + 1);
  await until(async () => (await differenceFrom(page, 0, moment, "reference")) > own + 2, "another frame");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await to(moment - 1);
  await page.keyboard.press("m");
  await to(moment);
  await until(async () => (await differenceFrom(page, 0, moment, "reference")) < own + 0.1, "the same frame");
  await page.keyboard.press("Home");
  const slider = page.getByRole("slider", { name: "Frame of the video" });
  await to(Number(await slider.getAttribute("min")));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("End");
  const last = Number(await slider.getAttribute("max"));
  await to(last);
  assert.ok(last - Number(await slider.getAttribute("min")) === 49 && last < SCENE.frames);
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await to(last - 1);
  await page.getByRole("button", { name: "Next frame" }).click();
  await to(last);
  await page.getByRole("button", { name: "Moment" }).click();
  await to(moment);
  await page.context().close();
});

test("plays in a loop until it is paused, by keys and buttons", async () => {
  const page = await opened();
  await screen(page).focus();
  const start = await frameOf(page);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await until(async () => (await frameOf(page)) !== start, "another frame");
  const times = () => page.evaluate("document.querySelector('video').currentTime");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Play" }).click();
  await until(async () => Number(await times()) < 1, "the beginning again");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.getByRole("button", { name: "Loop" }).click();
  await page.getByLabel("Speed").selectOption("0.5");
  assert.equal(await page.evaluate("document.querySelector('video').playbackRate"), 0.5);
  await screen(page).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  await until(async () => (await page.evaluate("document.querySelector('video').ended")) === true, "the end");
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.context().close();
});

test("the wipe's edge is dragged, or moved by keys, and the layout is in the URL", async () => {
  const page = await opened();
  await page
    .getByRole("group", { name: "Layout of the video" })
    .getByRole("button", { name: "Wipe" })
    .click();
  await page.waitForURL(/clip=wipe/);
  const slider = page.getByRole("slider", { name: "Edge between reference and distorted" });
  await slider.waitFor();
  assert.ok((await brightness(page)) > 1, "a new canvas is drawn at once");
  const frame = await frameOf(page);
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await slider.inputValue(), "50.5");
  assert.equal(await frameOf(page), frame, "its keys do not step");
  const stage = await page.locator(".clip-stage").boundingBox();
  assert.ok(stage);
  const y = stage.y + stage.height / 2;
  await page.mouse.move(stage.x + stage.width * 0.505, y);
  await page.mouse.down();
  await page.mouse.move(stage.x + stage.width / 4, y, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await slider.inputValue()) === "25", "the edge at a quarter");
  assert.match(String(await page.evaluate("document.querySelector('.wiped').style.clipPath")), /25%/);
  await page.reload();
  await slider.waitFor();
  await page.getByRole("button", { name: "Difference" }).click();
  await page.locator(".differing").waitFor();
  await page.context().close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`is accessible, and fits on a phone, where the sides are stacked, in the ${colorScheme} theme`, async () => {
    const phone = { viewport: { width: 390, height: 800 }, colorScheme };
    for (const query of ["?still=video", "?still=video&clip=wipe"]) {
      const page = await opened(query, { colorScheme });
      assert.deepEqual(await accessibilityFaults(page), [], query);
      await page.context().close();
      const small = await opened(query, phone);
      assert.ok(
        Number(await small.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0,
        query,
      );
      assert.deepEqual(await accessibilityFaults(small), [], query);
      const boxes = await Promise.all(
        (await small.locator(".clip-stage").all()).map((one) => one.boundingBox()),
      );
      const [one, other] = boxes;
      if (other) assert.ok(one && other.y >= one.y + one.height, "the sides are stacked");
      await small.context().close();
    }
  });
}

test("of a pinned frame is requested by the click, saved, and deleted with the pin", async () => {
  const page = await opened("?frame=0&still=video");
  assert.equal(await frameOf(page), 0);
  const list = async () => {
    const path = `/v1/jobs/${scored.id}/clips`;
    const { clips } = (await scored.jobs.call<{ clips: { frame: number }[] }>("listClips", path)).body;
    return clips.map(({ frame }) => frame);
  };
  assert.ok((await list()).includes(0));
  const saving = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save video" }).click();
  assert.equal((await saving).suggestedFilename(), `${scored.id}-0.mp4`);
  await page.getByRole("button", { name: "Unpin frame 0", exact: true }).click();
  await until(async () => !(await list()).includes(0), "the clip to be deleted");
  await page.context().close();
});

test("says why there is none, and can be tried again", async () => {
  const page = await scored.pages.page("about:blank", { reducedMotion: "reduce" });
  const clips = /\/clips$/;
  const problem = { code: "TOO_MANY_CLIPS", detail: "A job can have clips of at most 16 frames." };
  await page.route(clips, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(problem) })
      : route.continue(),
  );
  await page.goto(scored.url("?frame=200&still=video"));
  const alert = page.getByRole("alert").filter({ hasText: "could not be requested" });
  await alert.waitFor();
  assert.match((await alert.textContent()) ?? "", /at most 16 frames/);
  await page.unroute(clips);
  await alert.getByRole("button", { name: "Try again" }).click();
  await screen(page).waitFor();
  scored.pages.expectComplaints(/409/);
  await page.context().close();
});
