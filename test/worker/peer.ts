/**
 * A test controller as nodes see it: a real gRPC server of NodeService that hands out given tasks, keeps the reports,
 * and can be shut off and restarted on its port.
 */
import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { type handleUnaryCall, Server, ServerCredentials, type ServerUnaryCall } from "@grpc/grpc-js";
import {
  type HeartbeatRequest,
  HeartbeatResponseSchema,
  NodeService,
  type PullWorkRequest,
  PullWorkResponseSchema,
  type RegisterNodeRequest,
  RegisterNodeResponseSchema,
  type ReportResultRequest,
  ReportResultResponseSchema,
  type WorkItem,
  WorkItemSchema,
} from "../../src/gen/proto/svc/v1/node_pb.ts";
import { statusOf } from "../../src/grpc/status.ts";
import { definitionOf } from "../../src/messages/definition.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { freePort } from "../server/free-port.ts";
import { withTimeout } from "../waiting.ts";

type Running = Pick<HeartbeatRequest["running"][number], "itemId" | "attempt">;

export class Peer implements AsyncDisposable {
  readonly registrations: RegisterNodeRequest[] = [];
  readonly heartbeats: HeartbeatRequest[] = [];
  readonly reports: ReportResultRequest[] = [];
  /** Every call in order of arrival: "heartbeat", "report", … */
  readonly calls: string[] = [];
  /** The authorization headers received. */
  readonly tokens = new Set<string>();
  /** Code with which calls with an authorization header are refused; undefined: they are accepted. */
  judge: (token: string) => FailureCode | undefined = () => undefined;
  /** Live sessions; the last one is the node's. */
  readonly sessions: string[] = [];
  /** Answers reports in turn with these failures, while there are any. */
  readonly refusals: FailureCode[] = [];
  /** Asks every node to drain. */
  drain = false;
  leaseMs = 30_000;
  /** The code that ends a session at its next call. */
  over: FailureCode | undefined;
  /** Drops the response to the next report: it is recorded, then the connection is closed. */
  loseAnswer = false;
  readonly port: number;
  #server: Server | undefined;
  readonly #work: WorkItem[] = [];
  readonly #stop: Running[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(port: number) {
    this.port = port;
  }

  static async open(): Promise<Peer> {
    const peer = new Peer(await freePort());
    await peer.listen();
    return peer;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Listens on its port, the same one each time. */
  async listen(): Promise<void> {
    const server = new Server();
    server.addService(definitionOf(NodeService), {
      registerNode: this.#unary("register", (call) => this.#register(call)),
      heartbeat: this.#unary("heartbeat", (call) => this.#heartbeat(call)),
      pullWork: this.#unary("pull", (call) => this.#pull(call)),
      reportResult: this.#unary("report", (call) => this.#report(call)),
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.bindAsync(this.address, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
    await withTimeout(promise, "the peer's port");
    this.#server = server;
  }

  /** Stops like a controller that was killed: every connection ends at once. */
  cut(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.#changed();
  }

  /** Hands a task to the next pull; returns it. */
  offer(init: MessageInitShape<typeof WorkItemSchema>): WorkItem {
    const item = create(WorkItemSchema, {
      itemId: randomUUID(),
      jobId: randomUUID(),
      tenantId: "dev",
      attempt: 1,
      ...init,
    });
    this.#work.push(item);
    this.#changed();
    return item;
  }

  /** Number of tasks that were not pulled. */
  get left(): number {
    return this.#work.length;
  }

  /** Asks the node at once to stop a task. */
  stopWork({ itemId, attempt }: Running): void {
    this.#stop.push({ itemId, attempt });
    this.#changed();
  }

  askToDrain(): void {
    this.drain = true;
    this.#changed();
  }

  endSession(code: FailureCode): void {
    this.over = code;
    this.#changed();
  }

  /** Waits until a condition holds; checks it at every call that arrives. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (holds()) resolve();
    };
    this.#waiting.add(look);
    look();
    await withTimeout(promise, what).finally(() => this.#waiting.delete(look));
  }

  /** The report that ends a task. */
  async reported({ itemId }: Pick<WorkItem, "itemId">): Promise<ReportResultRequest["report"]> {
    const find = () => this.reports.find((one) => one.itemId === itemId && one.report.case !== "piece");
    await this.until(() => find() !== undefined, "a report");
    return find()?.report ?? { case: undefined };
  }

  /** Waits for a heartbeat with a running task that has reached this progress. */
  running({ itemId }: Pick<WorkItem, "itemId">, framesDone = 0): Promise<void> {
    const runs = ({ running }: HeartbeatRequest) =>
      running.some((work) => work.itemId === itemId && work.framesDone >= framesDone);
    return this.until(() => this.heartbeats.some(runs), "a heartbeat with a running task");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
  }

  #changed(): void {
    for (const look of this.#waiting) look();
  }

  #unary<Request, Response>(
    name: string,
    answer: (call: ServerUnaryCall<Request, Response>) => Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    return (call, callback) => {
      this.calls.push(name);
      const refusal = this.#refusal(call);
      (refusal === undefined ? answer(call) : Promise.reject(refusal)).then(
        (response) => callback(null, response),
        (thrown: unknown) => callback(statusOf(thrown)),
      );
      this.#changed();
    };
  }

  #refusal({ metadata }: Pick<ServerUnaryCall<unknown, unknown>, "metadata">): Failure | undefined {
    const [token] = metadata.get("authorization").map(String);
    if (token === undefined) return undefined;
    this.tokens.add(token);
    const code = this.judge(token);
    return code === undefined ? undefined : new Failure(code, "as the test wants");
  }

  async #register({ request }: ServerUnaryCall<RegisterNodeRequest, unknown>) {
    this.registrations.push(request);
    const session = randomUUID();
    this.sessions.push(session);
    this.over = undefined;
    return create(RegisterNodeResponseSchema, { nodeId: randomUUID(), session, leaseMs: this.leaseMs });
  }

  async #heartbeat(call: ServerUnaryCall<HeartbeatRequest, unknown>) {
    const { request } = call;
    this.heartbeats.push(request);
    const stop = () =>
      request.running.filter((work) =>
        this.#stop.some((one) => one.itemId === work.itemId && one.attempt === work.attempt),
      );
    const news = () => stop().length > 0 || (this.drain && !request.draining) || this.#isOver(request);
    await this.#held(call, news, request.leaving ? 0 : request.holdMs);
    this.#check(request);
    return create(HeartbeatResponseSchema, { stop: stop(), drain: this.drain });
  }

  async #pull(call: ServerUnaryCall<PullWorkRequest, unknown>) {
    const { request } = call;
    await this.#held(call, () => this.#work.length > 0 || this.#isOver(request), request.waitMs);
    this.#check(request);
    const item = call.cancelled ? undefined : this.#work.shift();
    return create(PullWorkResponseSchema, item && { item });
  }

  async #report({ request }: ServerUnaryCall<ReportResultRequest, unknown>) {
    const refusal = this.refusals.shift();
    if (refusal !== undefined) throw new Failure(refusal, "as the test wants");
    this.#check(request);
    this.reports.push(request);
    if (this.loseAnswer) {
      this.loseAnswer = false;
      this.cut();
    }
    return create(ReportResultResponseSchema, {});
  }

  #isOver({ session }: { readonly session: string }): boolean {
    return this.over !== undefined || session !== this.sessions.at(-1);
  }

  #check(request: { readonly session: string }): void {
    if (this.#isOver(request)) throw new Failure(this.over ?? "SESSION_UNKNOWN", "The session is over.");
  }

  /** Holds a call until there is a notification, its time has elapsed or its caller disconnected. */
  async #held(
    call: Pick<ServerUnaryCall<unknown, unknown>, "cancelled" | "once">,
    news: () => boolean,
    ms: number,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (news() || call.cancelled) resolve();
    };
    const timer = setTimeout(resolve, ms);
    call.once("cancelled", resolve);
    this.#waiting.add(look);
    look();
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(look);
  }
}
