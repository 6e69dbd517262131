/**
 * npm run screenshots: takes screenshots of every console page for docs/console/, from a real service with real jobs:
 * two encoding ladders of one reference, with four bit rates each. Takes a few minutes.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { awaitJobs } from "../src/cli/jobs/wait.ts";
import { Connection } from "../src/client/connection/connection.ts";
import { Job_State, JobService } from "../src/gen/proto/svc/v1/job_pb.ts";
import { Pages } from "../test/console/browser.ts";
import { ffmpeg } from "../test/media/ffmpeg.ts";
import { makePair } from "./demo/sample.ts";
import { startService } from "./demo/service.ts";

const OUT = join(import.meta.dirname, "../docs/console");
const LADDERS = { veryfast: "x264 veryfast", medium: "x264 medium" } as const;
/** kbit/s. */
const RATES = [500, 1000, 2000, 4000];
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Selector to wait for before the screenshot: the last element to appear. */
  readonly until: string;
  readonly dark?: boolean;
  readonly phone?: boolean;
  readonly act?: (page: Page) => Promise<void>;
}

/** Scores both ladders. Returns the ids of the jobs, ladder by ladder. */
async function scored(server: string, folder: string, signal: AbortSignal): Promise<string[]> {
  const { reference } = await makePair(folder, signal, () => {});
  const jobs = [];
  for (const [preset, name] of Object.entries(LADDERS)) {
    for (const rate of RATES) {
      const distorted = join(folder, `${preset}-${rate}.mp4`);
      await ffmpeg(["-i", reference, "-c:v", "libx264", "-preset", preset, "-b:v", `${rate}k`, distorted]);
      jobs.push({ job: { reference, distorted, name: `${name} ${rate}k`, labels: { ladder: preset } } });
    }
  }
  using connection = new Connection({ address: server });
  const stored = await connection.call(JobService.method.submitJobs, { jobs }, { signal });
  const ids = stored.jobs.map(({ job }) => job?.id ?? "");
  const ended = await awaitJobs(connection, ids, {}, signal);
  if (ended.some((job) => job?.state !== Job_State.SUCCEEDED)) throw new Error("a job did not succeed");
  return ids;
}

function shotsOf(ids: readonly string[]): readonly Shot[] {
  const [first = "", ...others] = ids;
  const compared = ids.map((id, place) => `${place < RATES.length ? "a" : "b"}=${id}`).join("&");
  // A dash marks a value that is not computed yet.
  const loaded = (page: Page) =>
    page.locator("table.compared tbody tr", { hasText: "–" }).first().waitFor({ state: "detached" });
  const press = (name: string) => (page: Page) => page.getByRole("button", { name }).click();
  return [
    { name: "jobs", path: "jobs", until: "text=Live" },
    { name: "jobs-phone", path: "jobs", until: "text=Live", phone: true, dark: true },
    { name: "job", path: `jobs/${first}`, until: ".still-viewer img" },
    {
      name: "job-dark",
      path: `jobs/${others[0] ?? ""}?threshold=80`,
      until: ".still-viewer img",
      dark: true,
    },
    { name: "wipe", path: `jobs/${first}`, until: ".still-viewer img", act: press("Wipe") },
    {
      name: "difference",
      path: `jobs/${first}`,
      until: ".still-viewer img",
      dark: true,
      act: press("Difference"),
    },
    { name: "compare", path: `compare?${compared}`, until: "text=BD-score", act: loaded },
    { name: "nodes", path: "nodes", until: "text=/slots? busy/" },
    { name: "tenant", path: "tenant", until: "text=NodeService/RegisterNode", dark: true },
  ];
}

async function take(pages: Pages, rest: string, shot: Shot): Promise<void> {
  const { name, path, until, dark = false, phone = false, act } = shot;
  const page = await pages.page(`${rest}/console/${path}`, {
    viewport: phone ? PHONE : WIDE,
    colorScheme: dark ? "dark" : "light",
  });
  await page.locator(until).first().waitFor();
  await act?.(page);
  await page.waitForLoadState("load");
  await page.screenshot({ path: join(OUT, `${name}.jpg`), fullPage: true, type: "jpeg", quality: 80 });
  await page.context().close();
  process.stdout.write(`docs/console/${name}.jpg\n`);
}

async function main(signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "svc-screenshots-"));
  try {
    await using service = await startService(folder, signal);
    const ids = await scored(service.grpc, folder, signal);
    await using pages = await Pages.open();
    await mkdir(OUT, { recursive: true });
    for (const shot of shotsOf(ids)) await take(pages, service.rest, shot);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
await main(interrupted.signal);
