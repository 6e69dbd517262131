/** Jobs on the embedded store, while controller, nodes and scorers are killed: none is lost, doubled or changed. */
import { test } from "node:test";
import { shortChaos } from "./short.ts";

test("kills under load, on the embedded store", () => shortChaos("embedded"));
