/** A real `svc controller` or `svc up` on free loopback ports. */

import { prepareDataDir } from "../store/prepared.ts";
import { SvcProcess } from "./svc-process.ts";

export interface ControllerOptions {
  /** Directory of the embedded database, prepared unless it exists; undefined: the arguments contain a database. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
  /** Authentication arguments; default: disabled. */
  readonly auth?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Serve the console; default false. */
  readonly console?: boolean;
  /** Wait until the store is open and, for `svc up`, the node is registered; default true. */
  readonly ready?: boolean;
}

export class ControllerProcess extends SvcProcess {
  /** "http://127.0.0.1:PORT" */
  rest = "";
  /** "127.0.0.1:PORT" */
  grpc = "";
  /** "http://127.0.0.1:PORT" */
  metrics = "";

  static start(options: ControllerOptions = {}): Promise<ControllerProcess> {
    const { auth = ["--auth-disabled"] } = options;
    return ControllerProcess.#start("controller", [...auth, "--host", "127.0.0.1"], "store ready", options);
  }

  static up(options: ControllerOptions = {}): Promise<ControllerProcess> {
    return ControllerProcess.#start("up", [], "registered", options);
  }

  static async #start(
    command: string,
    flags: readonly string[],
    readyLine: string,
    { dataDir, args = [], console = false, env = {}, ready = true }: ControllerOptions,
  ): Promise<ControllerProcess> {
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
    const store = dataDir === undefined ? [] : ["--data-dir", dataDir];
    if (dataDir !== undefined) await prepareDataDir(dataDir);
    const controller = new ControllerProcess(command, {
      args: [...ports, ...flags, ...store, ...args],
      env: { SVC_CONSOLE_DISABLED: String(!console), ...env },
    });
    try {
      const { rest = "", grpc = "", metrics = "" } = await controller.addresses();
      Object.assign(controller, { rest, grpc, metrics });
      if (ready) await controller.logged(readyLine);
      return controller;
    } catch (error) {
      await controller[Symbol.asyncDispose]();
      throw error;
    }
  }
}
