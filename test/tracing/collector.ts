/** A test collector: receives OTLP over HTTP on loopback and decodes the spans from protobuf. */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { withTimeout } from "../waiting.ts";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root span. */
  readonly parentId: string;
  readonly name: string;
  /** Protocol numbers: 1 INTERNAL, 2 SERVER, 3 CLIENT, 4 PRODUCER, 5 CONSUMER. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  /** Linked spans. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Attributes of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Handles a request; default: status 200 with an empty response. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export class Collector implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly paths: string[] = [];
  answer: Answer = (response) => response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  /** `port`: one that was free a moment ago; default: any. */
  static async open(port = 0): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(port, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Spans of one trace. */
  trace(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Waits for a request, or for spans that match a condition. */
  async until<T>(found: () => T | undefined, what: string): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const look = () => {
      const value = found();
      if (value !== undefined) resolve(value);
    };
    this.#waiting.add(look);
    look();
    return withTimeout(promise, what).finally(() => this.#waiting.delete(look));
  }

  /** Waits for a span. */
  span(is: (span: ReceivedSpan) => boolean, what: string): Promise<ReceivedSpan> {
    return this.until(() => this.spans.find(is), what);
  }

  /**
   * Waits for the span of a job's task and one of its reports. By then node and controller have sent all earlier
   * spans; a process that exits has little time for the rest.
   */
  async work(job: string, name: string): Promise<void> {
    const work = await this.span(
      (span) => span.name === name && span.attributes["svc.job.id"] === job,
      `${name} of job ${job}`,
    );
    await this.span(({ parentId }) => parentId === work.spanId, `a report of ${name} of job ${job}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    this.paths.push(`${request.method} ${request.url}`);
    this.headers.push(request.headers);
    assert.equal(request.headers["content-type"], "application/x-protobuf");
    this.answer(response, request);
    if (response.statusCode === 200) this.spans.push(...spansOf(Buffer.concat(chunks)));
    for (const look of this.#waiting) look();
  }
}

/** A message's fields by number, with every occurrence: numbers as they are, everything else as bytes. */
type Fields = Map<number, (number | bigint | Uint8Array)[]>;

/** ExportTraceServiceRequest { ResourceSpans resource_spans = 1 { resource = 1, scope_spans = 2 { spans = 2 } } } */
function spansOf(body: Uint8Array): ReceivedSpan[] {
  return all(fieldsOf(body), 1).flatMap((group) => {
    const fields = fieldsOf(group);
    const resource = attributesOf(all(fieldsOf(one(fields, 1)), 1));
    return all(fields, 2).flatMap((scope) => all(fieldsOf(scope), 2).map((span) => spanOf(span, resource)));
  });
}

function spanOf(bytes: Uint8Array, resource: ReceivedSpan["resource"]): ReceivedSpan {
  const span = fieldsOf(bytes);
  return {
    traceId: hex(one(span, 1)),
    spanId: hex(one(span, 2)),
    parentId: hex(one(span, 4)),
    name: text(one(span, 5)),
    kind: Number(span.get(6)?.[0] ?? 0),
    start: span.get(7)?.[0] as bigint,
    end: span.get(8)?.[0] as bigint,
    attributes: attributesOf(all(span, 9)),
    links: all(span, 13).map((link) => ({
      traceId: hex(one(fieldsOf(link), 1)),
      spanId: hex(one(fieldsOf(link), 2)),
    })),
    status: Number(fieldsOf(one(span, 15)).get(3)?.[0] ?? 0),
    resource,
  };
}

/** KeyValue { key = 1, value = 2 { string = 1, bool = 2, int = 3, double = 4 } } */
function attributesOf(pairs: readonly Uint8Array[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair);
      const value = fieldsOf(one(fields, 2));
      const [number = 0, [given] = []] = [...value][0] ?? [];
      if (number === 1) return [text(one(fields, 1)), text(given as Uint8Array)];
      return [text(one(fields, 1)), number === 2 ? Number(given) !== 0 : Number(given)];
    }),
  );
}

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields: Fields = new Map();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    fields.set(number, [...(fields.get(number) ?? []), readField(reader, type)]);
  }
  return fields;
}

function readField(reader: BinaryReader, type: WireType): number | bigint | Uint8Array {
  if (type === WireType.LengthDelimited) return reader.bytes();
  if (type === WireType.Bit64) return BigInt(reader.fixed64());
  return type === WireType.Bit32 ? reader.fixed32() : BigInt(reader.int64());
}

function all(fields: Fields, number: number): Uint8Array[] {
  return (fields.get(number) ?? []) as Uint8Array[];
}

function one(fields: Fields, number: number): Uint8Array {
  return all(fields, number)[0] ?? new Uint8Array();
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
