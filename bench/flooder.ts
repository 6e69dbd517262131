/**
 * Floods a controller with requests that it must refuse, at a limited rate. Runs as its own process: bench/flood.ts
 * writes the order as a line of JSON, and gets the count of refusals when it closes the pipe.
 */
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as dial, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Order } from "./flood-order.ts";

const METHOD = "/svc.v1.JobService/GetJob";
const PATH = "/v1/jobs/00000000-0000-4000-8000-000000000000";
const TICK_MS = 10;
/** Maximum number of open connections. */
const MAX_OPEN = 3_000;

/** Returns an invalid token; each differs from all others. */
function spoiled({ kind, token }: Order, n: number): string {
  const [, claims = "", signature = ""] = token.split(".");
  const number = String(n).padStart(8, "0");
  if (kind === "unknown kids") {
    const header = Buffer.from(JSON.stringify({ alg: "RS256", kid: `kid-${number}` })).toString("base64url");
    return `${header}.${claims}.${signature}`;
  }
  if (kind === "tokens of 10 KB") return number.repeat(1250);
  if (kind === "garbage") return Buffer.from(`garbage ${number}`).toString("base64url");
  // The last character stays: not all characters are canonical there.
  return `${token.slice(0, -9)}${number}${token.at(-1)}`;
}

class Flood {
  readonly #order: Order;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #session: ClientHttp2Session;
  readonly #open: Socket[] = [];
  sent = 0;
  refused = 0;

  constructor(order: Order) {
    this.#order = order;
    this.#session = connect(`http://${order.grpc}`);
    this.#session.on("error", () => {});
  }

  /** Sends one more, alternating between the transports. */
  next(): void {
    const n = this.sent++;
    if (this.#order.kind === "silent connections") this.#connect(n);
    else if (this.#order.kind === "half-open calls") this.#call(undefined);
    else if (n % 2 === 0) this.#call(spoiled(this.#order, n));
    else this.#ask(spoiled(this.#order, n));
  }

  close(): void {
    this.#agent.destroy();
    this.#session.destroy();
    for (const socket of this.#open) socket.destroy();
  }

  #call(token: string | undefined): void {
    if (this.#session.destroyed) return;
    const headers = {
      ":method": "POST",
      ":path": METHOD,
      "content-type": "application/grpc",
      te: "trailers",
    };
    const stream = this.#session.request(
      token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
      { endStream: false },
    );
    stream.on("response", () => this.refused++).on("error", () => {});
    stream.resume();
    // A length prefix of 4 MB, followed by only 1,000 bytes.
    stream.write(Buffer.concat([Buffer.from([0, 0, 0x3d, 0x09, 0]), Buffer.alloc(1000)]));
    if (token !== undefined) stream.end();
  }

  #ask(token: string): void {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(this.#order.rest + PATH, { agent: this.#agent, headers }, (response) => {
      if (response.statusCode === 401) this.refused++;
      response.resume();
    });
    asked.on("error", () => {});
    asked.end();
  }

  #connect(n: number): void {
    const { hostname, port } = new URL(n % 2 === 0 ? this.#order.rest : `http://${this.#order.grpc}`);
    const socket = dial(Number(port), hostname);
    socket.on("error", () => {}).on("end", () => this.refused++);
    socket.resume();
    if (this.#open.push(socket) > MAX_OPEN) this.#open.shift()?.destroy();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  const flood = new Flood(order);
  const began = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * order.rate;
    while (flood.sent < due) flood.next();
  }, TICK_MS);
  process.stdin.once("end", () => {
    clearInterval(timer);
    flood.close();
    const counts = `${JSON.stringify({ sent: flood.sent, refused: flood.refused })}\n`;
    process.stdout.write(counts, () => process.exit());
  });
}
