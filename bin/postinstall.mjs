/**
 * Installs the scorer after npm has installed the package. Never fails: without it svc works with another scorer, and
 * says how to install this one. Plain JavaScript, because it may run on a Node.js that is too old for svc.
 */
const say = (line) => process.stdout.write(`svc: ${line}\n`);

try {
  // `npm install --offline` fetches nothing.
  if (process.env.npm_config_offline !== "true") {
    const [{ installScorer }, { programPlaces }] = await Promise.all([
      import("../lib/cli/scorer/install.js"),
      import("../lib/platform/config/program-places.js"),
    ]);
    const { scorerFolder } = programPlaces(process.env);
    const { path } = await installScorer({ scorerFolder, say: () => {} });
    say(`scorer installed: ${path}`);
  }
} catch (error) {
  const [reason] = String(error instanceof Error ? error.message : error).split("\n");
  say(`scorer not installed; run "svc scorer install" later. ${reason}`);
}
