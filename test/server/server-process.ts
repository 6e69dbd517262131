/** A real `svc server` on free loopback ports. */
import { SvcProcess } from "./svc-process.ts";

export { soon, svc, until } from "./svc-process.ts";

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Wait for the scorer; default true. */
  readonly ready?: boolean;
}

export class ServerProcess extends SvcProcess {
  /** "http://127.0.0.1:PORT" */
  rest = "";
  /** "127.0.0.1:PORT" */
  grpc = "";

  static async start({ args = [], env = {}, ready = true }: ServerOptions = {}): Promise<ServerProcess> {
    const server = new ServerProcess("server", { args: ["--port", "0", "--grpc-port", "0", ...args], env });
    const { rest = "", grpc = "" } = await server.addresses();
    server.rest = rest;
    server.grpc = grpc;
    if (ready) await server.logged("scorer ready");
    return server;
  }
}
