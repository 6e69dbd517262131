/** Handlers of the operations of a description, one each, typed by the generated code. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Admitted } from "../../auth/access/gate.ts";
import type { Caller } from "../http/caller.ts";

/** The used members of a generated operation. */
interface Operation {
  readonly parameters: { readonly query?: unknown; readonly path?: unknown };
}

export interface Call<Op extends Operation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  /** Values of the path parameters. */
  readonly params: Op["parameters"]["path"];
  /** Validated; missing parameters are absent. */
  readonly query: NonNullable<Op["parameters"]["query"]>;
  /** Validated; undefined for operations without a body. */
  readonly body: unknown;
  readonly admitted: Admitted;
}

export type Handlers<Operations> = {
  readonly [Id in keyof Operations]: (
    call: Call<Extract<Operations[Id], Operation>>,
  ) => FastifyReply | Promise<FastifyReply>;
};
