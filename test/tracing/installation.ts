/** A real controller and a real node that send their traces to a test collector, and a film of three segments. */
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { Collector } from "./collector.ts";

/** At 25 frames per second: three segments of about a second. */
const FILM = { ...SCENE, frames: 70 };

export interface InstallationOptions {
  /** Environment of both processes. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether they get the collector's address; default true. */
  readonly traced?: boolean;
}

export class Installation implements AsyncDisposable {
  readonly collector: Collector;
  readonly controller: ControllerProcess;
  readonly node: SvcProcess;
  readonly jobs: JobsClient;
  readonly pair: { readonly reference: string; readonly distorted: string };
  readonly #media: MediaDirectory;

  private constructor(
    parts: Pick<Installation, "collector" | "controller" | "node" | "jobs" | "pair">,
    media: MediaDirectory,
  ) {
    this.collector = parts.collector;
    this.controller = parts.controller;
    this.node = parts.node;
    this.jobs = parts.jobs;
    this.pair = parts.pair;
    this.#media = media;
  }

  static async open({ args = [], env = {}, traced = true }: InstallationOptions = {}): Promise<Installation> {
    const media = await MediaDirectory.open();
    const pair = {
      reference: await pristine(media, "reference.y4m", FILM),
      distorted: await encode(media, "distorted.mp4", FILM, LOSSY.h264),
    };
    const collector = await Collector.open();
    const tracing = traced ? ["--otlp-endpoint", collector.url, ...args] : args;
    const controller = await ControllerProcess.start({
      dataDir: media.file("data"),
      args: ["--segment-seconds", "1", ...tracing],
      env,
    });
    const node = new SvcProcess("node", {
      args: ["--controller", controller.grpc, "--metrics-port", "0", ...tracing],
      env,
    });
    await node.logged("registered");
    return new Installation(
      { collector, controller, node, jobs: await JobsClient.of(controller), pair },
      media,
    );
  }

  /** Stops the processes, which makes them send their remaining spans. */
  async stop(): Promise<void> {
    await this.node.stop();
    await this.controller.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node[Symbol.asyncDispose]();
    await this.controller[Symbol.asyncDispose]();
    await this.collector[Symbol.asyncDispose]();
    await this.#media.remove();
  }
}
