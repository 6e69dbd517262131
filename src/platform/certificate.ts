/** A server's certificate in files, followed while the process runs. */
import { Counter, type Registry } from "prom-client";
import { Follower, type Seen } from "./follower.ts";
import type { Log } from "./log.ts";
import { readTlsFiles, type TlsFiles, type TlsMaterial, type TlsReading } from "./tls-files.ts";

/** What a TLS server is opened with, and is given again after a change. */
export interface ServerContext extends TlsMaterial {
  readonly minVersion: "TLSv1.2";
}

export interface CertificateOptions {
  readonly files: TlsFiles & { readonly pair: NonNullable<TlsFiles["pair"]> };
  readonly log: Log;
  readonly registry: Registry;
  /** Called after every change with what became of it: OK, or FAULTY and it stays as it was. */
  readonly changed?: (outcome: "OK" | "FAULTY") => void;
}

/** The files cannot be used at start-up; the message names the flag, the file and what is wrong. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** Until `start` it stays as it was opened. */
export class Certificate {
  /** Whether clients have to show a certificate. */
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
      help: "Changes of the TLS certificate, its key or the clients' authorities, by what became of them.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["loaded", "faulty"] as const) this.#reloads.inc({ outcome }, 0);
  }

  /** Throws CertificateError when a file cannot be read, or the files do not fit. */
  static async open(options: CertificateOptions): Promise<Certificate> {
    const reading = await readTlsFiles(options.files);
    if (reading.fault !== undefined) throw new CertificateError(`${reading.fault}.`);
    options.log.info(factsOf(options, reading.validTo), "the TLS certificate was loaded");
    return new Certificate(options, reading, reading.material);
  }

  get context(): ServerContext {
    return this.#context;
  }

  /** `renew` is called with what counts from then on, after every change. */
  onRenewed(renew: (context: ServerContext) => void): void {
    this.#renewed.add(renew);
  }

  start(): void {
    this.#follower.start();
  }

  async stop(): Promise<void> {
    await this.#follower.stop();
  }

  /** Certificate and key are two files, replaced one after the other: a pair that is half new is a fault. */
  #take(reading: TlsReading): void {
    this.#reloads.inc({ outcome: reading.fault === undefined ? "loaded" : "faulty" });
    const { log, changed } = this.#options;
    changed?.(reading.fault === undefined ? "OK" : "FAULTY");
    if (reading.fault !== undefined) {
      log.error(
        { fault: reading.fault },
        "the TLS certificate's files cannot be used: it stays as it was before",
      );
      return;
    }
    this.#context = contextOf(reading.material);
    for (const renew of this.#renewed) renew(this.#context);
    log.info(factsOf(this.#options, reading.validTo), "the TLS certificate was loaded again");
  }
}

function contextOf(material: TlsMaterial): ServerContext {
  return { ...material, minVersion: "TLSv1.2" };
}

function factsOf({ files }: CertificateOptions, validTo: Date | undefined): object {
  return { path: files.pair.cert.path, validTo: validTo?.toISOString() };
}
