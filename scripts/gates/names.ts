/** Files and folders are named after their content: none is a catch-all such as util. */
import { basename } from "node:path";
import type { Gate } from "./gate.ts";
import { sourcePaths } from "./source.ts";

const FORBIDDEN = /^(utils?|common|helpers?|types?|misc|shared|lib)$/;

export const names: Gate = {
  name: "names",
  rule: "no folder or file is named util, common, helpers, types or misc",
  complaints: async (root) =>
    sourcePaths(root).flatMap((path) => {
      const words = path.split("/").map((part) => basename(part).replace(/\..*$/, "").toLowerCase());
      const bad = words.find((word) => FORBIDDEN.test(word));
      return bad === undefined ? [] : [`${path} is named "${bad}"; name it after its content`];
    }),
};
