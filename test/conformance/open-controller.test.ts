import { test } from "node:test";
import { makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { controllerConforms } from "./described.ts";

test("a controller without authentication conforms to its description", async () => {
  await using clips = await makeClips();
  await using controller = await ControllerProcess.start({ dataDir: clips.directory.file("open") });
  await controllerConforms(controller, clips);
});
