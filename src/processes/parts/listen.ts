/** Starts to listen for REST and gRPC. */
import type { FastifyInstance } from "fastify";
import type { RpcServer } from "../../grpc/server.ts";
import { hostPort, ListenError } from "./addresses.ts";

export interface ListenSettings {
  readonly host: string;
  readonly port: number;
  readonly grpcPort: number;
}

export interface Addresses {
  /** "http://HOST:PORT", with TLS "https://HOST:PORT". */
  readonly rest: string;
  /** "HOST:PORT". */
  readonly grpc: string;
}

/** Returns the actual addresses. Throws ListenError, which contains the flag to change. */
export async function listenOn(
  rest: FastifyInstance,
  rpc: RpcServer,
  { host, port, grpcPort }: ListenSettings,
  scheme: "http" | "https" = "http",
): Promise<Addresses> {
  await rest.listen({ host, port }).catch((error: unknown) => {
    throw new ListenError("--port", hostPort(host, port), error);
  });
  const bound = await rpc.listen(host, grpcPort).catch((error: unknown) => {
    throw new ListenError("--grpc-port", hostPort(host, grpcPort), error);
  });
  return { rest: `${scheme}://${hostPort(host, boundPort(rest))}`, grpc: hostPort(host, bound) };
}

function boundPort(rest: FastifyInstance): number {
  const address = rest.server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
