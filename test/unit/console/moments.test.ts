/** Formatting of instants. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatInstant } from "../../../web/src/ui/moments.ts";

test("an instant may wrap before its time of day, but not before its time zone", () => {
  const [, ...timeOfDay] = formatInstant("2026-11-22T03:04:05Z").split(/, (?=[^,]*$)/);
  assert.match(timeOfDay.join(""), /^\d{1,2}:\d{2}:05/);
  assert.doesNotMatch(timeOfDay.join(""), / /);
});
