/** Completion of names that the controller lists, in real shells, and the command that the scripts call. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual, promisify } from "node:util";
import { type Ended, SVC, start, startOnTerminal } from "../cli/program.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const run = promisify(execFile);

/** Milliseconds for repeated completions. */
const LIMIT_MS = 60_000;
/** As in completion.test.ts. */
const ZSH_SHOW =
  'show() { zle complete-word; zle -I; print -r -- "[$BUFFER]"; BUFFER=; }; zle -N show; bindkey "^]" show';

/** Repeats a completion until it finds the names: svc gives up after two seconds, which a busy machine may need. */
async function offers(
  complete: () => Promise<readonly string[]>,
  expected: readonly string[],
): Promise<void> {
  let found: readonly string[] = [];
  await until(
    async () => {
      found = await complete();
      return isDeepStrictEqual(found, expected);
    },
    () => `${JSON.stringify(expected)}, not ${JSON.stringify(found)}`,
    LIMIT_MS,
  );
}

let directory: string;
/** A media root. */
let media: string;
let controller: ControllerProcess;
let env: Record<string, string>;

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "svc-media-")));
  media = join(directory, "media");
  for (const name of ["encodes", "my folder", "$(touch ran);x", "\u202ersredlof"])
    await mkdir(join(media, name), { recursive: true });
  await writeFile(join(media, "film.mov"), "");
  const s3 = { region: "eu-central-1", buckets: ["masters", "encodes/day=1/"] };
  const storages = { storages: [{ s3 }, { https: { hosts: ["media.example"] } }] };
  await writeFile(join(directory, "storages.yaml"), JSON.stringify(storages));
  controller = await ControllerProcess.start({
    dataDir: join(directory, "data"),
    args: ["--media-root", media, "--storages-file", join(directory, "storages.yaml")],
    env: { AWS_ACCESS_KEY_ID: "", AWS_EC2_METADATA_DISABLED: "true" },
  });
  await mkdir(join(directory, "bin"));
  await symlink(SVC, join(directory, "bin/svc"));
  env = {
    HOME: directory,
    PATH: `${join(directory, "bin")}:${process.env["PATH"]}`,
    SVC_SERVER: controller.grpc,
  };
  const scriptOf = (shell: string) => join(directory, `completion.${shell}`);
  for (const shell of ["bash", "zsh", "fish"])
    await writeFile(scriptOf(shell), (await svc(["completion", shell])).stdout);
  await writeFile(join(directory, "bashrc"), `PS1='$ '; source '${scriptOf("bash")}'`);
  await writeFile(join(directory, ".zshrc"), `PS1='$ '; source '${scriptOf("zsh")}'; ${ZSH_SHOW}`);
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe("svc media complete", () => {
  const complete = async (args: readonly string[], over: Record<string, string> = {}): Promise<string[]> => {
    const { code, stdout, stderr } = await ended(args, over);
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout.split("\n").filter(Boolean);
  };
  const ended = (args: readonly string[], over: Record<string, string> = {}): Promise<Ended> =>
    start(SVC, ["media", "complete", "--", ...args], {
      env: { SVC_SERVER: controller.grpc, ...over },
    }).ended();

  test("prints what continues the word, without names that would change the terminal", async () => {
    const cases: readonly (readonly [what: string, word: string, names: readonly string[]])[] = [
      ["videos", "s3:", ["s3://encodes/day=1/", "s3://masters/"]],
      ["videos", "https:", ["https://media.example/"]],
      ["videos", media.slice(0, -1), [`${media}/`]],
      [
        "videos",
        `${media}/`,
        ["", "$(touch ran);x/", "encodes/", "film.mov", "my folder/"].map((name) => `${media}/${name}`),
      ],
      ["folders", `${media}/e`, [`${media}/encodes/`]],
      ["folders", `${media}/f`, []],
    ];
    for (const [what, word, names] of cases) await offers(() => complete([what, word]), names);
  });

  test("calls the server that the line names", async () => {
    const line = `svc jobs submit --name x --wait --server ${controller.grpc} s3:`;
    const names = ["s3://encodes/day=1/", "s3://masters/"];
    await offers(() => complete(["videos", "s3:", line], { SVC_SERVER: "127.0.0.1:1" }), names);
    const quoted = `svc jobs submit --server='${controller.grpc}' s3:`;
    assert.equal((await complete(["videos", "s3:", quoted], { SVC_SERVER: "127.0.0.1:1" })).length, 0);
  });

  test("prints nothing if it fails", async () => {
    for (const word of ["/etc/", "s3://other/", "s3://masters/", "x".repeat(5000), "s3://"])
      for (const server of ["127.0.0.1:1", "no address"])
        assert.deepEqual(await complete(["videos", word], { SVC_SERVER: server }), []);
    assert.deepEqual(await complete(["videos", "s3:", "svc jobs submit --server"]), []);
    assert.deepEqual(await complete(["videos", "s3:", "svc jobs submit --tls-ca /none"]), []);
    assert.deepEqual(await complete(["videos", "/etc/pass"]), []);
  });

  test("ends within about two seconds if the server does not answer", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    assert.ok(address !== null && typeof address === "object");
    const connected = once(silent, "connection");
    const completed = complete(["videos", "s3:"], { SVC_SERVER: `127.0.0.1:${address.port}` });
    await connected;
    const started = performance.now();
    assert.deepEqual(await completed, []);
    silent.close();
    // Far below the 30 s of other calls, also on a busy machine.
    const took = performance.now() - started;
    assert.ok(took < 8_000, `${took} ms`);
  });

  test("is not in the help", async () => {
    const { stdout } = await svc(["media", "--help"]);
    assert.doesNotMatch(stdout, /complete /);
  });
});

/** What is typed before Tab, and the completed line as the shell quotes it. */
const typedIn = (root: string): readonly (readonly [string, string])[] => [
  ["svc jobs submit s3://m", "svc jobs submit s3://masters/"],
  ["svc jobs submit --wait a.mov s3://encodes/day=", "svc jobs submit --wait a.mov s3://encodes/day=1/"],
  ["svc compare a.mov https://m", "svc compare a.mov https://media.example/"],
  [`svc media ls ${root}/e`, `svc media ls ${root}/encodes/`],
  [`svc media ls ${root}/my`, `svc media ls ${root}/my\\ folder/`],
  [`svc media ls ${root}/my\\ f`, `svc media ls ${root}/my\\ folder/`],
  [`svc media ls ${root}/\\$`, `svc media ls ${root}/\\$\\(touch\\ ran\\)\\;x/`],
  [`svc media ls ${root}/none`, `svc media ls ${root}/none`],
  ["svc score s3://m", "svc score s3://m"],
];

for (const [shell, command, show] of [
  // Edits the start and end of the line, so that the shell prints it instead of running it.
  ["bash", "bash --rcfile bashrc -i", "\t\x01printf '%s\\n' '[\x05]'\r"],
  ["zsh", "zsh -i", "\x1d"],
] as const) {
  test(`${shell} completes names of the controller, and quotes them`, async () => {
    const started = ["sh", "-c", `cd "$HOME" && exec ${command}`];
    await using terminal = startOnTerminal(started, 300, { ...env, ZDOTDIR: directory, HISTFILE: "" });
    await terminal.printed(/\$ /);
    const shown = () => [...terminal.stdout.matchAll(/^\[(svc .*?) ?\]\r?$/gm)].map(([, line = ""]) => line);
    for (const [typed, completed] of typedIn(media)) {
      const complete = async () => {
        const before = shown().length;
        terminal.child.stdin?.write(`${typed}${show}`);
        await until(() => shown().length > before, `${shell} to complete ${typed}`);
        return shown().slice(before);
      };
      await offers(complete, [completed]);
    }
    terminal.child.stdin?.write("exit\r");
    await terminal.ended();
    await assert.rejects(access(join(directory, "ran")));
  });
}

test("fish offers names of the controller", async () => {
  const complete = async (line: string) => {
    const say = `source '${join(directory, "completion.fish")}'; complete -C '${line}'`;
    const { stdout } = await run("fish", ["--no-config", "-c", say], { cwd: directory, env });
    return stdout.split("\n").filter(Boolean);
  };
  await offers(() => complete("svc jobs submit s3://m"), ["s3://masters/"]);
  await offers(() => complete("svc compare a.mov https://m"), ["https://media.example/"]);
  await offers(() => complete(`svc media ls ${media}/my`), [`${media}/my folder/`]);
});
