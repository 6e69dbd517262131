import { test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, signToken } from "../auth/tokens.ts";
import { makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { controllerConforms } from "./described.ts";

const ISSUER = "https://id.example";

test("a controller with authentication conforms to its description", async (t) => {
  await using clips = await makeClips();
  const signer = newSigner("one");
  const keyServer = await KeyServer.open(keys(signer));
  t.after(() => keyServer.close());
  await using controller = await ControllerProcess.start({
    dataDir: clips.directory.file("gated"),
    auth: [
      ...["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER, "--auth-audience", "svc"],
      ...["--media-root", clips.directory.path],
    ],
  });
  const now = Math.floor(Date.now() / 1000);
  const token = signToken(signer, {
    ...{ iss: ISSUER, iat: now, exp: now + 3_600, tid: "acme", sub: "conformance", svc_roles: ["svc:admin"] },
  });
  await controllerConforms(controller, clips, { token });
});
