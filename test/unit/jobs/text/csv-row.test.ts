import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRows } from "../../../../src/cli/input/csv-rows.ts";
import { csvRow } from "../../../../src/jobs/text/csv-row.ts";

test("texts that a spreadsheet would compute begin with an apostrophe, and numbers do not", () => {
  assert.equal(csvRow(["=1+1", "+x", "-x", "@x", "\tx"]), "'=1+1,'+x,'-x,'@x,'\tx\n");
  assert.equal(csvRow(["\r=x", '=HYPERLINK("a,b")']), `"'\r=x","'=HYPERLINK(""a,b"")"\n`);
  assert.equal(csvRow(["-1.5", "+2", "-1e-7", "-Infinity", "a=b", "'x"]), "-1.5,+2,-1e-7,-Infinity,a=b,'x\n");
});

test("svc reads the texts that it wrote", () => {
  const texts = ["=1+1", "'=x", "''@x", "-x", "'x", "\r\n", 'a,"b"', "-1.5", "", "x"];
  assert.deepEqual([...csvRows(csvRow(texts))][0]?.cells, texts);
});
