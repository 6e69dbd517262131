/** Jobs on PostgreSQL while controller, nodes, scorers and database are killed: none is lost, duplicated or changed. */
import { test } from "node:test";
import { shortChaos } from "./short.ts";

test("kills under load lose no job on PostgreSQL", () => shortChaos("postgres"));
