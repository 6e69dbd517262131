/** The stills of a job's worst moments, in a real browser: made by a node, shown in every view. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { SCENE, ScoredJob } from "./scored-job.ts";

let scored: ScoredJob;
before(async () => {
  scored = await ScoredJob.open();
});
after(() => scored[Symbol.asyncDispose]());

/** The job's page, with both sides of a frame shown. */
async function opened(query = ""): Promise<Page> {
  const page = await scored.pages.page(scored.url(query), { viewport: { width: 1280, height: 1000 } });
  await page.getByRole("heading", { name: "Worst moments" }).waitFor();
  await shown(page, 2);
  return page;
}

/** A frame without stills; the worst moments all have them. */
async function freeFrame(): Promise<number> {
  const path = `/v1/jobs/${scored.id}/stills`;
  const { body } = await scored.jobs.call<{ stills: readonly { frame: number }[] }>("listStills", path);
  const taken = new Set(body.stills.map(({ frame }) => frame));
  return Array.from({ length: SCENE.frames }, (_, at) => at).find((at) => !taken.has(at)) ?? Number.NaN;
}

/** Waits until a number of stills is drawn. */
function shown(page: Page, count: number): Promise<void> {
  return until(async () => (await drawn(page)) === count, `${count} stills`);
}

/** Number of stills as large as the video, in panes that have their size. */
function drawn(page: Page): Promise<unknown> {
  return page.evaluate(
    `[...document.querySelectorAll('.still-viewer .pane img')].filter((one) => one.complete && one.naturalWidth === ${SCENE.width} && one.closest('.pane').clientHeight > 1).length`,
  );
}

function transforms(page: Page): Promise<unknown> {
  return page.evaluate("[...document.querySelectorAll('.pane .picture')].map((one) => one.style.transform)");
}

test("shows the worst moment first, side by side; moments are at least 2 s apart", async () => {
  const page = await opened();
  const label = /^([\d.]+)\s+frame (\d+)/;
  const buttons = page.locator(".still-strip").first().getByRole("button");
  // The score of each moment appears with the per-frame scores.
  await until(
    async () => (await buttons.allInnerTexts()).every((text) => label.test(text)),
    "the score of every moment",
  );
  const labels = await buttons.allInnerTexts();
  const moments = labels.map((text) => label.exec(text)?.slice(1).map(Number) ?? []);
  assert.ok(moments.length >= 2 && moments.length <= 5, labels.join());
  const scores = moments.map(([score = Number.NaN]) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((one, other) => one - other),
  );
  const numbers = moments.map(([, frame = Number.NaN]) => frame).toSorted((one, other) => one - other);
  for (const [at, frame] of numbers.entries())
    assert.ok(frame - (numbers[at - 1] ?? -50) >= 50, numbers.join());
  const { pooled } = (await scored.jobs.get(scored.id)).body.result ?? {};
  assert.equal(scores[0], Number(pooled?.["vmaf"]?.min.toFixed(2)));
  assert.equal(await page.getByRole("region", { name: /^(Reference|Distorted), frame/ }).count(), 2);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("zoom and pan are synchronized on both sides, by keys and wheel, and Fit resets them", async () => {
  const page = await opened();
  const [fit] = (await transforms(page)) as string[];
  const left = page.getByRole("region", { name: /^Reference, frame/ });
  await left.focus();
  for (const key of ["+", "+", "+", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  const [one, other] = (await transforms(page)) as string[];
  assert.equal(one, other);
  assert.notEqual(one, fit);
  await left.hover();
  await page.mouse.wheel(0, -200);
  // A zoomed pane is zoomed further by the wheel alone.
  await until(async () => ((await transforms(page)) as string[])[0] !== one, "zooming by the wheel");
  const [nearer, same] = (await transforms(page)) as string[];
  assert.equal(nearer, same);
  await page.getByRole("button", { name: "8×" }).click();
  await page.getByText("800 %").waitFor();
  await page.getByRole("button", { name: "Fit" }).click();
  assert.equal(((await transforms(page)) as string[])[0], fit);
  await page.context().close();
});

test("a slider moves the wipe's edge, and the difference uses the browser's blend mode", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Wipe" }).click();
  const slider = page.getByRole("slider", { name: "Edge between reference and distorted" });
  await slider.waitFor();
  await shown(page, 2);
  const edge = () => page.evaluate("document.querySelector('.wiped').style.clipPath");
  const before = await edge();
  await slider.fill("20");
  await until(async () => (await edge()) !== before, "the edge to move");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Difference" }).click();
  await page.locator(".differing").waitFor();
  await shown(page, 2);
  await page.getByLabel("Gain").selectOption("16");
  await page.getByText("Difference ×16 (black = identical)").waitFor();
  const blend = await page.evaluate(
    "getComputedStyle(document.querySelector('.differing img + img')).mixBlendMode",
  );
  assert.equal(blend, "difference");
  await page.context().close();
});

test("the wheel over a still that is wholly visible scrolls the page, and zooms with Ctrl", async () => {
  const page = await opened();
  const [fit] = (await transforms(page)) as string[];
  await page.getByRole("region", { name: /^Reference, frame/ }).hover();
  const top = () => page.evaluate("scrollY");
  const before = Number(await top());
  await page.mouse.wheel(0, -150);
  await until(async () => Number(await top()) < before, "the page to scroll");
  assert.equal(((await transforms(page)) as string[])[0], fit);
  await page.getByRole("region", { name: /^Reference, frame/ }).hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -150);
  await page.keyboard.up("Control");
  await until(async () => ((await transforms(page)) as string[])[0] !== fit, "zooming by the wheel");
  await page.context().close();
});

test("the view of stills is kept from frame to frame, and is in the URL", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Difference" }).click();
  await page.getByLabel("Gain").selectOption("16");
  await page.getByRole("button", { name: "8×" }).click();
  await page.getByText("800 %").waitFor();
  const [zoomed] = (await transforms(page)) as string[];
  const second = page.locator(".still-strip button").nth(1);
  const [, frame] = /frame (\d+)/.exec((await second.textContent()) ?? "") ?? [];
  await second.click();
  await page.waitForURL(/frame=/);
  await page.getByRole("region", { name: `Difference, frame ${frame}.` }).waitFor();
  await shown(page, 2);
  await page.getByText("Difference ×16 (black = identical)").waitFor();
  assert.equal(((await transforms(page)) as string[])[0], zoomed);
  const copy = await scored.pages.page(page.url());
  await copy.getByText("Difference ×16 (black = identical)").waitFor();
  await copy.context().close();
  await page.context().close();
});

test("F flips between the sides, and the wipe's edge can be dragged on the still", async () => {
  const page = await opened();
  await page.getByRole("region", { name: /^Reference, frame/ }).focus();
  await page.keyboard.press("f");
  await page.waitForURL(/still=flip/);
  // The URL changes before the page is rendered.
  await page.getByRole("region", { name: /^Distorted, frame/ }).waitFor({ state: "detached" });
  await page.getByRole("region", { name: /^Reference, frame/ }).focus();
  await page.keyboard.press("f");
  await page.getByRole("region", { name: /^Distorted, frame/ }).waitFor();
  await page.keyboard.press("f");
  await page.getByRole("region", { name: /^Reference, frame/ }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Wipe" }).click();
  await page.getByRole("slider").waitFor();
  const pane = await page.locator(".pane").boundingBox();
  assert.ok(pane);
  await page.mouse.move(pane.x + pane.width / 2 + 4, pane.y + pane.height / 2);
  await page.mouse.down();
  await page.mouse.move(pane.x + pane.width / 4, pane.y + pane.height / 2, { steps: 4 });
  await page.mouse.up();
  await until(async () => (await page.getByRole("slider").inputValue()) === "25", "the edge at a quarter");
  await page.context().close();
});

test("a button retries a still that failed to load, which then fills its pane", async () => {
  const page = await scored.pages.page("about:blank", { viewport: { width: 1280, height: 1000 } });
  const stills = /\/stills\/\d+\/(reference|distorted)$/;
  await page.route(stills, (route) => route.fulfill({ status: 403, body: "{}" }));
  await page.goto(scored.url());
  await page.locator(".still-viewer").getByText("Access denied").waitFor();
  await page.unroute(stills);
  await page.route(stills, (route) => route.fulfill({ status: 400, body: "{}" }));
  await page.reload();
  const again = page.locator(".still-viewer").getByRole("button", { name: "Try again" });
  await again.waitFor();
  await page.unroute(stills);
  await until(async () => {
    // The two sides fail one after the other, so a button may retry only one of them.
    if (await again.isVisible()) await again.click();
    return (await drawn(page)) === 2;
  }, "both stills");
  const pane = await page.locator(".pane").first().boundingBox();
  assert.ok(pane && pane.height > 100, JSON.stringify(pane));
  assert.match(((await transforms(page)) as string[])[0] ?? "", /scale\([1-9]/);
  scored.pages.expectComplaints(/40[03]/);
  await page.context().close();
});

test("on a high-density screen 1× maps samples to device pixels; two fingers zoom, one scrolls", async () => {
  const viewport = { width: 390, height: 800 };
  const page = await scored.pages.page(scored.url(), { viewport, deviceScaleFactor: 2, hasTouch: true });
  await shown(page, 2);
  const pane = page.locator(".pane").first();
  await pane.scrollIntoViewIfNeeded();
  assert.equal(
    await page.evaluate("getComputedStyle(document.querySelector('.pane')).touchAction"),
    "pan-x pan-y",
  );
  const box = await pane.boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = await page.context().newCDPSession(page);
  const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
    touch.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [-apart, apart].map((by, id) => ({ x: x + by, y, id })),
    });
  const [fit] = (await transforms(page)) as string[];
  await fingers("touchStart", 20);
  for (const apart of [30, 40, 60]) await fingers("touchMove", apart);
  await fingers("touchEnd", 0);
  await until(async () => ((await transforms(page)) as string[])[0] !== fit, "zooming by two fingers");
  await page.locator(".pane.zoomed").first().waitFor();
  for (const [zoom, scale] of [
    ["8×", /scale\(4\)$/],
    ["1×", /scale\(0\.5\)$/],
  ] as const) {
    await page.getByRole("button", { name: zoom }).click();
    assert.match(((await transforms(page)) as string[])[0] ?? "", scale);
  }
  await page.context().close();
});

test("stills of another requested frame are made by the node and appear when ready", async () => {
  const page = await opened();
  const listed = await page.locator(".still-strip").first().locator("li").count();
  const free = await freeFrame();
  await page.goto(scored.url(`?frame=${free}`));
  await page.getByRole("button", { name: new RegExp(`^[\\d.]+ frame ${free}\\b`) }).waitFor();
  await page.getByRole("region", { name: `Reference, frame ${free}.` }).waitFor();
  await shown(page, 2);
  assert.equal(
    await page.locator(".still-strip").first().locator("li").count(),
    listed,
    "the worst moments are unchanged",
  );
  await page.getByRole("heading", { name: "Pinned frames" }).waitFor();
  assert.equal(await page.locator(".still-strip").nth(1).locator("li").count(), 1);
  const still = await fetch(`${scored.up.rest}/v1/jobs/${scored.id}/stills/${free}/distorted`);
  assert.equal(still.headers.get("content-type"), "image/webp");
  await page.context().close();
});

test("unpinning a frame deletes its stills for everyone, and shows the worst moment again", async () => {
  const free = await freeFrame();
  const unpin = { name: `Unpin frame ${free}`, exact: true };
  const page = await scored.pages.page(scored.url(`?frame=${free}`));
  await page.getByRole("region", { name: `Reference, frame ${free}.` }).waitFor();
  const other = await scored.pages.page(scored.url());
  await other.getByRole("button", unpin).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", unpin).click();
  await page.waitForURL((url) => !url.searchParams.has("frame"));
  for (const one of [page, other]) await one.getByRole("button", unpin).waitFor({ state: "detached" });
  await shown(page, 2);
  const still = await fetch(`${scored.up.rest}/v1/jobs/${scored.id}/stills/${free}/distorted`);
  assert.equal(still.status, 404);
  assert.equal(await page.getByRole("button", unpin).count(), 0, "its stills are not requested again");
  await other.context().close();
  await page.context().close();
});

test("a reader sees pinned frames but cannot unpin them", async () => {
  const free = await freeFrame();
  await scored.jobs.post("requestStills", `/v1/jobs/${scored.id}/stills`, { frames: [free] });
  const page = await scored.pages.page("about:blank");
  const caller = { tenant: "dev", subject: "reader", roles: ["svc:reader"] };
  await page.route("**/v1/whoami", (route) => route.fulfill({ json: caller }));
  await page.goto(scored.url());
  await page.locator(".still-strip").nth(1).getByText(`frame ${free}`).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Unpin/ }).count(), 0);
  await page.context().close();
});

test("on a phone the two sides are stacked, and nothing is wider than the screen", async () => {
  const viewport = { width: 390, height: 800 };
  const page = await scored.pages.page(scored.url(), { viewport, colorScheme: "dark" });
  await shown(page, 2);
  const [one, other] = await Promise.all([0, 1].map((at) => page.locator(".pane").nth(at).boundingBox()));
  assert.ok(one && other && other.y >= one.y + one.height, "the panes are stacked");
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0);
  await page.context().close();
});
