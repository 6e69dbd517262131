/** Statistics of gRPC calls as seen by their callers: counts, latencies and error codes. */
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type CallOptions, Connection } from "../../src/client/connection/connection.ts";
import { Failure } from "../../src/platform/failure.ts";
import { percentile } from "../flight.ts";

export class Calls {
  #took = new Map<string, number[]>();
  #failures = new Map<string, number>();

  /** Discards all statistics. */
  reset(): void {
    this.#took = new Map();
    this.#failures = new Map();
  }

  /** Records a response. `ms` excludes the time that the call may be held. */
  answered(method: string, ms: number): void {
    const took = this.#took.get(method);
    if (took === undefined) this.#took.set(method, [ms]);
    else took.push(ms);
  }

  failed(method: string, code: string): void {
    const what = `${method} ${code}`;
    this.#failures.set(what, (this.#failures.get(what) ?? 0) + 1);
  }

  count(method: string): number {
    return this.#took.get(method)?.length ?? 0;
  }

  /** Returns "median 1.2 ms, p99 3.4 ms (57)". */
  latency(method: string): string {
    const took = this.#took.get(method) ?? [];
    const [median, most] = [0.5, 0.99].map((share) => percentile(took, share).toFixed(1));
    return `median ${median} ms, p99 ${most} ms (${took.length})`;
  }

  /** "3 Heartbeat SERVER_UNREACHABLE", or "none". */
  get failures(): string {
    return [...this.#failures].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  }
}

/** A connection that counts its calls, except those that their caller aborts. */
export class CountedConnection extends Connection {
  readonly #calls: Calls;

  constructor(address: string, calls: Calls) {
    super({ address });
    this.#calls = calls;
  }

  override async call<Input extends DescMessage, Output extends DescMessage>(
    method: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    options: CallOptions = {},
  ): Promise<MessageShape<Output>> {
    const began = performance.now();
    try {
      const response = await super.call(method, request, options);
      const { holdMs = 0 } = request as { readonly holdMs?: number };
      this.#calls.answered(method.name, performance.now() - began - holdMs);
      return response;
    } catch (thrown) {
      if (options.signal?.aborted !== true) this.#calls.failed(method.name, Failure.from(thrown).code);
      throw thrown;
    }
  }
}

/** Returns the "host:port" addresses in random order, like a Service that connects to any of them. */
export function anyOf(addresses: readonly string[]): string {
  const order = addresses.map((address) => ({ address, at: Math.random() })).sort((a, b) => a.at - b.at);
  return listOf(order.map(({ address }) => address));
}

/** Returns the addresses as a gRPC target, starting with one of them; the next is tried if one is down. */
export function firstOf(addresses: readonly string[], index: number): string {
  const at = index % addresses.length;
  return listOf([...addresses.slice(at), ...addresses.slice(0, at)]);
}

function listOf(addresses: readonly string[]): string {
  return `ipv4:${addresses.join(",")}`;
}
