/** Calls of gRPC made by hand over HTTP/2, as no well-behaved client makes them. */
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { ErrorInfoSchema } from "../../src/gen/proto/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../src/gen/proto/google/rpc/status_pb.ts";
import { soon } from "../waiting.ts";

export const CHECK = "/grpc.health.v1.Health/Check";

/** How a call ended. */
export interface Ended {
  /** grpc-status; undefined: the stream ended without one. */
  readonly status: number | undefined;
  /** The stable code of the failure; empty: it has none. */
  readonly reason: string;
  /** Of HTTP/2: 0 is NO_ERROR. */
  readonly rstCode: number | undefined;
}

export class RawGrpc implements AsyncDisposable {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;

  /** Connects; what is sent at once is sent before the server's settings are there. */
  constructor(grpc: string) {
    // Without limits of its own, so that those of the server are what is seen.
    const own = { maxSendHeaderBlockLength: 2 ** 20, maxSessionMemory: 1000 };
    const options = { ...own, strictSingleValueFields: false };
    const session = connect(`http://${grpc}`, options);
    // A server that cuts the connection makes an error of it.
    session.on("error", () => {});
    this.closed = new Promise((resolve) => session.once("close", resolve));
    this.session = session;
  }

  /** Resolves when the server's settings are there. */
  static async open(grpc: string): Promise<RawGrpc> {
    const client = new RawGrpc(grpc);
    await soon(once(client.session, "remoteSettings"), "the settings of HTTP/2");
    return client;
  }

  /** Begins a call, and leaves it open. `headers`: names and values in turns. */
  begin(path: string, headers: readonly string[] = []): ClientHttp2Stream {
    const fixed = [":method", "POST", ":path", path, ":scheme", "http", ":authority", "svc"];
    const grpc = ["content-type", "application/grpc", "te", "trailers"];
    const stream = this.session.request([...fixed, ...grpc, ...headers]);
    stream.on("error", () => {});
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.destroy();
    await this.closed;
  }
}

/** Waits until the server has ended a call, the whole stream of it. */
export async function endOf(stream: ClientHttp2Stream): Promise<Ended> {
  let told: IncomingHttpHeaders = {};
  const look = (headers: IncomingHttpHeaders) => {
    told = { ...told, ...headers };
  };
  const closed = new Promise((resolve) => stream.once("close", resolve));
  stream.on("response", look).on("trailers", look).resume();
  if (!stream.destroyed) await soon(closed, "the end of a stream");
  const code = told["grpc-status"];
  return {
    status: code === undefined ? undefined : Number(code),
    reason: reasonOf(told["grpc-status-details-bin"]),
    rstCode: stream.rstCode,
  };
}

function reasonOf(details: string | string[] | undefined): string {
  if (typeof details !== "string") return "";
  const { details: all } = fromBinary(StatusSchema, Buffer.from(details, "base64"));
  return all.map((any) => anyUnpack(any, ErrorInfoSchema)?.reason ?? "").join("");
}

/** The first bytes of a message of `announced` bytes, `sent` of them. */
export function part(announced: number, sent: number): Buffer {
  const bytes = Buffer.alloc(5 + sent);
  bytes.writeUInt32BE(announced, 1);
  return bytes;
}

export function bearer(token: string): readonly string[] {
  return ["authorization", `Bearer ${token}`];
}
