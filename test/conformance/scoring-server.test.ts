import { test } from "node:test";
import { makeClips } from "../server/clips.ts";
import { ServerProcess } from "../server/server-process.ts";
import { serverConforms } from "./described.ts";

test("the scoring server conforms to its description", async () => {
  await using clips = await makeClips();
  await using server = await ServerProcess.start();
  await serverConforms(server, clips);
});
