/** Redirects "/" to the console or, without a console, to the API documentation. */
import type { FastifyInstance } from "fastify";
import { CONSOLE_OPERATION } from "./console.ts";

/** The console's files need no token. The API documentation needs the same permission as under its own path. */
const CONSOLE = { openAs: CONSOLE_OPERATION, location: "console/" };
const PAGE = { openAs: "getUi", location: "ui" };

/** The location is relative, so that it also works behind a proxy with a path prefix. */
export function addHome(app: FastifyInstance, { hasConsole }: { readonly hasConsole: boolean }): void {
  const { openAs, location } = hasConsole ? CONSOLE : PAGE;
  app.get("/", { config: { openAs } }, (request, reply) => {
    request.route = "/";
    return reply.redirect(location, 302);
  });
}
