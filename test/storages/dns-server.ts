/** A DNS server on loopback that gives the answers of a test, and a look-up that asks it. */
import { createSocket, type Socket } from "node:dgram";
import { promises } from "node:dns";
import { once } from "node:events";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Resolve } from "../../src/media/net/guard.ts";

const A = 1;
const AAAA = 28;

export class DnsServer {
  /** Names that were asked for, once per pair of queries for A and AAAA. */
  readonly asked: string[] = [];
  readonly #answers: Map<string, (time: number) => readonly string[]>;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answers = new Map();
    socket.on("message", (query, { port, address }) => socket.send(this.#answer(query), port, address));
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new DnsServer(socket);
  }

  /** `addresses` gets how often the name was asked for before. */
  set(name: string, addresses: (time: number) => readonly string[]): void {
    this.#answers.set(name, addresses);
  }

  resolver(): Resolve {
    const resolver = new promises.Resolver();
    resolver.setServers([`127.0.0.1:${this.#socket.address().port}`]);
    const find = async (host: string, done: Parameters<Resolve>[1]) => {
      const both = [resolver.resolve4(host), resolver.resolve6(host)];
      const found = await Promise.all(both.map((one) => one.catch(() => [])));
      const addresses = found.flat().map((address) => ({ address, family: isIP(address) }));
      done(addresses.length === 0 ? new Error(`ENOTFOUND ${host}`) : null, addresses);
    };
    return (host, done) => void find(host, done);
  }

  close(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer {
    const { name, end } = questionIn(query);
    const type = query.readUInt16BE(end);
    const time = this.asked.filter((one) => one === name).length;
    if (type === A) this.asked.push(name);
    const all = this.#answers.get(name)?.(type === A ? time : Math.max(0, time - 1)) ?? [];
    const records = all
      .filter((address) => isIP(address) === (type === AAAA ? 6 : 4))
      .map((a) => record(a, type));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt16BE(0, 10);
    return Buffer.concat([head, query.subarray(12, end + 4), ...records]);
  }
}

function questionIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

/** Points to the question's name; lives for 0 s. */
function record(address: string, type: number): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}
