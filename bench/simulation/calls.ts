/** Calls over gRPC as their callers see them: how many, how long they took, and what they failed with. */
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type CallOptions, Connection } from "../../src/client/connection.ts";
import { Failure } from "../../src/platform/failure.ts";
import { percentile } from "../flight.ts";

export class Calls {
  #took = new Map<string, number[]>();
  #failures = new Map<string, number>();

  /** Forgets all of before. */
  reset(): void {
    this.#took = new Map();
    this.#failures = new Map();
  }

  /** `ms`: beyond the time that the caller let it be held. */
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

  /** "median 1.2 ms, 99 % within 3.4 ms" */
  latency(method: string): string {
    const took = this.#took.get(method) ?? [];
    const [median, most] = [0.5, 0.99].map((share) => percentile(took, share).toFixed(1));
    return `median ${median} ms, 99 % within ${most} ms (${took.length})`;
  }

  /** "3 Heartbeat SERVER_UNREACHABLE", or "none" */
  get failures(): string {
    return [...this.#failures].map(([what, count]) => `${count} ${what}`).join(", ") || "none";
  }
}

/** A connection whose calls are counted; those that their caller ends are not. */
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

/** All of the addresses, "host:port", in an order of chance: as a Service gives a connection to any of them. */
export function anyOf(addresses: readonly string[]): string {
  const order = addresses.map((address) => ({ address, at: Math.random() })).sort((a, b) => a.at - b.at);
  return listOf(order.map(({ address }) => address));
}

/** The addresses with one of them first, as a target of gRPC: the next one is tried when one is gone. */
export function firstOf(addresses: readonly string[], index: number): string {
  const at = index % addresses.length;
  return listOf([...addresses.slice(at), ...addresses.slice(0, at)]);
}

function listOf(addresses: readonly string[]): string {
  return `ipv4:${addresses.join(",")}`;
}
