/** A real `svc up` with its console, a browser, and a scored job of ten seconds of video. */
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { Pages } from "./browser.ts";

export const SCENE = { width: 160, height: 90, frames: 250 };

export class ScoredJob implements AsyncDisposable {
  readonly up: ControllerProcess;
  readonly jobs: JobsClient;
  readonly pages: Pages;
  readonly id: string;
  readonly #directory: MediaDirectory;

  private constructor(up: ControllerProcess, jobs: JobsClient, pages: Pages, id: string, at: MediaDirectory) {
    this.up = up;
    this.jobs = jobs;
    this.pages = pages;
    this.id = id;
    this.#directory = at;
  }

  /** `args`: additional flags of `svc up`. */
  static async open(args: readonly string[] = []): Promise<ScoredJob> {
    const directory = await MediaDirectory.open();
    const pair = {
      reference: await pristine(directory, "reference.y4m", SCENE),
      distorted: await encode(directory, "distorted.mp4", SCENE, LOSSY.h264),
    };
    const up = await ControllerProcess.up({ args, console: true, dataDir: directory.file("data") });
    const jobs = await JobsClient.of(up);
    const pages = await Pages.open();
    const spec = { ...pair, name: "ten seconds", features: ["psnr"], labels: { title: "trailer" } };
    const { id } = (await jobs.submit(spec)).body;
    await jobs.settled(id);
    return new ScoredJob(up, jobs, pages, id, directory);
  }

  /** The URL of the job's page, with a query. */
  url(query = ""): string {
    return `${this.up.rest}/console/jobs/${this.id}${query}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.pages[Symbol.asyncDispose]();
    } finally {
      await this.up[Symbol.asyncDispose]();
      await this.#directory.remove();
    }
  }
}
