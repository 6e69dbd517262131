/** Sign-in to the console of a controller that requires tokens, with a real provider, in a real browser. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Page } from "playwright-core";
import {
  AUDIENCE,
  CONSOLE_CLIENT_ID,
  type PeopleOptions,
  PeopleProvider,
} from "../client/people-provider.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const READER = { claims: { tid: "acme", svc_roles: ["svc:reader"] } };

let dataDir: string;
let pages: Pages;
let provider: PeopleProvider;
let controller: ControllerProcess;

before(async () => {
  pages = await Pages.open();
});
after(() => pages[Symbol.asyncDispose]());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-sign-in-"));
});
afterEach(async () => {
  await pages.closeAll();
  await controller[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function start(options: PeopleOptions, scope = "openid"): Promise<void> {
  provider = await PeopleProvider.open(options);
  controller = await ControllerProcess.start({
    console: true,
    dataDir,
    auth: [
      ...["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer],
      ...["--auth-audience", AUDIENCE, "--media-root", dataDir],
      ...["--console-oidc-issuer", provider.issuer, "--console-oidc-client-id", CONSOLE_CLIENT_ID],
      ...["--console-oidc-scope", scope],
    ],
  });
}

/** Responds like a token endpoint that refuses. */
function refusing(error: string): (response: ServerResponse) => true {
  return (response) => {
    response.writeHead(400, { "content-type": "application/json", "access-control-allow-origin": "*" });
    response.end(JSON.stringify({ error }));
    return true;
  };
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The nodes page, which polls every two seconds, with a clock that the test advances. */
async function polling(): Promise<Page> {
  const page = await pages.page("about:blank");
  await page.clock.install();
  await page.goto(`${controller.rest}/console/nodes`);
  await signIn(page);
  await page.getByText("alice · acme").waitFor();
  return page;
}

/** Everything that the browser has stored for the page. */
async function keptBy(page: Page): Promise<string> {
  return String(
    await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
  );
}

describe("a reader", () => {
  test("signs in, returns to the requested page, stays signed in after a reload, and signs out", async () => {
    await start(READER);
    const page = await pages.page(`${controller.rest}/console/jobs?state=FAILED`);
    await page.getByText("Sign in with").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/console/jobs?state=FAILED");
    assert.doesNotMatch(await keptBy(page), /eyJ/, "tokens are in memory only");
    await page.reload();
    await page.getByText("alice · acme").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("sign-out from").waitFor();
    assert.equal(
      new URL(page.url()).origin,
      provider.issuer,
      "the provider asks whether to end its session too",
    );
    await page.goto(`${controller.rest}/console/`);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    // The provider's page loads a font from another site.
    pages.expectComplaints(/ERR_NAME_NOT_RESOLVED|404/);
  });

  test("is renewed silently; after a refusal nothing is sent until they sign in again", async () => {
    // Shorter than the time before expiry at which a token is renewed, so that every call renews it.
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await polling();
    const before = provider.count("/token");
    await until(async () => {
      await page.clock.runFor(2_000);
      return provider.count("/token") > before;
    }, "a renewed token");
    let refused = 0;
    provider.watch = (path, response) => {
      response.on("finish", () => {
        if (path === "/token" && response.statusCode === 400) refused++;
      });
      return false;
    };
    await provider.withdraw();
    const over = page.getByRole("heading", { name: "Your session has ended" });
    await until(async () => {
      await page.clock.runFor(2_000);
      return over.isVisible();
    }, "the session's end to be shown");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.clock.runFor(60_000);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.clock.runFor(10_000);
    assert.deepEqual([refused, sent], [1, []]);
    for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key);
    await over.waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/nodes");
    pages.expectComplaints(/status of 40[01]/);
  });

  test("stays signed in while the provider is unreachable; retries become less frequent", async () => {
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await polling();
    let isAway = true;
    provider.watch = (path, response) => isAway && path === "/token" && Boolean(response.destroy());
    const alert = page.getByRole("alert").filter({ hasText: "Your session could not be renewed" });
    await until(async () => {
      await page.clock.runFor(2_000);
      return alert.isVisible();
    }, "the failed renewal to be shown");
    // From here on the test controls the clock: a minute is a minute on a slow machine too.
    await page.clock.pauseAt(Number(await page.evaluate("Date.now()")) + 60_000);
    const before = provider.count("/token");
    for (let poll = 0; poll < 30; poll++) await page.clock.runFor(2_000);
    await until(() => provider.count("/token") > before, "another request to the provider");
    const asked = provider.count("/token") - before;
    assert.ok(asked < 10, `asked ${asked} times in a minute of 30 polls`);
    assert.equal(await page.getByRole("heading", { name: "Your session has ended" }).count(), 0);
    isAway = false;
    await until(async () => {
      await page.clock.runFor(2_000);
      return !(await alert.isVisible());
    }, "a renewed token");
    await pages.closeAll();
    pages.expectComplaints(/net::ERR_EMPTY_RESPONSE|status of 40[01]/);
  });

  test("sees why a token was not renewed, and returns to the same page after signing in again", async () => {
    await start({ ...READER, lifeSeconds: 15 }, "openid offline_access");
    const page = await pages.page(`${controller.rest}/console/jobs?state=FAILED`);
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    const over = page.getByRole("heading", { name: "Your session has ended" });
    let answer = (response: ServerResponse): unknown => response.destroy();
    provider.watch = (path, response) => path === "/token" && Boolean(answer(response));
    const alert = page.getByRole("alert").filter({ hasText: "Your session could not be renewed" });
    /** Triggers the page's next attempt instead of waiting for it. */
    const shows = (text: string) =>
      until(async () => {
        await page.evaluate("dispatchEvent(new Event('online'))");
        return alert.getByText(text).isVisible();
      }, text);
    await shows("Failed to fetch");
    answer = refusing("server_error");
    await shows("server_error");
    assert.equal(await over.count(), 0);
    // The page also retries automatically, so responses are held until the button can be pressed.
    const held: ServerResponse[] = [];
    answer = (response) => held.push(response);
    await page.getByRole("button", { name: "Try again" }).click();
    await until(() => held.length > 0, "another request to the provider");
    answer = refusing("invalid_grant");
    for (const response of held) answer(response);
    await over.waitFor();
    provider.watch = () => false;
    await page.getByRole("button", { name: "Sign in again" }).click();
    await over.waitFor({ state: "detached" });
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/console/jobs?state=FAILED");
    await pages.closeAll();
    pages.expectComplaints(/net::ERR_EMPTY_RESPONSE|status of 40[01]/);
  });

  test("is asked for consent when signing in with offline access, but not after a reload", async () => {
    await start(READER, "openid offline_access");
    const page = await pages.page(`${controller.rest}/console/tenant`);
    const prompts: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/auth") prompts.push(searchParams.get("prompt"));
    });
    await signIn(page);
    await page.getByText("alice · acme").waitFor();
    await page.reload();
    await page.getByText("alice · acme").waitFor();
    assert.equal(new URL(page.url()).pathname, "/console/tenant");
    assert.deepEqual(prompts, ["consent", null]);
  });
});

test("a reader is offered no changes, and cannot open another tenant's job", async () => {
  const anothers = await jobOfDev();
  await start(READER);
  const page = await pages.page(`${controller.rest}/console/jobs`);
  await signIn(page);
  await page.getByText("No jobs yet").waitFor();
  assert.equal(await page.getByRole("button", { name: "Submit jobs" }).count(), 0);
  await page.goto(`${controller.rest}/console/jobs/${anothers}`);
  await page.getByRole("heading", { name: "Access denied" }).waitFor();
  await page.getByText("WRONG_TENANT").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  pages.expectComplaints(/status of 403/);
});

/** An existing job of another tenant. */
async function jobOfDev(): Promise<string> {
  await using before = await ControllerProcess.start({ dataDir });
  const pair = { reference: join(dataDir, "r.mp4"), distorted: join(dataDir, "d.mp4") };
  return (await (await JobsClient.of(before)).submit(pair)).body.id;
}

test("shows a caller without a role which roles there are", async () => {
  await start({ claims: { tid: "acme" } });
  const page = await pages.page(`${controller.rest}/console/`);
  await signIn(page);
  await page.getByRole("heading", { name: "You have no role" }).waitFor();
  await page.getByText("svc:reader").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test("reports a refusal of the provider, and a forged response signs nobody in", async () => {
  await start(READER);
  provider.denies = true;
  const page = await pages.page(`${controller.rest}/console/`);
  await signIn(page);
  await page.getByText("Sign-in failed: The person said no").waitFor();
  await page.goto(`${controller.rest}/console/?code=forged&state=forged`);
  await page.getByText("Sign-in failed").waitFor();
  assert.equal(new URL(page.url()).search, "", "the forged parameters are removed");
});

test("explains how to configure an identity provider if there is none", async () => {
  provider = await PeopleProvider.open(READER);
  controller = await ControllerProcess.start({
    console: true,
    dataDir,
    auth: ["--jwks-endpoint", provider.jwksEndpoint, "--auth-issuer", provider.issuer],
  });
  const page = await pages.page(`${controller.rest}/console/`);
  await page.getByText("--console-oidc-issuer").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});
