/**
 * Jobs whose videos are in a storage that cuts connections and replaces objects, while controller, nodes and scorers are
 * killed: none is lost, duplicated or changed.
 */
import { test } from "node:test";
import { shortChaos } from "./short.ts";

test("kills under load lose no job whose videos are in a storage", () => shortChaos("embedded", "storage"));
