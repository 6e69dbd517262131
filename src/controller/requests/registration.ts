/** Checks the registration of a node. */
import { randomBytes, randomUUID } from "node:crypto";
import type { NodeCapabilities, RegisterNodeRequest } from "../../gen/proto/svc/v1/node_pb.ts";
import { MAX_SCORER_VERSION as MAX_VERSION, MODEL_NAME } from "../../jobs/request-limits.ts";
import type { ModelId, NodeScorer } from "../../jobs/work.ts";
import { invalid } from "../../platform/failure.ts";
import type { NewNode, NodeRoom } from "../../store/contract/node-records.ts";

const MAX_NAME = 200;
const MAX_SLOTS = 1024;
/** Most models of a scorer. libvmaf has 17 models and 3 short names; the rest is room for a node's own model files. */
const MAX_NODE_MODELS = 128;
/** Most scorers besides the default one. A node has the bundled scorers and those on its PATH. */
const MAX_MORE_SCORERS = 8;
/** Most bytes of all capabilities as JSON: enough for 100 models with their digests. */
const MAX_BYTES = 16 * 1024;
const DIGEST = /^([0-9a-f]{64})?$/;
const SESSION_BYTES = 32;
/** Maximum nodes of a tenant, besides the fleet's; a list of nodes is one response. A usual node has some 600 bytes. */
export const NODE_ROOM: NodeRoom = { nodes: 1_000, bytes: 2 * 2 ** 20 };

/** Throws INVALID_REQUEST. */
export function newNode(request: RegisterNodeRequest, tenant: string): NewNode {
  const { name, slots, capabilities } = request;
  if (capabilities?.scorer === undefined) throw invalid("capabilities.scorer is missing.");
  checkText("name", name, MAX_NAME);
  if (slots < 1 || slots > MAX_SLOTS) throw invalid(`slots is ${slots}. Use 1 to ${MAX_SLOTS}.`);
  checkText("capabilities.version", capabilities.version, MAX_VERSION);
  const more = moreScorers(capabilities.moreScorers);
  const registered = {
    ...nodeScorer("capabilities", capabilities),
    ...(capabilities.stills && { stills: true }),
    ...(capabilities.clips && { clips: true }),
    ...(capabilities.diagnoses && { diagnoses: true }),
    ...(capabilities.titles && { titles: true }),
    ...(capabilities.storedTitles && { storedTitles: true }),
    ...(more.length > 0 && { moreScorers: more }),
  };
  const bytes = Buffer.byteLength(JSON.stringify(registered));
  if (bytes > MAX_BYTES) {
    throw invalid(
      `capabilities have ${bytes} bytes as JSON. Use at most ${MAX_BYTES}: fewer models, or shorter names.`,
    );
  }
  const session = randomBytes(SESSION_BYTES).toString("base64url");
  return {
    id: randomUUID(),
    session,
    tenant,
    name,
    slots,
    capabilities: registered,
    version: capabilities.version,
  };
}

function moreScorers(scorers: NodeCapabilities["moreScorers"]): readonly NodeScorer[] {
  if (scorers.length > MAX_MORE_SCORERS)
    throw invalid(`capabilities.moreScorers has ${scorers.length} scorers. Use at most ${MAX_MORE_SCORERS}.`);
  return scorers.map((one, index) => nodeScorer(`capabilities.moreScorers[${index}]`, one));
}

/** Checks a scorer and its models; `path` names them in a failure. */
function nodeScorer(
  path: string,
  { scorer, models, scoredBy }: Pick<NodeCapabilities, "scorer" | "models" | "scoredBy">,
): NodeScorer {
  if (scorer === undefined) throw invalid(`${path}.scorer is missing.`);
  const { program, version, libvmafVersion } = scorer;
  checkText(`${path}.scorer.program`, program, MAX_VERSION);
  checkText(`${path}.scorer.version`, version, MAX_VERSION);
  checkText(`${path}.scorer.libvmafVersion`, libvmafVersion, MAX_VERSION);
  if (!DIGEST.test(scoredBy)) throw invalid(`${path}.scoredBy is not a SHA-256 in hex.`);
  const known = { scorer: { program, version, libvmafVersion }, models: modelIds(path, models) };
  return scoredBy === "" ? known : { ...known, scoredBy };
}

/** Throws INVALID_REQUEST. */
function modelIds(path: string, models: readonly ModelId[]): ModelId[] {
  if (models.length > MAX_NODE_MODELS) {
    throw invalid(`${path}.models has ${models.length} models. Use at most ${MAX_NODE_MODELS}.`);
  }
  return models.map(({ name, digest }, index) => {
    if (!MODEL_NAME.test(name) || !DIGEST.test(digest)) {
      throw invalid(`${path}.models[${index}] is not a model name with the SHA-256 of its file.`);
    }
    return { name, digest };
  });
}

function checkText(field: string, text: string, most: number): void {
  if (text === "") throw invalid(`${field} is missing.`);
  if (text.length > most) throw invalid(`${field} is longer than ${most} characters.`);
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) throw invalid(`${field} contains a control character.`);
}
