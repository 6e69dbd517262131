/** Checks over REST and gRPC whether a controller is ready. Fails if it is not ready within about a minute. */
import { readFileSync } from "node:fs";
import { get as getClear } from "node:http";
import { connect } from "node:http2";
import { get as getTls } from "node:https";
import { setTimeout as pause } from "node:timers/promises";

const { REST_URL, GRPC_URL, CA_FILE, CERT_FILE, KEY_FILE, TRIES = "30" } = process.env;
const read = (path) => (path ? readFileSync(path) : undefined);
const tls = { ca: read(CA_FILE), cert: read(CERT_FILE), key: read(KEY_FILE) };
const LIMIT_MS = 10_000;

function rest() {
  const { promise, resolve, reject } = Promise.withResolvers();
  const get = REST_URL.startsWith("https:") ? getTls : getClear;
  const request = get(`${REST_URL}/v1/ready`, { ...tls, timeout: LIMIT_MS }, (response) => {
    response.setEncoding("utf8");
    let body = "";
    response.on("data", (part) => (body += part));
    response.on("end", () =>
      response.statusCode === 200 ? resolve(body) : reject(new Error(`${response.statusCode} ${body}`)),
    );
  });
  request.on("timeout", () => request.destroy(new Error(`no response within ${LIMIT_MS / 1000} s`)));
  request.on("error", reject);
  return promise;
}

/** Calls grpc.health.v1.Health/Check: the request is an empty message; field 1 of the response is the status, 1 is SERVING. */
async function grpc() {
  const { promise, resolve, reject } = Promise.withResolvers();
  const session = connect(GRPC_URL, tls);
  session.on("error", reject);
  session.setTimeout(LIMIT_MS, () => reject(new Error(`no response within ${LIMIT_MS / 1000} s`)));
  const call = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Check",
    "content-type": "application/grpc",
    te: "trailers",
  });
  const parts = [];
  let status = "none";
  call.on("data", (part) => parts.push(part));
  call.on("response", (headers) => (status = headers["grpc-status"] ?? status));
  call.on("trailers", (trailers) => (status = trailers["grpc-status"] ?? status));
  call.on("error", reject);
  call.on("end", () => {
    const message = Buffer.concat(parts).subarray(5).toString("hex");
    if (status === "0" && message === "0801") resolve("SERVING");
    else reject(new Error(`grpc-status ${status}, message ${message}`));
  });
  call.end(Buffer.alloc(5));
  try {
    return await promise;
  } finally {
    session.destroy();
  }
}

async function untilReady(name, url, ask) {
  for (let left = Number(TRIES) - 1; ; left -= 1) {
    try {
      console.log(`${name} ${url}: ${await ask()}`);
      return;
    } catch (error) {
      console.error(`${name} ${url}: ${error.message}`);
      if (left === 0) throw new Error(`${name} ${url} is not ready`, { cause: error });
      await pause(2_000);
    }
  }
}

await untilReady("REST", REST_URL, rest);
await untilReady("gRPC", GRPC_URL, grpc);
