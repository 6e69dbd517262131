/**
 * The API documentation page and its files. All of them come from this server: the page works without a network, and
 * its policy forbids any other source.
 */
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply } from "fastify";
import { HttpFault } from "../http/problem.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** URLs are relative, so that the page also works behind a proxy with a path prefix. */
const page = (title: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" type="image/png" href="ui/files/favicon-32x32.png">
    <link rel="stylesheet" href="ui/files/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <noscript>This page needs JavaScript. The description itself is at ui/spec.json.</noscript>
    <script src="ui/files/swagger-ui-bundle.js"></script>
    <script src="ui/files/start.js"></script>
  </body>
</html>
`;

const ALL_METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

function startScript(tryItOut: boolean): string {
  return `SwaggerUIBundle({
  url: new URL("ui/spec.json", document.baseURI).href,
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  supportedSubmitMethods: ${JSON.stringify(tryItOut ? ALL_METHODS : [])},
});
`;
}

/** The files of swagger-ui-dist that the page loads; no other file of the package is served. */
const PACKAGE_FILES: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

export function addUiFiles(app: FastifyInstance, tryItOut: boolean): void {
  const start = startScript(tryItOut);
  const files = { config: { label: "/ui/files/{file}" } };
  app.get<{ Params: { file: string } }>("/ui/files/:file", files, (request, reply) => {
    const { file } = request.params;
    reply.header("cache-control", "no-cache");
    if (file === "start.js") return reply.type("text/javascript; charset=utf-8").send(start);
    const type = Object.hasOwn(PACKAGE_FILES, file) ? PACKAGE_FILES[file] : undefined;
    if (type === undefined) throw new HttpFault(404, "NOT_FOUND", "The page at /ui has no such file.");
    return reply.type(type).send(createReadStream(packageFile(file)));
  });
  app.get("/ui/", (_request, reply) => reply.redirect("../ui", 308));
}

function packageFile(file: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));
}

export function sendPage(reply: FastifyReply, title: string): FastifyReply {
  return reply.header("content-security-policy", POLICY).type("text/html; charset=utf-8").send(page(title));
}
