/** A real `svc server` on free loopback ports. */
import { SvcProcess } from "./svc-process.ts";

export { svc } from "./svc-process.ts";

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
    try {
      const { rest = "", grpc = "" } = await server.addresses();
      Object.assign(server, { rest, grpc });
      if (ready) await server.logged("scorer ready");
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }
}
