/** What handles the operations of a contract: one handler for each, typed by the code generated from it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Admitted } from "../auth/gate.ts";
import type { Caller } from "./caller.ts";

/** What is used of a generated operation. */
interface Operation {
  readonly parameters: { readonly query?: unknown; readonly path?: unknown };
}

export interface Call<Op extends Operation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  /** Values of the path's parameters. */
  readonly params: Op["parameters"]["path"];
  /** Checked; parameters that were not given are absent. */
  readonly query: NonNullable<Op["parameters"]["query"]>;
  /** Checked; undefined for operations without a body. */
  readonly body: unknown;
  readonly admitted: Admitted;
}

export type Handlers<Operations> = {
  readonly [Id in keyof Operations]: (
    call: Call<Extract<Operations[Id], Operation>>,
  ) => FastifyReply | Promise<FastifyReply>;
};
