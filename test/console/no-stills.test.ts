/** The page of a job whose controller makes no stills automatically: worst moments are listed; a click makes stills. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { SCENE, ScoredJob } from "./scored-job.ts";

/** Most frames with stills per job, and per request. */
const [MOST, AT_ONCE] = [64, 16];

let scored: ScoredJob;
before(async () => {
  scored = await ScoredJob.open(["--worst-stills", "0"]);
});
after(() => scored[Symbol.asyncDispose]());

const PHONE = { width: 390, height: 800 };
const moments = (page: Page) => page.locator(".still-strip button");

async function opened(options: Parameters<ScoredJob["pages"]["page"]>[1] = {}): Promise<Page> {
  const page = await scored.pages.page(scored.url(), { viewport: { width: 1280, height: 1000 }, ...options });
  await moments(page).first().waitFor();
  return page;
}

/** Waits until both stills of a frame are drawn. */
async function shown(page: Page, frame: string | undefined): Promise<void> {
  for (const side of ["Reference", "Distorted"])
    await page.getByRole("region", { name: `${side}, frame ${frame}.` }).waitFor();
  const drawn = `[...document.querySelectorAll('.still-viewer img')].filter((one) => one.complete && one.naturalWidth === ${SCENE.width}).length`;
  await until(async () => (await page.evaluate(drawn)) === 2, "both stills");
}

test("lists the worst moments, lowest score first, and explains how to get their stills", async () => {
  for (const options of [{}, { viewport: PHONE, colorScheme: "dark" as const }]) {
    const page = await opened(options);
    const labels = await moments(page).allInnerTexts();
    const named = labels.map((text) =>
      /^([\d.]+)\s+frame (\d+)\b.*make stills$/s.exec(text)?.slice(1).map(Number),
    );
    assert.ok(named.length >= 2 && named.length <= 5, labels.join());
    const { pooled } = (await scored.jobs.get(scored.id)).body.result ?? {};
    assert.equal(named[0]?.[0], Number(pooled?.["vmaf"]?.min.toFixed(2)));
    await page.getByText("No stills were made automatically.").waitFor();
    await page.getByText("Select a moment or a frame in the chart").waitFor();
    assert.equal(await page.locator(".still-viewer, .still-strip [aria-pressed=true]").count(), 0);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
    await page.context().close();
  }
  const { body } = await scored.jobs.call<{ stills: readonly unknown[] }>(
    "listStills",
    `/v1/jobs/${scored.id}/stills`,
  );
  assert.deepEqual(body.stills, [], "viewing the page requests none");
});

test("clicking a moment requests its stills, and they appear when ready", async () => {
  const page = await opened();
  const count = await moments(page).count();
  const second = moments(page).nth(1);
  const [, frame] = /frame (\d+)/.exec((await second.textContent()) ?? "") ?? [];
  await second.click();
  await shown(page, frame);
  assert.equal(await moments(page).count(), count, "all moments are still listed");
  assert.equal(await page.getByText("make stills").count(), count - 1);
  assert.equal(await page.getByText("No stills were made").count(), 0);
  await page.context().close();
});

test("shows why a request for stills failed, and retries it by a button", async () => {
  const page = await opened();
  const list = `**/v1/jobs/${scored.id}/stills`;
  const detail = "The store did not answer within 2 s. Try again later.";
  await page.route(list, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 503, body: JSON.stringify({ code: "STORE_UNAVAILABLE", detail }) })
      : route.continue(),
  );
  const wanted = moments(page).filter({ hasText: "make stills" }).first();
  const [, frame] = /frame (\d+)/.exec((await wanted.textContent()) ?? "") ?? [];
  await wanted.click();
  const alert = page.locator(".stills").getByRole("alert");
  await alert.getByText(`The stills of frame ${frame} could not be requested: ${detail}`).waitFor();
  await page.unroute(list);
  await alert.getByRole("button", { name: "Try again" }).click();
  await shown(page, frame);
  scored.pages.expectComplaints(/503/);
  await page.context().close();
});

test("shows at the selected moment that the job has its maximum number of stills", async () => {
  const page = await opened();
  const wanted = moments(page).filter({ hasText: "make stills" }).first();
  const [, frame] = /frame (\d+)/.exec((await wanted.textContent()) ?? "") ?? [];
  const named = (await moments(page).allInnerTexts()).map((text) => Number(/frame (\d+)/.exec(text)?.[1]));
  const { body } = await scored.jobs.call<{ stills: readonly { frame: number }[] }>(
    "listStills",
    `/v1/jobs/${scored.id}/stills`,
  );
  const known = new Set(body.stills.map((still) => still.frame));
  const others = Array.from({ length: SCENE.frames }, (_, at) => at).filter(
    (at) => !named.includes(at) && !known.has(at),
  );
  const asked = others.slice(0, MOST - known.size);
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const frames = asked.slice(from, from + AT_ONCE);
    const { status } = await scored.jobs.post("requestStills", `/v1/jobs/${scored.id}/stills`, { frames });
    assert.equal(status, 202);
  }
  await wanted.click();
  const alert = page.locator(".stills").getByRole("alert");
  await alert.waitFor();
  const reason = `Stills of ${MOST} frames were already requested; a job can have stills of at most ${MOST} frames.`;
  assert.equal(
    (await alert.textContent())?.trim(),
    `The stills of frame ${frame} could not be requested: ${reason}`,
  );
  scored.pages.expectComplaints(/409/);
  await page.context().close();
});
