/** --help of every command, and unknown commands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { type Ended, SVC, start, startOnTerminal } from "../cli/program.ts";

const run = promisify(execFile);

interface Page {
  readonly words: readonly string[];
  readonly text: string;
}

const COLUMNS = 80;
/** The end of an option's description: its default, and its variable if it has one. */
const NOTATION = / \(default: [^"; ](?:(?!env: ).)*(; env: SVC_[A-Z_]+)?\)$/;

describe("--help of every command", async () => {
  const pages = await pagesBelow([]);
  const described = (page: Page) => ["svc", ...page.words].join(" ");

  test("finds all commands from svc --help on", () => {
    const names = pages.map(described);
    for (const name of [
      "svc score",
      "svc jobs frames",
      "svc tenants unrevoke",
      "svc controller",
      "svc migrate",
    ])
      assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
  });

  for (const page of pages) {
    test(described(page), () => {
      assert.match(page.text, /^Examples:\n(.*\n)*? +\$ .*svc /m);
      assert.match(page.text, /^Exit codes:\n {2}0 {4}\S/m);
      for (const option of optionsOf(page.text)) {
        if (/^(-h, --help|-V, --version) /.test(option)) continue;
        assert.match(option, NOTATION);
        assert.equal(option.split(/default: |env: /).length, option.includes("env: ") ? 3 : 2, option);
      }
      assert.deepEqual(
        page.text.split("\n").filter((line) => line.length > COLUMNS),
        [],
      );
      assertGroups(page.text);
    });
  }

  test("every command that calls a controller has the options of the server and the token", () => {
    const callers = /^svc (?:(?:jobs|nodes|tenants) \w+|whoami)$/;
    const called = pages.filter((page) => callers.test(described(page)));
    assert.ok(called.length >= 16, called.map(described).join(", "));
    for (const page of called)
      for (const part of ["--server <host:port>", "SVC_SERVER", "--token-file", "SVC_TOKEN"])
        assert.ok(page.text.includes(part), `${described(page)}: ${part}`);
  });
});

/** Flags of TLS and authentication, which few people need. */
const LAST_GROUPS = [
  ["TLS options", /^--tls/],
  ["Authentication options", /^--(?:auth-|oidc-|jwks-|tenants-|token-file|kubeconfig)/],
] as const;

/** Checks that TLS and authentication options are the last groups, with nothing else in them. */
function assertGroups(text: string): void {
  const groups = groupsOf(text);
  const names = groups.map(([name]) => name);
  const present = LAST_GROUPS.map(([name]) => name).filter((name) => names.includes(name));
  assert.deepEqual(names.slice(names.length - present.length), present);
  for (const [name, flags] of groups) {
    for (const flag of flags) {
      const home = LAST_GROUPS.find(([, pattern]) => pattern.test(flag))?.[0];
      const isLast = LAST_GROUPS.some(([last]) => last === name);
      assert.equal(isLast ? name : undefined, home, `${flag} in ${name}`);
    }
  }
}

test("lays out terms, prose and commands for 80 and 120 columns", async () => {
  for (const columns of [80, 120, 200]) {
    for (const words of [["score"], ["jobs", "submit"], ["controller"], ["node"]]) {
      await using running = startOnTerminal([SVC, ...words, "--help"], columns);
      const { stdout } = await running.ended();
      const lines = stdout.replaceAll("\r", "").split("\n");
      const widest = Math.max(...lines.map(({ length }) => length));
      const most = Math.min(columns, 120);
      assert.ok(widest <= most && widest > most - 12, `${words.join(" ")}: ${widest} of ${columns} columns`);
    }
  }
});

test("a shell can run example commands that are split over lines", async () => {
  const { stdout } = await svc(["jobs", "submit", "--help"]);
  const broken = [...stdout.matchAll(/^ +\$ ((?:.*\\\n)+.*)$/gm)].map(([, command = ""]) => command);
  assert.ok(broken.length > 0);
  for (const command of broken) {
    const sayWords = command.replaceAll("svc ", `printf '<%s>' `).replace(/^echo/, ":");
    const reported = await run("sh", ["-c", sayWords]);
    assert.match(reported.stdout, /^<jobs><submit>(?:<[^<>\n]+>)+$/, command);
  }
});

test("fits a narrow terminal", async () => {
  for (const words of [["jobs"], ["jobs", "submit"], ["controller"]]) {
    await using running = startOnTerminal([SVC, ...words, "--help"], 60);
    const { stdout } = await running.ended();
    assert.match(stdout, /Examples:/);
    assert.deepEqual(tooWide(stdout.replaceAll("\r", ""), 60), []);
  }
});

const UNKNOWN = [
  { words: ["scor"], see: "svc", meant: "score" },
  { words: ["scor", "--help"], see: "svc", meant: "score" },
  { words: ["help", "nosuch"], see: "svc" },
  { words: ["jobs", "nosuch", "--help"], see: "svc jobs" },
  { words: ["help", "jobs", "nosuch"], see: "svc jobs" },
  { words: ["jobs", "help", "sumbit"], see: "svc jobs", meant: "submit" },
  { words: ["jobs", "sumbit", "a", "b"], see: "svc jobs", meant: "submit" },
];

test("an unknown command is an error, also with --help", async () => {
  for (const { words, see, meant } of UNKNOWN) {
    const { code, stdout, stderr } = await svc(words);
    assert.equal(code, 2, words.join(" "));
    assert.equal(stdout, "");
    const suggestion = meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
    const name = words.find((word) => !["jobs", "help"].includes(word));
    assert.equal(stderr, `error: unknown command '${name}'${suggestion}\nSee ${see} --help.\n`);
  }
});

test("uses the API's metric names, and accepts either spelling", async () => {
  const { stdout } = await svc(["score", "--help"]);
  assert.match(
    stdout.replaceAll(/\s+/g, " "),
    /: psnr, ssim, ms_ssim, ciede, cambi, psnr_hvs, xpsnr \(default/,
  );
  for (const name of ["ms_ssim", "ms-ssim"]) {
    const { stderr } = await svc(["score", "--metric", name, "/nowhere/a.mp4", "/nowhere/b.mp4"]);
    assert.match(stderr, /\[MEDIA_NOT_FOUND\]/);
  }
});

async function svc(words: readonly string[]): Promise<Ended> {
  await using running = start(SVC, words);
  running.child.stdin?.end();
  return await running.ended();
}

/** Returns the help page of a command and of its subcommands. */
async function pagesBelow(words: readonly string[]): Promise<Page[]> {
  const { code, stdout, stderr } = await svc([...words, "--help"]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const below: Page[] = [];
  for (const name of namesOf(stdout)) below.push(...(await pagesBelow([...words, name])));
  return [{ words, text: stdout }, ...below];
}

function namesOf(text: string): string[] {
  const section = /^Commands:\n((?: .*\n)+)/m.exec(text)?.[1] ?? "";
  const names = [...section.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => name !== "help");
}

/** Returns the options of a page, each in one line. */
function optionsOf(text: string): string[] {
  const lines = optionLines(text).filter((line) => line.startsWith(" "));
  return lines
    .join("\n")
    .split(/\n(?= {2}-)/)
    .map((option) => option.trim().replaceAll(/\s+/g, " "));
}

/** Returns the option headings of a page, each with its flags. */
function groupsOf(text: string): [string, string[]][] {
  const groups: [string, string[]][] = [];
  for (const line of optionLines(text)) {
    const heading = /^(\S.*):$/.exec(line)?.[1];
    if (heading !== undefined) groups.push([heading, []]);
    const flag = /^ {2}(?:-\w, )?(--[\w-]+)/.exec(line)?.[1];
    if (flag !== undefined) groups.at(-1)?.[1].push(flag);
  }
  return groups;
}

function optionLines(text: string): string[] {
  const section = /^Options:\n[\s\S]*?(?=^(?:Commands|Examples):\n)/m.exec(text)?.[0] ?? "";
  return section.split("\n").filter((line) => line !== "");
}

/** Returns lines wider than the terminal, except for commands to copy and their continuation lines. */
function tooWide(text: string, columns: number): string[] {
  const lines = text.split("\n");
  const isCommand = (at: number) => / \$ /.test(lines[at] ?? "") || lines[at - 1]?.endsWith("\\") === true;
  return lines.filter((line, at) => line.length > columns && !isCommand(at));
}
