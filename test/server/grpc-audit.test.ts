/** Audit entries of gRPC calls that fail before or after the services. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { Audit } from "../../src/audit/audit.ts";
import type { AuditRecord } from "../../src/audit/record.ts";
import { failureOf } from "../../src/client/connection/failure.ts";
import { CONTROLLER_DESCRIPTORS, controllerServices } from "../../src/grpc/controller.ts";
import { RpcServer, rpcOperations } from "../../src/grpc/server.ts";
import { Failure } from "../../src/platform/failure.ts";
import { until } from "../waiting.ts";
import { GrpcClient } from "./grpc-client.ts";

test("a failure outside the services is recorded with its stable code, not the gRPC status", async () => {
  const records: AuditRecord[] = [];
  const server = new RpcServer({
    services: controllerServices(() => {
      throw new Failure("STORE_UNAVAILABLE", "The store is not open yet.");
    }),
    registry: new Registry(),
    gate: { isAnonymous: false, admit: async () => ({ tenant: "acme", subject: "alice", roles: [] }) },
    audit: new Audit([{ take: (record) => records.push(record) }]),
  });
  const operations = rpcOperations(CONTROLLER_DESCRIPTORS).filter((name) => name.startsWith("svc."));
  const grpc = `127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  try {
    using client = new GrpcClient({ grpc });
    for (const operation of operations) {
      const answer = client.bytesCall(`/${operation}`, Buffer.alloc(0)).toArray();
      const thrown = await answer.then(
        () => assert.fail(operation),
        (error: unknown) => error,
      );
      assert.equal(failureOf(thrown, grpc).code, "STORE_UNAVAILABLE");
    }
    const ended = () => records.filter(({ outcome }) => outcome !== "STARTED");
    await until(async () => ended().length === operations.length, "the log lines");
    assert.deepEqual(
      ended().map(({ operation, outcome }) => [operation, outcome]),
      operations.map((operation) => [operation, "STORE_UNAVAILABLE"]),
    );
  } finally {
    await server.close(0);
  }
});

test("an error while admitting a call is answered and only ends that call", async () => {
  const fault = () => {
    throw new TypeError("planted");
  };
  const server = new RpcServer({
    services: controllerServices(fault),
    registry: new Registry(),
    gate: { isAnonymous: false, admit: async () => ({ tenant: "acme", subject: "alice", roles: [] }) },
    tracer: { serve: fault, claim: fault, resume: fault },
  });
  const grpc = `127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
  try {
    using client = new GrpcClient({ grpc });
    const answer = client.bytesCall("/svc.v1.JobService/GetJob", Buffer.alloc(0)).toArray();
    await assert.rejects(answer, (thrown) => failureOf(thrown, grpc).code === "INTERNAL");
  } finally {
    await server.close(0);
  }
});
