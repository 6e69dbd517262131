/** Settings of every process that answers over REST and gRPC. */
import { integer, textOr, toggle } from "../platform/config.ts";

const MAX_PORT = 65_535;

/** Of processes without authentication: loopback is the default. */
export const HOST_SETTING = textOr({
  flags: "--host <address>",
  help: "address to listen on; there is no authentication, so mind who can reach it",
  fallback: "127.0.0.1",
});

/** The two ports. */
export const PORT_SETTINGS = {
  port: integer({
    flags: "--port <port>",
    help: "REST port; 0 takes a free one",
    fallback: 8080,
    min: 0,
    max: MAX_PORT,
  }),
  grpcPort: integer({
    flags: "--grpc-port <port>",
    help: "gRPC port; 0 takes a free one",
    fallback: 9090,
    min: 0,
    max: MAX_PORT,
  }),
} as const;

export const REST_SETTINGS = {
  requestTimeout: integer({
    flags: "--request-timeout <seconds>",
    help: "longest time that a REST request may take to arrive, in seconds",
    fallback: 30,
    min: 1,
    max: 3600,
  }),
  uiTryItOut: toggle({
    flags: "--ui-try-it-out",
    help: "let the page at /ui send requests",
  }),
} as const;
