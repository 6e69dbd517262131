/** The program. A subcommand is loaded only when it is called. */
import { setFlagsFromString } from "node:v8";
import { type Command, CommanderError } from "commander";
import { EXIT_USAGE, exitCodes, GuidedCommand } from "./platform/config/help.ts";
import { tolerateClosedOutput } from "./platform/config/output.ts";
import { version } from "./platform/version.ts";
import { ListenError } from "./processes/parts/addresses.ts";

interface Subcommand {
  readonly summary: string;
  load(): Promise<Command>;
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  score: {
    summary: "Score a pair of videos locally, without a server",
    load: async () => (await import("./cli/score.ts")).scoreCommand(),
  },
  doctor: {
    summary: "Find out whether two videos can be compared, and what would repair the pair",
    load: async () => (await import("./cli/doctor.ts")).doctorCommand(),
  },
  bd: {
    summary: "Compare rate-quality ladders by BD-rate, from a table of encodes",
    load: async () => (await import("./cli/bd.ts")).bdCommand(),
  },
  compare: {
    summary: "Compare encodes and ladders: scores, rates and BD-rates, here or on a controller",
    load: async () => (await import("./cli/compare.ts")).compareCommand(),
  },
  comparisons: {
    summary: "List, show, retry and cancel comparisons on a controller",
    load: async () => (await import("./cli/comparisons.ts")).comparisonsCommand(),
  },
  trends: {
    summary: "Compare the scores of the same clips over releases",
    load: async () => (await import("./cli/trends.ts")).trendsCommand(),
  },
  report: {
    summary: "Write a comparison of a controller as an HTML page to share",
    load: async () => (await import("./cli/report.ts")).reportCommand(),
  },
  jobs: {
    summary: "Submit, follow, cancel and delete jobs on a controller",
    load: async () => (await import("./cli/jobs.ts")).jobsCommand(),
  },
  scorer: {
    summary: "Install the scorer, and list the programs that can score",
    load: async () => (await import("./cli/scorer.ts")).scorerCommand(),
  },
  media: {
    summary: "List the videos that jobs of your tenant may name",
    load: async () => (await import("./cli/media.ts")).mediaCommand(),
  },
  uploads: {
    summary: "Upload videos of this machine to a controller, list and delete uploads",
    load: async () => (await import("./cli/uploads.ts")).uploadsCommand(),
  },
  nodes: {
    summary: "List and drain the nodes of a controller",
    load: async () => (await import("./cli/nodes.ts")).nodesCommand(),
  },
  tenants: {
    summary: "Show your tenant's usage and limits, revoke tokens, read the audit log",
    load: async () => (await import("./cli/tenants.ts")).tenantsCommand(),
  },
  login: {
    summary: "Sign in to a controller with your identity provider",
    load: async () => (await import("./cli/login.ts")).loginCommand(),
  },
  logout: {
    summary: "End the session of svc login",
    load: async () => (await import("./cli/login/logout.ts")).logoutCommand(),
  },
  whoami: {
    summary: "Show your tenant, subject and roles on a controller",
    load: async () => (await import("./cli/login/whoami.ts")).whoamiCommand(),
  },
  server: {
    summary: "Score over REST and gRPC, without jobs",
    load: async () => {
      keepHeapSmall();
      return (await import("./processes/server/command.ts")).serverCommand();
    },
  },
  up: {
    summary: "Run everything on this machine: controller, database and one node in one process",
    load: async () => {
      collectAtDouble();
      return (await import("./processes/up/command.ts")).upCommand();
    },
  },
  controller: {
    summary: "Manage jobs and distribute them to nodes, over REST and gRPC",
    load: async () => {
      return (await import("./processes/controller/command.ts")).controllerCommand();
    },
  },
  node: {
    summary: "Run tasks of a controller: pull, score, report",
    load: async () => {
      keepHeapSmall();
      return (await import("./processes/node/command.ts")).nodeCommand();
    },
  },
  migrate: {
    summary: "Bring the schema of a database up to date, copy it to PostgreSQL, or move stills and clips",
    load: async () => (await import("./processes/migrate/command.ts")).migrateCommand(),
  },
  completion: {
    summary: "Print a completion script for bash, zsh or fish",
    load: async () => (await import("./cli/completion/command.ts")).completionCommand(wholeProgram),
  },
};

const GUIDE = `
Examples:
  $ svc score reference.mp4 distorted.mp4
      score a pair and print the report
  $ svc up
      run the whole service on this machine, with its console on http://localhost:8080/console
  $ svc jobs submit --help
      show the options of a command, with examples

${exitCodes({
  0: "done",
  1: "a score is below a gate; for a server process: it failed",
  2: "the input or the command line is wrong",
  3: "the scorer or the service failed",
})}

The help of each command explains its exit codes.`;

/**
 * Reduces resident memory. A server needs little heap, because frames are not on V8's heap. Without this, V8's young
 * generation would grow to 32 MB while the modules load and stay there.
 */
function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  collectAtDouble();
}

/**
 * Collects garbage when it has grown to the size of the live heap, 30 to 40 MB; by default V8 lets it grow to
 * several times that size. An even lower limit would save 20 MB, but the live heap would be marked many times
 * while a pair is diagnosed, which takes a fifth of the CPU time of a short clip. Not used for a controller:
 * it serves thousands of calls a second, and to save 100 MB, collection would take a tenth of its CPU time.
 */
function collectAtDouble(): void {
  setFlagsFromString("--heap-growing-percent=100");
}

const EXIT_FAILED = 1;

function emptyProgram(): GuidedCommand {
  return new GuidedCommand("svc")
    .description("Measures video quality: scores encodes with VMAF, exactly.")
    .version(version(), "-V, --version", "print the version")
    .helpCommand("help [command]", "Show the help of a command")
    .withGuide(GUIDE);
}

/** The program with every command loaded, with the summaries of svc --help. */
async function wholeProgram(): Promise<Command> {
  const root = emptyProgram();
  for (const subcommand of Object.values(SUBCOMMANDS)) {
    root.addCommand((await subcommand.load()).summary(subcommand.summary));
  }
  return root;
}

async function program(called: string | undefined): Promise<Command> {
  const root = emptyProgram();
  for (const [name, subcommand] of Object.entries(SUBCOMMANDS)) {
    if (name === called) root.addCommand(await subcommand.load());
    else root.command(name).description(subcommand.summary);
  }
  return root;
}

/** Turns `svc help server` into `svc server --help`. */
function argumentsOf(given: readonly string[]): readonly string[] {
  const [first, name, ...rest] = given;
  return first === "help" && name !== undefined ? [name, "--help", ...rest] : given;
}

async function main(): Promise<void> {
  tolerateClosedOutput();
  const given = argumentsOf(process.argv.slice(2));
  const called = given.find((argument) => !argument.startsWith("-"));
  const root = await program(called);
  try {
    if (given.length === 0) root.outputHelp();
    else await root.parseAsync([...given], { from: "user" });
  } catch (error) {
    const command = root.commands.find((known) => known.name() === called);
    process.exitCode = report(error, command);
  }
}

/** Prints the error on stderr and returns the exit code. */
function report(error: unknown, command: Command | undefined): number {
  // Commander has printed its own message. Showing the help is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  const name = command === undefined ? "svc" : `svc ${command.name()}`;
  const usage = error instanceof Error && error.name === "UsageError";
  process.stderr.write(`${name}: ${messageOf(error, command)}\n${usage ? `See ${name} --help.\n` : ""}`);
  return usage ? EXIT_USAGE : EXIT_FAILED;
}

function messageOf(error: unknown, command: Command | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ListenError) {
    const hasFlag = (flag: string) => command?.options.some(({ long }) => long === flag) ?? false;
    return `${error.message} ${error.advice(hasFlag)}`.trimEnd();
  }
  const isKnown = ["UsageError", "Failure"].includes(error.name);
  return isKnown ? error.message : (error.stack ?? error.message);
}

await main();
