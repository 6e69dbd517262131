/** Jobs on the embedded store while controller, nodes and scorers are killed: none is lost, duplicated or changed. */
import { test } from "node:test";
import { shortChaos } from "./short.ts";

test("kills under load lose no job on the embedded store", () => shortChaos("embedded"));
