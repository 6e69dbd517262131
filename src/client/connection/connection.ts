/** A gRPC connection to a controller: typed calls with a deadline, which fail with Failure. */
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Client, type ClientUnaryCall, logVerbosity, Metadata, setLogVerbosity } from "@grpc/grpc-js";
import { methodDefinitionOf } from "../../messages/definition.ts";
import { Failure } from "../../platform/failure.ts";
import type { KeepAliveLimits } from "../../platform/net/keep-alive.ts";
import { currentSpan } from "../../platform/observability/span.ts";
import { TRACEPARENT, traceparentOf } from "../../platform/observability/trace-context.ts";
import { failureOf, isProtocolError, speaksHttp } from "./failure.ts";
import { speaksHttp1 } from "./http-probe.ts";
import { SocketCredentials } from "./socket-credentials.ts";
import type { Tls } from "./tls.ts";

// grpc-js would write to stderr next to the log. The calls report errors.
setLogVerbosity(logVerbosity.NONE);

const CHANNEL = {
  /** Nobody reads the records that channelz keeps of every call. */
  "grpc.enable_channelz": 0,
  /**
   * A separate connection: otherwise channels of a process to the same address share one, and its limit of concurrent
   * calls.
   */
  "grpc.use_local_subchannel_pool": 1,
  /** Reconnects to a restarted controller within about a second: leases of a few seconds survive that. */
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1_000,
  /** Bytes. A comparison of 2,000 cells by many metrics is larger than the default of 4 MiB. */
  "grpc.max_receive_message_length": 32 * 1024 * 1024,
} as const;

/**
 * Detects within 5 + 5 s, even during a long call, that a peer disappeared without closing its connection.
 */
const KEEP_ALIVE: KeepAliveLimits = { everyMs: 5_000, timeoutMs: 5_000 };

/** Default timeout of a call in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

export interface ConnectionOptions {
  /** "host:port" */
  readonly address: string;
  /** undefined: no TLS. */
  readonly tls?: Tls | undefined;
  /** Returns the bearer token. Called for every call, so the token may change; undefined: no token is sent. */
  readonly token?: (() => Promise<string | undefined>) | undefined;
  /** Called with a token that a call was refused for. */
  readonly onRefused?: ((token: string) => void) | undefined;
  /** Default: KEEP_ALIVE. */
  readonly keepAlive?: KeepAliveLimits | undefined;
}

export interface CallOptions {
  /** Cancels the call, which then throws SCORE_CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. Default: 30,000 for a unary call, no limit for a stream. */
  readonly timeoutMs?: number | undefined;
}

export class Connection implements Disposable {
  readonly address: string;
  readonly #client: Client;
  readonly #token: () => Promise<string | undefined>;
  readonly #onRefused: (token: string) => void;

  /** Connects on the first call, and reconnects after every loss. */
  constructor(options: ConnectionOptions) {
    const { address, tls, keepAlive = KEEP_ALIVE } = options;
    const { token = async () => undefined, onRefused = () => {} } = options;
    this.address = address;
    this.#client = new Client(address, new SocketCredentials(tls, keepAlive), CHANNEL);
    this.#token = token;
    this.#onRefused = onRefused;
  }

  /** Calls a unary method, such as `JobService.method.getJob`. Throws Failure. */
  async call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: CallOptions = {},
  ): Promise<MessageShape<Output>> {
    const deadline = Date.now() + timeoutMs;
    const token = await this.#tokenWithin(timeoutMs, signal);
    throwIfCancelled(signal);
    const { path, requestSerialize, responseDeserialize } = methodDefinitionOf(method);
    const message = create(method.input, request);
    const { promise, resolve, reject } = Promise.withResolvers<MessageShape<Output>>();
    const call: ClientUnaryCall = this.#client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      message,
      metadataOf(token),
      { deadline },
      (error, response) => (error || response === undefined ? reject(error) : resolve(response)),
    );
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel);
    try {
      return await promise;
    } catch (error) {
      throw await this.#failureOf(error, token, signal);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /**
   * Calls a server-streaming method. If the caller stops reading, the server is slowed down; leaving the loop ends the
   * call. Throws Failure.
   */
  async *stream<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodServerStreaming<Input, Output>,
    request: MessageInitShape<Input>,
    { signal, timeoutMs = Number.POSITIVE_INFINITY }: CallOptions = {},
  ): AsyncGenerator<MessageShape<Output>, void, undefined> {
    const deadline = Date.now() + timeoutMs;
    const token = await this.#tokenWithin(Math.min(timeoutMs, DEFAULT_TIMEOUT_MS), signal);
    throwIfCancelled(signal);
    const { path, requestSerialize, responseDeserialize } = methodDefinitionOf(method);
    const message = create(method.input, request);
    const options = { deadline };
    const call = this.#client.makeServerStreamRequest<typeof message, MessageShape<Output>>(
      path,
      requestSerialize,
      responseDeserialize,
      message,
      metadataOf(token),
      options,
    );
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel);
    try {
      yield* call;
    } catch (error) {
      throw await this.#failureOf(error, token, signal);
    } finally {
      signal?.removeEventListener("abort", cancel);
      // Cancelling makes the call emit another error, which nobody awaits.
      call.on("error", () => {});
      call.cancel();
    }
  }

  /** Closes the connection; calls under way fail. */
  [Symbol.dispose](): void {
    this.#client.close();
  }

  async #failureOf(
    error: unknown,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Failure> {
    const failure = failureOf(error, this.address, signal);
    if (failure.kind === "unauthenticated" && token !== undefined) this.#onRefused(token);
    const isOther = isProtocolError(error) && !signal?.aborted && (await speaksHttp1(this.address));
    return isOther ? speaksHttp(this.address, error) : failure;
  }

  /**
   * Returns the token. Throws if the call is cancelled or `limitMs` pass first: it may have to be fetched from a
   * provider.
   */
  async #tokenWithin(limitMs: number, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const cancel = () => reject(cancelled());
    const late = () => reject(new Failure("SERVER_UNREACHABLE", "No token was available in time."));
    const timer = setTimeout(late, limitMs);
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    try {
      return await Promise.race([ended, this.#token()]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }
}

function metadataOf(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const span = currentSpan();
  if (span !== undefined) metadata.set(TRACEPARENT, traceparentOf(span.context));
  return metadata;
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

function cancelled(): Failure {
  return new Failure("SCORE_CANCELLED", "The call was cancelled.");
}
