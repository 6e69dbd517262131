/** A node as the controller sees it: calls the operations, but scores nothing. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Principal } from "../../src/auth/principal.ts";
import type { CallContext, NodeOperations } from "../../src/controller/api/operations.ts";
import {
  HeartbeatRequestSchema,
  type HeartbeatResponse,
  MediaAccess_Side,
  PullWorkRequestSchema,
  RegisterNodeRequestSchema,
  ReportResultRequestSchema,
  SignTitleObjectsRequestSchema,
  type SignTitleObjectsResponse,
  type WorkItem,
} from "../../src/gen/proto/svc/v1/node_pb.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";
import { CAPABILITIES, planReport, segmentReport } from "./scored.ts";

const NEVER = new AbortController().signal;

export function caller(tenant: string, signal = NEVER): CallContext {
  const principal: Principal = { tenant, subject: `user of ${tenant}`, roles: ["svc:admin"] };
  return { requestId: randomUUID(), principal, signal };
}

type Report = NonNullable<MessageInitShape<typeof ReportResultRequestSchema>["report"]>;

/** Overrides of the usual registration. */
interface Registration {
  readonly name?: string;
  readonly slots?: number;
  readonly capabilities?: typeof CAPABILITIES & {
    readonly stills?: boolean;
    readonly clips?: boolean;
    readonly diagnoses?: boolean;
    readonly titles?: boolean;
    readonly storedTitles?: boolean;
  };
}

export class Peer {
  readonly nodeId: string;
  readonly session: string;
  readonly #nodes: NodeOperations;
  readonly #tenant: string;

  private constructor(nodes: NodeOperations, tenant: string, nodeId: string, session: string) {
    this.#nodes = nodes;
    this.#tenant = tenant;
    this.nodeId = nodeId;
    this.session = session;
  }

  static async register(nodes: NodeOperations, tenant: string, over: Registration = {}): Promise<Peer> {
    const request = create(RegisterNodeRequestSchema, {
      name: `node ${randomUUID()}`,
      slots: 4,
      capabilities: CAPABILITIES,
      ...over,
    });
    const { nodeId, session } = await nodes.registerNode(request, caller(tenant));
    return new Peer(nodes, tenant, nodeId, session);
  }

  /** The same session at another controller. */
  static at(nodes: NodeOperations, tenant: string, { nodeId, session }: Peer): Peer {
    return new Peer(nodes, tenant, nodeId, session);
  }

  /** The same session used by another tenant. */
  as(tenant: string): Peer {
    return new Peer(this.#nodes, tenant, this.nodeId, this.session);
  }

  async pull(waitMs = 0, signal = NEVER): Promise<WorkItem | undefined> {
    const request = create(PullWorkRequestSchema, { session: this.session, waitMs });
    return (await this.#nodes.pullWork(request, caller(this.#tenant, signal))).item;
  }

  /** Pulls a task that must be available at once. */
  async pullNow(): Promise<WorkItem> {
    return (await this.pull()) ?? assert.fail("there is no task");
  }

  /** Pulls until there is a task. */
  async pullSome(): Promise<WorkItem> {
    const giveUp = Date.now() + WAIT_LIMIT_MS;
    for (;;) {
      const item = await this.pull(60_000);
      if (item !== undefined) return item;
      assert.ok(Date.now() < giveUp, "there is no task");
    }
  }

  async report({ itemId, attempt }: Pick<WorkItem, "itemId" | "attempt">, report: Report): Promise<void> {
    const { session } = this;
    const request = create(ReportResultRequestSchema, { session, itemId, attempt, report });
    await this.#nodes.reportResult(request, caller(this.#tenant));
  }

  /** Plans a pair with this number of frames, in segments of about `length`. */
  async plan(item: WorkItem, frames: number, length?: number): Promise<void> {
    assert.equal(item.work.case, "plan");
    await this.report(item, { case: "plan", value: planReport(frames, length) });
  }

  /** Scores a segment, or all `frames`, and reports what was `found` in it. */
  async score(
    item: WorkItem,
    frames: number,
    found: Parameters<typeof segmentReport>[3] = {},
  ): Promise<void> {
    const { work } = item;
    assert.ok(work.case === "segment");
    const value = segmentReport(work.value.segment, frames, undefined, found);
    await this.report(item, { case: "segment", value });
  }

  /** Asks for URLs of objects of the title that is the distorted video of a task. */
  async signed(
    { itemId, attempt }: Pick<WorkItem, "itemId" | "attempt">,
    paths: readonly string[],
    over: MessageInitShape<typeof SignTitleObjectsRequestSchema> = {},
  ): Promise<SignTitleObjectsResponse> {
    const asked = { session: this.session, itemId, attempt, side: MediaAccess_Side.DISTORTED };
    const request = create(SignTitleObjectsRequestSchema, { ...asked, paths: [...paths], ...over });
    return this.#nodes.signTitleObjects(request, caller(this.#tenant));
  }

  heartbeat(
    over: MessageInitShape<typeof HeartbeatRequestSchema> = {},
    signal = NEVER,
  ): Promise<HeartbeatResponse> {
    const request = create(HeartbeatRequestSchema, { session: this.session, ...over });
    return this.#nodes.heartbeat(request, caller(this.#tenant, signal));
  }

  /** Returns the first response to a heartbeat with a notification, however long that takes. */
  async notifications(signal: AbortSignal): Promise<HeartbeatResponse> {
    for (;;) {
      const answer = await this.heartbeat({ holdMs: 20_000 }, signal);
      if (answer.stop.length > 0 || answer.drain) return answer;
    }
  }

  /** Sends heartbeats until the returned function is called. */
  beat(): () => Promise<void> {
    const ends = new AbortController();
    const beating = (async () => {
      while (!ends.signal.aborted) await this.heartbeat({ holdMs: 20_000 }, ends.signal);
    })().catch((error: unknown) => {
      if (!ends.signal.aborted) throw error;
    });
    return async () => {
      ends.abort();
      await beating;
    };
  }

  /** Does all available tasks of pairs with this number of frames; returns how many. */
  async work(frames: number, length?: number): Promise<number> {
    for (let done = 0; ; done++) {
      const item = await this.pull();
      if (item === undefined) return done;
      if (item.work.case === "plan") await this.plan(item, frames, length);
      else await this.score(item, frames);
    }
  }
}
