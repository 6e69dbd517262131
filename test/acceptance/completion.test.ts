/** Tests the completion scripts in real shells, with keys typed on a terminal. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { startOnTerminal } from "../cli/program.ts";
import { svc } from "../server/svc-process.ts";

const run = promisify(execFile);
const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Completes the line and prints it, for a key of its own: zsh completes differently if more input is waiting. */
const ZSH_SHOW =
  'show() { zle complete-word; zle -I; print -r -- "[$BUFFER]"; BUFFER=; }; zle -N show; bindkey "^]" show';

let home: string;
before(async () => {
  home = await mkdtemp(join(tmpdir(), "svc-completion-"));
  await mkdir(join(home, "films"));
  await writeFile(join(home, "filmlist.csv"), "");
  await writeFile(join(home, "my source.mov"), "");
  for (const shell of SHELLS) {
    const { code, stdout, stderr } = await svc(["completion", shell]);
    assert.deepEqual([code, stderr], [0, ""]);
    await writeFile(scriptOf(shell), stdout);
  }
  await writeFile(join(home, "bashrc"), `PS1='$ '; source '${scriptOf("bash")}'`);
  await writeFile(join(home, ".zshrc"), `PS1='$ '; source '${scriptOf("zsh")}'; ${ZSH_SHOW}`);
});
after(() => rm(home, { recursive: true }));

const scriptOf = (shell: Shell) => join(home, `completion.${shell}`);

/** What is typed before Tab, and the completed last word; undefined: nothing is offered. */
const TYPED: readonly (readonly [string, string | undefined])[] = [
  ["svc jo", "jobs"],
  ["svc jobs subm", "submit"],
  ["svc help ser", "server"],
  ["svc jobs rescore --model v1-p", "v1-phone"],
  ["svc jobs submit --on-frame-c", "--on-frame-count-mismatch"],
  ["svc jobs submit --on-frame-count-mismatch co", "common"],
  ["svc score --edit-lists ig", "ignore"],
  ["svc score --edit-lists=ig", "--edit-lists=ignore"],
  ["svc jobs list --state ru", "running"],
  ["svc score -m vmaf_4k_v0.6.1n", "vmaf_4k_v0.6.1neg"],
  ["svc node --log-level w", "warn"],
  ["svc completion f", "fish"],
  ["svc score my", "my source.mov"],
  ["svc jobs submit --from filml", "filmlist.csv"],
  ["svc up --data-dir fil", "films/"],
  ["svc jobs get fil", undefined],
  ["svc jobs submit --name fil", undefined],
];

for (const [shell, command, show] of [
  // Edits the start and end of the line, so that the shell prints it instead of running it.
  ["bash", ["bash", "--rcfile", "bashrc", "-i"], "\t\x01printf '%s\\n' '[\x05]'\r"],
  ["zsh", ["zsh", "-i"], "\x1d"],
] as const) {
  test(`${shell} completes commands, options, values, files and folders`, async () => {
    const started = ["sh", "-c", `cd "$HOME" && exec ${command.join(" ")}`];
    await using terminal = startOnTerminal(started, 200, { HOME: home, ZDOTDIR: home, HISTFILE: "" });
    await terminal.printed(/\$ /);
    for (const [typed, word] of TYPED) {
      terminal.child.stdin?.write(`${typed}${show}`);
      const head = typed.slice(0, typed.lastIndexOf(" ") + 1);
      const line = word === undefined ? typed : head + word.replace(" ", "\\ ").replace(/\/$/, "");
      const escaped = line.replaceAll(/[.\\]/g, "\\$&");
      await terminal.printed(new RegExp(`^\\[${escaped}[ /]?\\]\\r?$`, "m"));
    }
    terminal.child.stdin?.write("exit\r");
    await terminal.ended();
  });
}

test("fish completes the same, with descriptions", async () => {
  const offers = async (line: string) => {
    const say = `source '${scriptOf("fish")}'; complete -C '${line}'`;
    const { stdout } = await run("fish", ["--no-config", "-c", say], {
      cwd: home,
      env: { ...process.env, HOME: home },
    });
    return stdout.trimEnd().split("\n").filter(Boolean);
  };
  for (const [typed, word] of TYPED) {
    const words = (await offers(typed)).map((offer) => offer.split("\t")[0]);
    assert.deepEqual(words, word === undefined ? [] : [word], typed);
  }
  assert.deepEqual(await offers("svc jobs wat"), ["watch\tshow the progress of jobs live"]);
  assert.deepEqual(await offers("svc jobs submit --idem"), [
    "--idempotency-key\tmakes a retry safe: the same key returns the job stored first",
  ]);
});

describe("the scripts", () => {
  test("have every command and option of the help", async () => {
    for (const words of [
      [],
      ["score"],
      ["jobs"],
      ["jobs", "submit"],
      ["controller"],
      ["tenants", "revoke"],
    ]) {
      const { stdout } = await svc([...words, "--help"]);
      const [options = ""] = stdout.split("\nExamples:");
      const flags = [...options.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
      const path = ["svc", ...words].join(" ");
      const say = `source '${scriptOf("bash")}'; COMP_WORDS=(${path} --); COMP_CWORD=${words.length + 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout: offered } = await run("bash", ["--norc", "-c", say]);
      assert.deepEqual(new Set(offered.trimEnd().split("\n")), new Set(flags), path);
    }
  });

  test("don't run what is typed", async () => {
    const marker = join(home, "ran");
    const typed = `svc score $(touch '${marker}') \`touch '${marker}'\` `;
    const say = `source '${scriptOf("bash")}'; COMP_WORDS=(svc score '$(touch ${marker})' ''); COMP_CWORD=3; _svc`;
    await run("bash", ["--norc", "-c", say]);
    await run("fish", [
      "--no-config",
      "-c",
      `source '${scriptOf("fish")}'; complete -C ${JSON.stringify(typed).replaceAll("$", "\\$")}`,
    ]);
    await assert.rejects(run("ls", [marker]));
  });

  test("refuses an unsupported shell and lists the supported ones", async () => {
    for (const args of [["powershell"], []]) {
      const { code, stdout, stderr } = await svc(["completion", ...args]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, args.length > 0 ? /bash, zsh, fish/ : /missing required argument 'shell'/);
    }
  });
});
