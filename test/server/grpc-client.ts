/** A gRPC client from the generated descriptors. */
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import {
  type CallOptions,
  type ClientReadableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { ErrorInfoSchema, RetryInfoSchema } from "../../src/gen/proto/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../src/gen/proto/google/rpc/status_pb.ts";
import {
  type DiagnoseRequest,
  type DiagnoseResponse,
  type ScoreRequest,
  type ScoreResponse,
  type ScoreStreamResponse,
  ScoringService,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { definitionOf } from "../../src/messages/definition.ts";

export class GrpcClient implements Disposable {
  readonly #client: InstanceType<ReturnType<typeof makeGenericClientConstructor>>;
  readonly #methods = definitionOf(ScoringService);
  /** Calls that nobody reads any more would keep the connection open. */
  readonly #calls: ClientReadableStream<Buffer>[] = [];

  constructor(server: { readonly grpc: string }) {
    const Client = makeGenericClientConstructor(this.#methods, ScoringService.typeName);
    // Without limits of the client, so that the server's limits apply.
    this.#client = new Client(server.grpc, credentials.createInsecure(), {
      "grpc.max_send_message_length": -1,
    });
  }

  /** Calls Score; throws the ServiceError. `cancelled` cancels the call. */
  score(
    request: ScoreRequest,
    options: CallOptions & { cancelled?: AbortSignal; metadata?: Metadata } = {},
  ): Promise<ScoreResponse> {
    return this.#call<ScoreResponse>("score", request, options);
  }

  /** Calls Diagnose; throws the ServiceError. */
  diagnose(request: DiagnoseRequest): Promise<DiagnoseResponse> {
    return this.#call<DiagnoseResponse>("diagnose", request);
  }

  #call<Response>(
    name: "score" | "diagnose",
    request: ScoreRequest | DiagnoseRequest,
    {
      cancelled,
      metadata = new Metadata(),
      ...options
    }: CallOptions & { cancelled?: AbortSignal | undefined; metadata?: Metadata } = {},
  ): Promise<Response> {
    const method = this.#methods[name];
    if (method === undefined) throw new Error("no such method");
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { path, requestSerialize, responseDeserialize } = method;
    const call = this.#client.makeUnaryRequest<typeof request, Response>(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      options,
      (error, response) => (error || response === undefined ? reject(error) : resolve(response)),
    );
    cancelled?.addEventListener("abort", () => call.cancel());
    return promise;
  }

  scoreStream(request: ScoreRequest, metadata = new Metadata()): ClientReadableStream<ScoreStreamResponse> {
    const method = this.#methods["scoreStream"];
    if (method === undefined) throw new Error("no such method");
    return this.#client.makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      metadata,
    );
  }

  /** A call with raw bytes, for services without generated code here. */
  bytesCall(path: string, request: Uint8Array, metadata = new Metadata()): ClientReadableStream<Buffer> {
    const bytes = (value: Buffer) => value;
    const call = this.#client.makeBidiStreamRequest<Buffer, Buffer>(path, bytes, bytes, metadata);
    call.end(Buffer.from(request));
    this.#calls.push(call);
    return call;
  }

  [Symbol.dispose](): void {
    for (const call of this.#calls) {
      call.on("error", () => {});
      call.cancel();
    }
    this.#client.close();
  }
}

/** Metadata of a call with a token. */
export function bearing(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

/** Metadata with a request id, which identifies the log lines of the request. */
export function named(requestId: string): Metadata {
  const metadata = new Metadata();
  metadata.set("x-request-id", requestId);
  return metadata;
}

/** Returns the error of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error && "code" in error && "metadata" in error) return error as ServiceError;
    throw error;
  }
  throw new Error("the call succeeded");
}

/** Returns the status details of a failed call. */
export function detailsOf({ metadata }: ServiceError) {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) throw new Error("no status details");
  const status = fromBinary(StatusSchema, bytes);
  const found = status.details.map((any) => ({
    info: anyUnpack(any, ErrorInfoSchema),
    retry: anyUnpack(any, RetryInfoSchema),
  }));
  return {
    status,
    info: found.find(({ info }) => info)?.info,
    retry: found.find(({ retry }) => retry)?.retry,
  };
}
