/** Settings of tracing, from the command line and OpenTelemetry's own variables. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isReadableInTransit,
  listedPairs,
  refuseCredentials,
  TRACING_SETTINGS,
} from "../../../src/processes/parts/tracing-settings.ts";

const { otlpEndpoint, traceSample } = TRACING_SETTINGS;

test("an endpoint is a collector's base URL, or the exact URL of its traces", () => {
  const read = (text: string) => otlpEndpoint.parse(text) ?? assert.fail("not a URL");
  assert.equal(read("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/traces");
  assert.equal(read("https://otel.example/"), "https://otel.example/v1/traces");
  assert.equal(read("https://otel.example/otlp/"), "https://otel.example/otlp/v1/traces");
  assert.equal(read("https://otel.example/otlp/v1/traces"), "https://otel.example/otlp/v1/traces");
  for (const text of ["", "127.0.0.1:4318", "grpc://otel:4317", "file:///etc/passwd"])
    assert.throws(() => read(text), /is not an http or https URL/, text);
  refuseCredentials(read("https://otel.example/"));
  for (const text of [
    "https://user@otel",
    "https://:secret@otel",
    "https://otel/?key=secret",
    "https://otel/#secret",
  ]) {
    assert.throws(
      () => refuseCredentials(read(text)),
      ({ message }: Error) => message.includes("OTEL_EXPORTER_OTLP_HEADERS") && !message.includes("secret"),
      text,
    );
  }
});

test("a ratio is a number from 0 to 1", () => {
  for (const [text, share] of Object.entries({ "0": 0, "1": 1, "0.25": 0.25, ".5": 0.5 }))
    assert.equal(traceSample.parse(text), share);
  for (const text of ["", "1.1", "-0.1", "1e-3", "half", "0x1", "1."])
    assert.throws(() => traceSample.parse(text), /is not a number from 0 to 1/, text);
});

test("headers use OpenTelemetry's list format; errors do not quote them", () => {
  assert.deepEqual(listedPairs("V", "authorization=Bearer%20abc%3D,x-tenant = a=b ,"), {
    authorization: "Bearer abc=",
    "x-tenant": "a=b",
  });
  assert.deepEqual(listedPairs("V", ""), {});
  for (const text of ["secret", "a=1,=secret", "a b=secret", "a=%zzsecret", "a=secret%0d%0ab: c"]) {
    assert.throws(
      () => listedPairs("V", text),
      (error: Error) =>
        /^V: item \d is not name=value/.test(error.message) && !error.message.includes("secret"),
      text,
    );
  }
});

test("detects whether credentials would be sent unencrypted", () => {
  assert.equal(isReadableInTransit("http://collector:4318/v1/traces"), true);
  assert.equal(isReadableInTransit("http://127.0.0.1:4318/v1/traces"), false);
  assert.equal(isReadableInTransit("https://collector/v1/traces"), false);
});
