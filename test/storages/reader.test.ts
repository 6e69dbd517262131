/** Objects on servers that cut connections, stall, lie, ignore ranges and change: the right bytes, or a clear fault. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { ObjectFault, type ObjectTrouble, type ObjectVersion } from "../../src/media/objects/object.ts";
import type { Asked } from "./media-server.ts";
import { content, StorageFixture } from "./storage-fixture.ts";

const FILM = "/film.mp4";
const BYTES = content(1_000_000);

let fixture: StorageFixture;

before(async () => {
  fixture = await StorageFixture.open();
});

beforeEach(() => {
  fixture.server.put(FILM, BYTES);
  fixture.server.fault = () => false;
  fixture.server.requests.length = 0;
});

after(() => fixture[Symbol.asyncDispose]());

function look(path = FILM): Promise<ObjectVersion> {
  return fixture.reader.look(fixture.access(path), false, AbortSignal.timeout(60_000));
}

async function read(version: ObjectVersion, first = 0, last = version.size - 1): Promise<Buffer> {
  const bytes = Buffer.alloc(last - first + 1);
  let written = first;
  await fixture.reader.read({
    access: () => fixture.access(FILM),
    version,
    range: { first, last },
    signal: AbortSignal.timeout(120_000),
    write: async (chunk, offset) => {
      assert.equal(offset, written);
      written += chunk.copy(bytes, offset - first);
    },
  });
  assert.equal(written, last + 1);
  return bytes;
}

async function fails(work: Promise<unknown>, trouble: ObjectTrouble): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ObjectFault, String(error));
    assert.equal(error.trouble, trouble, error.message);
    assert.doesNotMatch(error.message, /https:|localhost|film/);
    return true;
  });
}

/** Ends the connection of a request after some bytes of its body. */
function cutAfter(bytes: number) {
  return ({ response, headers, body }: Asked): true => {
    response.writeHead(206, headers);
    response.write(body.subarray(0, bytes), () => response.destroy());
    return true;
  };
}

test("finds the version of an object with one byte", async () => {
  const { etag, size, modifiedMs } = await look();
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  assert.equal(size, BYTES.length);
  assert.equal(modifiedMs, Date.parse("2026-01-02T03:04:05Z"));
  assert.deepEqual(fixture.server.requests, [{ path: FILM, range: "bytes=0-0", ifMatch: undefined }]);
});

test("reads a range, on condition that it is of the version", async () => {
  const version = await look();
  assert.deepEqual(await read(version, 1000, 299_999), BYTES.subarray(1000, 300_000));
  assert.deepEqual(fixture.server.requests.at(-1), {
    path: FILM,
    range: "bytes=1000-299999",
    ifMatch: version.etag,
  });
});

test("continues after interrupted connections where they stopped", async () => {
  const version = await look();
  let cuts = 0;
  fixture.server.fault = (asked) => {
    cuts++;
    return cuts % 3 === 0 ? false : cutAfter(70_000)(asked);
  };
  assert.deepEqual(await read(version), BYTES);
  assert.ok(cuts > 1);
  const starts = fixture.server.requests.slice(1).map(({ range }) => Number(/\d+/.exec(range)?.[0]));
  assert.deepEqual(
    starts,
    starts.toSorted((one, other) => one - other),
  );
  assert.ok(starts.some((start) => start > 0));
});

test("repeats requests that failed with a status of the server", async () => {
  const version = await look();
  const statuses = [500, 503, 200];
  fixture.server.fault = ({ response }) => {
    const status = statuses.shift();
    if (status === undefined) return false;
    response.writeHead(status).end("not the film");
    return true;
  };
  assert.deepEqual(await read(version), BYTES);
});

for (const [form, after] of [
  ["seconds", () => "2"],
  ["a time", () => new Date(Date.now() + 3_000).toUTCString()],
] as const)
  test(`asks again only after the pause that the storage asks for: ${form}`, async () => {
    const at: number[] = [];
    fixture.server.fault = ({ response }) => {
      at.push(performance.now());
      if (at.length > 1) return false;
      response.writeHead(503, { "retry-after": after() }).end();
      return true;
    };
    await look();
    assert.equal(at.length, 2);
    // A time has whole seconds.
    assert.ok((at[1] ?? 0) - (at[0] ?? 0) > 1_900, String(at));
  });

test("does not wait for a pause that makes no sense", async () => {
  for (const nonsense of ["", "-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "9".repeat(30)]) {
    const started = performance.now();
    let requests = 0;
    fixture.server.fault = ({ response }) => {
      if (requests++ > 0) return false;
      response.writeHead(429, { "retry-after": nonsense }).end();
      return true;
    };
    await look();
    assert.ok(performance.now() - started < 20_000, nonsense);
  }
});

test("gives up on a server that fails every time", async () => {
  fixture.server.fault = ({ response }) => {
    response.writeHead(503).end();
    return true;
  };
  await fails(look(), "UNAVAILABLE");
  fixture.server.fault = ({ response }) => {
    response.destroy();
    return true;
  };
  await fails(look(), "UNAVAILABLE");
});

for (const [lie, answer] of Object.entries<(asked: Asked) => void>({
  "announces more bytes than it sends": ({ response, headers, body }) =>
    void response.writeHead(206, headers).write(body.subarray(0, -1), () => response.destroy()),
  "announces fewer bytes than it sends": ({ response, headers, body }) => {
    const { "content-length": _, ...others } = headers;
    response.writeHead(206, others).end(Buffer.concat([body, Buffer.from("more")]));
  },
  "sends another range": ({ response, headers, body, range }) => {
    const shifted = `bytes ${range.first + 1}-${range.last + 1}/${BYTES.length}`;
    response.writeHead(206, { ...headers, "content-range": shifted }).end(body);
  },
  "sends another length": ({ response, headers, body }) =>
    void response.writeHead(206, { ...headers, "content-length": 3 }).end(body.subarray(0, 3)),
  "sends fewer bytes without a length": ({ response, headers, body }) => {
    const { "content-length": _, ...others } = headers;
    response.writeHead(206, others).end(body.subarray(0, 100));
  },
}))
  test(`reads exactly the requested bytes from a server that ${lie}`, async () => {
    const version = await look();
    let lies = 2;
    fixture.server.fault = (asked) => {
      lies--;
      if (lies < 0) return false;
      answer(asked);
      return true;
    };
    assert.deepEqual(await read(version, 0, 99_999), BYTES.subarray(0, 100_000));
    assert.ok(lies < 0);
  });

test("notices an object that was replaced, also by one of the same size and time", async () => {
  const version = await look();
  fixture.server.put(FILM, content(BYTES.length));
  await fails(read(version), "CHANGED");
  await fails(
    fixture.reader.verify({
      access: () => fixture.access(FILM),
      version,
      signal: AbortSignal.timeout(60_000),
    }),
    "CHANGED",
  );
});

test("notices an object that is replaced between two parts of a range", async () => {
  const version = await look();
  fixture.server.fault = (asked) => {
    fixture.server.put(FILM, content(BYTES.length));
    return cutAfter(70_000)(asked);
  };
  await fails(read(version), "CHANGED");
});

test("notices a replaced object on a server that ignores conditions", async () => {
  const version = await look();
  const other = content(BYTES.length);
  fixture.server.fault = ({ response, headers, range }) => {
    const body = other.subarray(range.first, range.last + 1);
    response.writeHead(206, { ...headers, etag: '"other"' }).end(body);
    return true;
  };
  await fails(read(version), "CHANGED");
});

test("notices an object that is gone, longer or shorter", async () => {
  const version = await look();
  fixture.server.delete(FILM);
  await fails(read(version), "MISSING");
  fixture.server.put(FILM, BYTES.subarray(0, 10));
  await fails(read({ ...version, etag: "" }, 20, 30), "CHANGED");
  fixture.server.put(FILM, Buffer.concat([BYTES, BYTES]));
  await fails(read({ ...version, etag: "" }), "CHANGED");
});

test("waits until a file on a web server has not been changed for two seconds", async () => {
  fixture.server.put(FILM, BYTES, new Date());
  const signal = AbortSignal.timeout(60_000);
  const { size } = await fixture.reader.look(fixture.access(FILM), true, signal);
  assert.equal(size, BYTES.length);
  assert.ok(fixture.server.requests.length >= 2);
});

test("refuses servers that cannot be used for videos", async () => {
  const headersWithout = (name: string) => {
    fixture.server.fault = ({ response, headers, body }) => {
      const { [name]: _, ...others } = headers;
      response.writeHead(206, others).end(body);
      return true;
    };
  };
  fixture.server.fault = ({ response }) => {
    response.writeHead(200, { "content-length": BYTES.length }).end(BYTES);
    return true;
  };
  await fails(look(), "UNSUITABLE");
  headersWithout("content-range");
  await fails(look(), "UNSUITABLE");
  fixture.server.fault = ({ response, headers, body }) => {
    response.writeHead(206, { ...headers, "content-encoding": "gzip" }).end(body);
    return true;
  };
  await fails(look(), "UNSUITABLE");
  fixture.server.fault = ({ response, headers, body }) => {
    response.writeHead(206, { "content-range": String(headers["content-range"]) }).end(body);
    return true;
  };
  await fails(look(), "UNSUITABLE");
});

test("distinguishes missing, forbidden and empty objects", async () => {
  await fails(look("/other.mp4"), "MISSING");
  fixture.server.put(FILM, Buffer.alloc(0));
  await fails(look(), "EMPTY");
  for (const status of [401, 403]) {
    fixture.server.fault = ({ response }) => {
      response.writeHead(status).end();
      return true;
    };
    fixture.server.put(FILM, BYTES);
    await fails(look(), "DENIED");
  }
});

test("asks for a new URL when the storage refuses one", async () => {
  const version = await look();
  let renewed = false;
  fixture.server.fault = ({ response, request }) => {
    if (request.url === `${FILM}?new`) return false;
    response.writeHead(403).end();
    return true;
  };
  const access = () => ({
    ...fixture.access(FILM),
    url: fixture.server.url(renewed ? `${FILM}?new` : `${FILM}?old`),
  });
  const onDenied = () => {
    renewed = true;
  };
  await fixture.reader.verify({ access, version, signal: AbortSignal.timeout(60_000), onDenied });
  assert.ok(renewed);
});

test("stops at once when it is aborted", async () => {
  const version = await look();
  const stop = new AbortController();
  fixture.server.fault = ({ response, headers, body }) => {
    response.writeHead(206, headers);
    response.write(body.subarray(0, 10));
    setTimeout(() => stop.abort(new Error("stopped")), 50);
    return true;
  };
  const reading = fixture.reader.read({
    access: () => fixture.access(FILM),
    version,
    range: { first: 0, last: 99 },
    signal: stop.signal,
    write: async () => {},
  });
  await assert.rejects(reading, /stopped/);
});

test("passes on the errors of the sink", async () => {
  const version = await look();
  const reading = fixture.reader.read({
    access: () => fixture.access(FILM),
    version,
    range: { first: 0, last: 99 },
    signal: AbortSignal.timeout(60_000),
    write: async () => {
      throw new Error("no space left");
    },
  });
  await assert.rejects(reading, /no space left/);
  assert.equal(fixture.server.requests.length, 2);
});
