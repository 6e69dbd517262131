/** A server's TLS certificate in files, reloaded when they change. */
import { Counter, type Registry } from "prom-client";
import { Follower, type Seen } from "../files/follower.ts";
import type { Log } from "../observability/log.ts";
import { readTlsFiles, type TlsFiles, type TlsMaterial, type TlsReading } from "./tls-files.ts";

/** The TLS options of a server, at its start and after every change. */
export interface ServerContext extends TlsMaterial {
  readonly minVersion: "TLSv1.2";
}

export interface CertificateOptions {
  readonly files: TlsFiles & { readonly pair: NonNullable<TlsFiles["pair"]> };
  readonly log: Log;
  readonly registry: Registry;
  /** Called after every change: OK if it was loaded, FAULTY if the old certificate stays in use. */
  readonly changed?: (outcome: "OK" | "FAULTY") => void;
}

/** The files cannot be used at startup. The message names the flag, the file and the fault. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** Changes are loaded after `start`. */
export class Certificate {
  /** Whether clients must present a certificate. */
  readonly asksClients: boolean;
  readonly #options: CertificateOptions;
  readonly #reloads: Counter<"outcome">;
  readonly #renewed = new Set<(context: ServerContext) => void>();
  readonly #follower: Follower<TlsReading>;
  #context: ServerContext;

  private constructor(options: CertificateOptions, known: Seen, material: TlsMaterial) {
    this.#options = options;
    this.asksClients = options.files.ca !== undefined;
    this.#follower = new Follower({
      known,
      look: () => readTlsFiles(options.files),
      take: (reading) => this.#take(reading),
    });
    this.#context = contextOf(material);
    this.#reloads = new Counter({
      name: "svc_tls_reloads_total",
      help: "Changes of the TLS certificate, its key or the client CA file by outcome.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["loaded", "faulty"] as const) this.#reloads.inc({ outcome }, 0);
  }

  /** Throws CertificateError if a file cannot be read, or the files do not belong together. */
  static async open(options: CertificateOptions): Promise<Certificate> {
    const reading = await readTlsFiles(options.files);
    if (reading.fault !== undefined) throw new CertificateError(`${reading.fault}.`);
    options.log.info(factsOf(options, reading.validTo), "TLS certificate loaded");
    return new Certificate(options, reading, reading.material);
  }

  get context(): ServerContext {
    return this.#context;
  }

  /** `renew` is called with the new context after every change. */
  onRenewed(renew: (context: ServerContext) => void): void {
    this.#renewed.add(renew);
  }

  start(): void {
    this.#follower.start();
  }

  async stop(): Promise<void> {
    await this.#follower.stop();
  }

  /** Certificate and key are two files that are replaced one after the other; a half-replaced pair is a fault. */
  #take(reading: TlsReading): void {
    this.#reloads.inc({ outcome: reading.fault === undefined ? "loaded" : "faulty" });
    const { log, changed } = this.#options;
    changed?.(reading.fault === undefined ? "OK" : "FAULTY");
    if (reading.fault !== undefined) {
      log.error({ fault: reading.fault }, "failed to reload the TLS certificate; the old one stays in use");
      return;
    }
    this.#context = contextOf(reading.material);
    for (const renew of this.#renewed) renew(this.#context);
    log.info(factsOf(this.#options, reading.validTo), "TLS certificate reloaded");
  }
}

function contextOf(material: TlsMaterial): ServerContext {
  return { ...material, minVersion: "TLSv1.2" };
}

function factsOf({ files }: CertificateOptions, validTo: Date | undefined): object {
  return { path: files.pair.cert.path, validTo: validTo?.toISOString() };
}
