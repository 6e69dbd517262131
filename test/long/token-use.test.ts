/** Tokens of running programs: fetched, renewed, replaced, refused, or configured in two ways. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
} from "@grpc/grpc-js";
import {
  JobService,
  StreamJobsResponse_Kind as Kind,
  type ListJobsRequest,
  ListJobsResponseSchema,
  type StreamJobsRequest,
  StreamJobsResponseSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { statusOf } from "../../src/grpc/status.ts";
import { definitionOf } from "../../src/messages/definition.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { CLIENT_ID, IssuingProvider } from "../auth/issuing.ts";
import { start } from "../cli/program.ts";
import { SVC, SvcProcess, svc } from "../server/svc-process.ts";
import { until, withTimeout } from "../waiting.ts";
import { Peer } from "../worker/peer.ts";

const SECRET = "the-client-secret";

let directory: string;
let secretFile: string;
let tokenFile: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-token-use-"));
  secretFile = join(directory, "secret");
  tokenFile = join(directory, "token");
  await writeFile(secretFile, SECRET);
});
after(() => rm(directory, { recursive: true }));

function flagsOf(provider: IssuingProvider): string[] {
  return [
    ...["--oidc-token-url", provider.tokenUrl, "--oidc-client-id", CLIENT_ID],
    ...["--oidc-client-secret-file", secretFile],
  ];
}

/** A controller's job service that accepts or refuses tokens as a test decides. */
class Controller implements AsyncDisposable {
  readonly tokens = new Set<string>();
  /** Why a token is refused; undefined: it is accepted. */
  judge: (token: string) => FailureCode | undefined = () => undefined;
  address = "";
  readonly #server = new Server();
  #events = 0;
  readonly #streams = new Set<ServerWritableStream<StreamJobsRequest, unknown>>();

  static async open(): Promise<Controller> {
    const controller = new Controller();
    controller.#server.addService(definitionOf(JobService), {
      listJobs: (call: ServerUnaryCall<ListJobsRequest, unknown>, answer: Answer) => {
        const refusal = controller.#refusal(call);
        if (refusal === undefined) answer(null, create(ListJobsResponseSchema, {}));
        else answer(refusal);
      },
      streamJobs: (call: ServerWritableStream<StreamJobsRequest, unknown>) => controller.#stream(call),
    });
    const { promise, resolve } = Promise.withResolvers<number>();
    controller.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) =>
      resolve(port),
    );
    controller.address = `127.0.0.1:${await promise}`;
    return controller;
  }

  /** Ends streams, as a controller does when a token expires. */
  expire(): void {
    for (const stream of this.#streams) stream.emit("error", statusOf(expired()));
    this.#streams.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
  }

  #stream(call: ServerWritableStream<StreamJobsRequest, unknown>): void {
    const refusal = this.#refusal(call);
    if (refusal !== undefined) {
      call.emit("error", refusal);
      return;
    }
    this.#streams.add(call);
    const eventId = String(++this.#events);
    call.write(create(StreamJobsResponseSchema, { kind: Kind.SNAPSHOT_END, eventId }));
  }

  #refusal(call: Pick<ServerUnaryCall<unknown, unknown>, "metadata">) {
    const token = String(call.metadata.get("authorization")[0] ?? "");
    this.tokens.add(token);
    const code = this.judge(token);
    return code === undefined ? undefined : statusOf(new Failure(code, "as the test wants"));
  }
}

type Answer = (error: Partial<ServiceError> | null, value?: unknown) => void;

function expired(): Failure {
  return new Failure("TOKEN_EXPIRED", "exp is over.");
}

function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

describe("a node", () => {
  test("fetches its token, and continues with the next one after the first expires", async () => {
    await using provider = await IssuingProvider.open({ secret: SECRET, lifeSeconds: 10 });
    await using peer = await Peer.open();
    // Heartbeats are held for only a second.
    peer.leaseMs = 3_000;
    const args = ["--controller", peer.address, "--metrics-port", "0", ...flagsOf(provider)];
    await using node = new SvcProcess("node", { args });
    await peer.until(() => peer.tokens.size >= 2, "calls with two tokens");
    assert.ok([...peer.tokens].every((token) => /^Bearer eyJ[^.]+\.[^.]+\.[^.]+$/.test(token)));
    assert.equal(peer.registrations.length, 1, "its session is the same");
    assert.equal(await node.stop(), 0);
    assert.doesNotMatch(JSON.stringify(node.log), /eyJ|the-client-secret/);
  });

  test("waits for a provider that is down, and logs that without the secret", async () => {
    await using provider = await IssuingProvider.open({ secret: SECRET, lifeSeconds: 300 });
    await provider.cut();
    await using peer = await Peer.open();
    const args = ["--controller", peer.address, "--metrics-port", "0", ...flagsOf(provider)];
    await using node = new SvcProcess("node", { args });
    const line = await node.logged("failed to register; retrying", { code: "SERVER_UNREACHABLE" });
    assert.match(String(line["detail"]), /identity provider of --oidc-token-url .* ECONNREFUSED/);
    assert.equal(peer.calls.length, 0);
    await provider.listen({ secret: SECRET, lifeSeconds: 300 });
    await peer.until(() => peer.registrations.length > 0, "the registration");
    assert.equal(await node.stop(), 0);
    assert.doesNotMatch(JSON.stringify(node.log), /eyJ|the-client-secret/);
  });

  for (const code of ["TOKEN_EXPIRED", "TOKEN_KEY_UNKNOWN", "TOKEN_INVALID", "ROLE_MISSING"] as const) {
    test(`survives ${code}, is not ready meanwhile, and keeps its session`, async () => {
      await using peer = await Peer.open();
      await writeFile(tokenFile, "first.token");
      const args = ["--controller", peer.address, "--metrics-port", "0", "--token-file", tokenFile];
      await using node = new SvcProcess("node", { args });
      const { metrics } = await node.addresses();
      await node.logged("registered");
      peer.judge = (token) => (token === "Bearer first.token" ? code : undefined);
      const line = await node.logged("the controller rejects this node; running tasks continue", { code });
      assert.equal(line["detail"], "as the test wants");
      await until(async () => {
        const ready = await fetch(`${metrics}/readyz`);
        return ready.status === 503 && (await ready.text()).includes("as the test wants");
      }, "it to be not ready because of that");
      await writeFile(tokenFile, "second.token");
      await node.logged("controller answers again");
      assert.equal(peer.registrations.length, 1);
      assert.equal(await node.stop(), 0);
    });
  }

  test("that is refused at registration retries until its token is accepted", async () => {
    await using peer = await Peer.open();
    await writeFile(tokenFile, "first.token");
    peer.judge = (token) => (token === "Bearer first.token" ? "ROLE_MISSING" : undefined);
    const args = ["--controller", peer.address, "--metrics-port", "0", "--token-file", tokenFile];
    await using node = new SvcProcess("node", { args });
    await node.logged("failed to register; retrying", { code: "ROLE_MISSING", detail: "as the test wants" });
    await writeFile(tokenFile, "second.token");
    await node.logged("registered");
    assert.equal(await node.stop(), 0);
  });
});

describe("a command", () => {
  test("fetches its token", async () => {
    await using provider = await IssuingProvider.open({ secret: SECRET, lifeSeconds: 300 });
    await using controller = await Controller.open();
    const args = ["jobs", "list", "--server", controller.address, ...flagsOf(provider)];
    const { code, stderr } = await svc(args);
    assert.equal(code, 0, stderr);
    assert.match([...controller.tokens].join(), /^Bearer eyJ/);
    assert.equal(provider.requests, 1);
  });

  test("takes the same settings from variables", async () => {
    await using provider = await IssuingProvider.open({ secret: SECRET, lifeSeconds: 300 });
    await using controller = await Controller.open();
    const { code, stderr } = await svc(["jobs", "list"], {
      SVC_SERVER: controller.address,
      SVC_OIDC_TOKEN_URL: provider.tokenUrl,
      SVC_OIDC_CLIENT_ID: CLIENT_ID,
      SVC_OIDC_CLIENT_SECRET_FILE: secretFile,
    });
    assert.equal(code, 0, stderr);
    assert.match([...controller.tokens].join(), /^Bearer eyJ/);
  });

  test("reports that the provider refuses or is down, and what to check", async () => {
    await using provider = await IssuingProvider.open({ secret: "another", lifeSeconds: 300 });
    await using controller = await Controller.open();
    const args = ["jobs", "list", "--server", controller.address, ...flagsOf(provider)];
    const refused = await svc(args);
    assert.equal(refused.code, 2);
    assert.match(unwrapped(refused.stderr), /invalid_client.*--oidc-client-secret-file\. \[TOKEN_MISSING\]/);
    await provider.cut();
    const away = await svc(args);
    assert.equal(away.code, 3);
    assert.match(unwrapped(away.stderr), /identity provider .* ECONNREFUSED.*\[SERVER_UNREACHABLE\]/);
    assert.doesNotMatch(away.stderr, /svc up/);
    assert.equal(controller.tokens.size, 0);
    assert.doesNotMatch(refused.stderr + away.stderr, /the-client-secret/);
  });

  const advice: [FailureCode, RegExp][] = [
    ["TOKEN_MISSING", /Give a token with --token-file FILE/],
    ["TOKEN_INVALID", /Use a token from the identity provider/],
    ["TOKEN_EXPIRED", /Get a new token, or use svc login/],
    ["TOKEN_KEY_UNKNOWN", /try again in half a minute/],
    ["ROLE_MISSING", /Ask the administrator of your identity provider for the role/],
  ];
  for (const [refusal, reported] of advice) {
    test(`that fails with ${refusal} says what to do`, async () => {
      await using controller = await Controller.open();
      controller.judge = () => refusal;
      const { code, stderr } = await svc(["jobs", "list", "--server", controller.address], {
        SVC_TOKEN: "t",
      });
      assert.equal(code, 2);
      assert.match(unwrapped(stderr), new RegExp(`as the test wants \\[${refusal}\\]`));
      assert.match(unwrapped(stderr), reported);
    });
  }

  test("that watches jobs survives the expiry of its token", async () => {
    await using controller = await Controller.open();
    await writeFile(tokenFile, "first.token");
    const args = ["jobs", "watch", "--json", "--server", controller.address, "--token-file", tokenFile];
    await using watch = start(SVC, args);
    await watch.printed(/"eventId":"1"/);
    const refusedTwice = Promise.withResolvers<void>();
    let refused = 0;
    controller.judge = (token) => {
      if (token !== "Bearer first.token") return undefined;
      if (++refused === 2) refusedTwice.resolve();
      return refused % 2 === 1 ? "TOKEN_EXPIRED" : "TOKEN_KEY_UNKNOWN";
    };
    controller.expire();
    await withTimeout(refusedTwice.promise, "it to retry");
    await writeFile(tokenFile, "second.token");
    await watch.printed(/"eventId":"2"/);
    watch.child.kill("SIGINT");
    assert.equal((await watch.ended()).code, 130);
  });

  test("that is stopped does not wait for a silent provider", async () => {
    const { createServer } = await import("node:net");
    const arrived = Promise.withResolvers<void>();
    const silent = createServer((socket) => {
      socket.on("error", () => {});
      arrived.resolve();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    silent.listen(0, "127.0.0.1", resolve);
    await promise;
    const { port } = silent.address() as { port: number };
    const url = `http://127.0.0.1:${port}/token`;
    const args = ["--oidc-token-url", url, "--oidc-client-id", "a", "--oidc-client-secret-file", secretFile];
    await using list = start(SVC, ["jobs", "list", "--server", "127.0.0.1:1", ...args]);
    await withTimeout(arrived.promise, "the request");
    list.child.kill("SIGINT");
    assert.equal((await list.ended()).code, 130);
    silent.close();
  });
});

describe("contradictory or incomplete settings are refused by name:", () => {
  const url = "https://provider.example/token";
  const all = ["--oidc-token-url", url, "--oidc-client-id", "a", "--oidc-client-secret-file", "b"];
  const cases: [string, string[], RegExp][] = [
    ["two ways", ["--token-file", "t", ...all], /--token-file and --oidc-token-url are two ways/],
    ["two ways mixed", ["--token-file", "t", "--oidc-scope", "s"], /--token-file and --oidc-scope/],
    ["no client", all.slice(0, 2), /--oidc-token-url needs .*--oidc-client-id and --oidc-client-secret-file/],
    ["no endpoint", all.slice(2), /--oidc-client-id needs --oidc-token-url/],
    ["an audience alone", ["--oidc-audience", "x"], /--oidc-audience needs/],
    [
      "http elsewhere",
      ["--oidc-token-url", "http://provider.example/t", ...all.slice(2)],
      /https, or http on/,
    ],
    ["no URL", ["--oidc-token-url", "provider", ...all.slice(2)], /not the URL of a token endpoint/],
    ["a password", ["--oidc-token-url", "https://u:hidden@h/t", ...all.slice(2)], /without a user name/],
  ];
  for (const [name, args, reported] of cases) {
    test(name, async () => {
      for (const command of [["node"], ["jobs", "list"]]) {
        const { code, stderr } = await svc([...command, ...args]);
        assert.equal(code, 2, command.join(" "));
        assert.match(unwrapped(stderr), reported);
        assert.doesNotMatch(stderr, /hidden/);
      }
    });
  }
});
