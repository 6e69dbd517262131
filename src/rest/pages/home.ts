/** Redirects "/" to the console or, without a console, to the API documentation. */
import type { FastifyInstance } from "fastify";
import { CONSOLE_OPERATION } from "./console.ts";

/** The console's files need no token. The API documentation needs the same permission as under its own path. */
const CONSOLE = { operation: CONSOLE_OPERATION, location: "console/" };
const PAGE = { operation: "getUi", location: "ui" };

/** The location is relative, so that it also works behind a proxy with a path prefix. */
export function addHome(app: FastifyInstance, { hasConsole }: { readonly hasConsole: boolean }): void {
  const { operation, location } = hasConsole ? CONSOLE : PAGE;
  app.get("/", { config: { operation, label: "/" } }, (_request, reply) => reply.redirect(location, 302));
}
