/** The node under test: a real one with a real engine, in this process, and the film that it scores. */
import assert from "node:assert/strict";
import { Registry } from "prom-client";
import { Connection } from "../../src/client/connection/connection.ts";
import type { WorkEngine } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { decodeRows } from "../../src/engine/frames/codec.ts";
import { openEngine } from "../../src/engine/open.ts";
import type { PlanReport, ReportResultRequest, WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { Node, type NodeOptions } from "../../src/worker/node.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { GatedScorer } from "../media/gated-scorer.ts";
import { until } from "../waiting.ts";
import type { Peer } from "./peer.ts";
import { slowScorer } from "./slow-scorer.ts";

/** At 25 frames per second: three segments of about a second. */
const FILM = { ...SCENE, frames: 70 };
/** So long that the slow scorer takes minutes and can be observed while it runs. */
const LONG = { ...SCENE, width: 640, height: 360, frames: 900 };

export interface Pair {
  readonly reference: string;
  readonly distorted: string;
}

export class NodeFixture {
  readonly media: MediaDirectory;
  readonly engine: Engine;
  readonly film: Pair;
  readonly long: Pair;
  /** Scores once the gate is opened. */
  readonly gate: GatedScorer;
  /** Path of a scorer that runs for minutes. */
  readonly slow: string;
  readonly #gated: Engine;
  readonly #slow: Engine;

  private constructor(
    parts: Pick<NodeFixture, "media" | "engine" | "film" | "long" | "gate" | "slow">,
    gated: Engine,
    slow: Engine,
  ) {
    this.media = parts.media;
    this.engine = parts.engine;
    this.film = parts.film;
    this.long = parts.long;
    this.gate = parts.gate;
    this.slow = parts.slow;
    this.#gated = gated;
    this.#slow = slow;
  }

  static async open(): Promise<NodeFixture> {
    const media = await MediaDirectory.open();
    const film = {
      reference: await pristine(media, "reference.y4m", FILM),
      distorted: await encode(media, "distorted.mp4", FILM, LOSSY.h264),
    };
    const long = {
      reference: await encode(media, "long-reference.mp4", LONG, LOSSY.h264),
      distorted: await encode(media, "long-distorted.mp4", LONG, LOSSY.mpeg4),
    };
    const gate = await GatedScorer.make(media);
    const slow = await slowScorer(media);
    const engine = await openEngine({ threads: 1 });
    const gated = await openEngine({ threads: 1, scorerPath: gate.path });
    const paced = await openEngine({ threads: 1, scorerPath: slow });
    return new NodeFixture({ media, engine, film, long, gate, slow }, gated, paced);
  }

  /** A node that has registered with a peer; `gated`: its scorer waits at the gate; `slow`: it runs for minutes. */
  async node(peer: Peer, { slots = 1, gated = false, slow = false } = {}): Promise<RunningNode> {
    const engine = gated ? this.#gated : slow ? this.#slow : this.engine;
    const node = new RunningNode(peer.address, engine, slots);
    const before = peer.registrations.length;
    node.node.start();
    await peer.until(() => peer.registrations.length > before, "the registration");
    return node;
  }

  /** The plan of a pair as the node reports it. */
  async plan(peer: Peer, pair: Pair): Promise<PlanReport> {
    const item = peer.offer(planWork(pair));
    const report = await peer.reported(item);
    assert.equal(report.case, "plan");
    return report.value;
  }

  /** Waits until a scorer of this process runs. */
  scorerRuns(): Promise<void> {
    return until(
      async () => (await this.media.processes()).some((command) => command.includes("libvmaf")),
      "a scorer to run",
    );
  }

  /** Waits until no program runs here anymore. */
  scorerGone(): Promise<void> {
    return until(async () => (await this.media.processes()).length === 0, "the scorer to be gone");
  }

  async close(): Promise<void> {
    await this.media.remove();
  }
}

export class RunningNode implements AsyncDisposable {
  readonly node: Node;
  readonly registry = new Registry();
  readonly #connection: Connection;

  /** `media`: where titles are read, and kept. */
  constructor(
    address: string,
    engine: WorkEngine,
    slots: number,
    media: Pick<NodeOptions, "mediaRoots" | "mediaCache"> = {
      mediaRoots: undefined,
      mediaCache: { directory: "/nonexistent", maxBytes: 0 },
    },
  ) {
    this.#connection = new Connection({ address, token: async () => "a.test.token" });
    this.node = new Node({
      connection: this.#connection,
      opening: { started: Promise.resolve(), engine },
      name: "test-node",
      slots,
      timeoutMs: 600_000,
      version: "1.2.3",
      ...media,
      metrics: new NodeMetrics(this.registry),
      log: openLog({ level: "silent", format: "json" }),
    });
  }

  /** Waits for this number of tasks with this outcome. */
  ended(kind: string, outcome: string, count = 1): Promise<void> {
    return until(async () => (await this.#ended(kind, outcome)) === count, `${count} ${kind} ${outcome}`);
  }

  /** Waits until a task has an outcome and no other runs. */
  finished(): Promise<void> {
    return until(async () => {
      const running = await this.registry.getSingleMetric("svc_node_running")?.get();
      const done = await this.registry.getSingleMetric("svc_node_item_duration_seconds")?.get();
      return running?.values[0]?.value === 0 && (done?.values.length ?? 0) > 0;
    }, "the task to be finished");
  }

  /** Waits until the node has noticed that its controller is down. */
  lost(): Promise<void> {
    return until(async () => {
      const connected = await this.registry.getSingleMetric("svc_node_connected")?.get();
      return connected?.values[0]?.value === 0;
    }, "the node to lose its controller");
  }

  async #ended(kind: string, outcome: string): Promise<number> {
    const counted = await this.registry.getSingleMetric("svc_node_items_total")?.get();
    const same = counted?.values.find(
      ({ labels }) => labels["kind"] === kind && labels["outcome"] === outcome,
    );
    return same?.value ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node.stop();
    this.#connection[Symbol.dispose]();
  }
}

export function planWork({ reference, distorted }: Pair, segmentSeconds = 1) {
  return { request: { reference, distorted }, work: { case: "plan", value: { segmentSeconds } } } as const;
}

/** A task for one segment of a plan; without one: for the whole pair. */
export function segmentWork({ reference, distorted }: Pair, { plan, segments }: PlanReport, index?: number) {
  const segment = index === undefined ? "" : (segments[index]?.segment ?? "");
  return { request: { reference, distorted }, work: { case: "segment", value: { plan, segment } } } as const;
}

/** A task for stills of frames of some segments; "" is the whole pair. */
export function stillsWork(
  { reference, distorted }: Pair,
  plan: string,
  parts: { segment: string; frames: number[] }[],
) {
  return { request: { reference, distorted }, work: { case: "stills" as const, value: { plan, parts } } };
}

/** The scores of a scored segment, from all its chunks. */
export function rowsOf(reports: readonly ReportResultRequest[], { itemId }: Pick<WorkItem, "itemId">) {
  const pieces = reports
    .filter((one) => one.itemId === itemId)
    .map(({ report }) =>
      report.case === "segment" ? report.value.last : report.case === "piece" ? report.value : undefined,
    );
  return pieces.flatMap((piece, number) => {
    assert.ok(piece, "a chunk or the segment's report");
    assert.equal(piece.number, number, "chunks are numbered from 0");
    const rows = [...decodeRows(piece.rows).rows()];
    assert.equal(rows.length, piece.rowCount);
    return rows;
  });
}
