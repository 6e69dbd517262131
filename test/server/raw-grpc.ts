/** Raw gRPC calls over HTTP/2 that no well-behaved client would make. */
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
import { withTimeout } from "../waiting.ts";

export const CHECK = "/grpc.health.v1.Health/Check";

/** The end of a call. */
export interface Ended {
  /** grpc-status; undefined if the stream ended without one. */
  readonly status: number | undefined;
  /** The stable code of the failure; empty if there is none. */
  readonly reason: string;
  /** HTTP/2 error code; 0 is NO_ERROR. */
  readonly rstCode: number | undefined;
}

export class RawGrpc implements AsyncDisposable {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;

  /** Connects. Requests that are sent at once are sent before the server's settings arrive. */
  constructor(grpc: string) {
    // Without limits of the client, so that the server's limits apply.
    const own = { maxSendHeaderBlockLength: 2 ** 20, maxSessionMemory: 1000 };
    const options = { ...own, strictSingleValueFields: false };
    const session = connect(`http://${grpc}`, options);
    // The server may close the connection, which is an error here.
    session.on("error", () => {});
    this.closed = new Promise((resolve) => session.once("close", resolve));
    this.session = session;
  }

  /** Resolves when the server's settings have arrived. */
  static async open(grpc: string): Promise<RawGrpc> {
    const client = new RawGrpc(grpc);
    await withTimeout(once(client.session, "remoteSettings"), "the HTTP/2 settings");
    return client;
  }

  /** Begins a call and leaves it open. `headers`: alternating names and values. */
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

/** Waits until the server has ended a call and its stream is closed. */
export async function endOf(stream: ClientHttp2Stream): Promise<Ended> {
  let reported: IncomingHttpHeaders = {};
  const look = (headers: IncomingHttpHeaders) => {
    reported = { ...reported, ...headers };
  };
  const closed = new Promise((resolve) => stream.once("close", resolve));
  stream.on("response", look).on("trailers", look).resume();
  if (!stream.destroyed) await withTimeout(closed, "a stream to close");
  const code = reported["grpc-status"];
  return {
    status: code === undefined ? undefined : Number(code),
    reason: reasonOf(reported["grpc-status-details-bin"]),
    rstCode: stream.rstCode,
  };
}

function reasonOf(details: string | string[] | undefined): string {
  if (typeof details !== "string") return "";
  const { details: all } = fromBinary(StatusSchema, Buffer.from(details, "base64"));
  return all.map((any) => anyUnpack(any, ErrorInfoSchema)?.reason ?? "").join("");
}

/** The first `sent` bytes of a message that announces `announced` bytes. */
export function part(announced: number, sent: number): Buffer {
  const bytes = Buffer.alloc(5 + sent);
  bytes.writeUInt32BE(announced, 1);
  return bytes;
}

export function bearer(token: string): readonly string[] {
  return ["authorization", `Bearer ${token}`];
}
