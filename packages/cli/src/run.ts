import { readFile } from 'node:fs/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { MarketplaceError } from '@adaptor-marketplace/sdk';
import { Command, CommanderError } from 'commander';
import { buildProblemBody, formatProblem, toCommandError } from './api.ts';
import { helpStyle, withColours } from './colours.ts';
import { formatJson, type Io, say, TransactionPrintedError, UsageError } from './io.ts';
import { applyProfile } from './profiles.ts';

type Build = (io: Io) => Command;

/** The commands in the order of the help: a summary, and the module, which is loaded when the command runs. */
const commands: Record<string, { summary: string; load: () => Promise<Build> }> = {
  catalog: {
    summary: 'list the adaptors of a marketplace',
    load: async () => (await import('./commands/catalog.ts')).createCatalogCommand,
  },
  introspect: {
    summary: 'show the functions of a package and the roles of their arguments',
    load: async () => (await import('./commands/introspect.ts')).createIntrospectCommand,
  },
  infer: {
    summary: 'show the arguments that past calls of a function used',
    load: async () => (await import('./commands/introspect.ts')).createInferCommand,
  },
  certify: {
    summary: 'compute from bytecode what a function can do with your money',
    load: async () => (await import('./commands/certify.ts')).createCertifyCommand,
  },
  explain: {
    summary: 'explain what an unsigned transaction can do with your money',
    load: async () => (await import('./commands/explain.ts')).createExplainCommand,
  },
  verify: {
    summary: 'compare source with the code of a package on chain',
    load: async () => (await import('./commands/verify.ts')).createVerifyCommand,
  },
  source: {
    summary: 'show the verdict of the source of an adaptor, and of the commit that it names',
    load: async () => (await import('./commands/source.ts')).createSourceCommand,
  },
  draft: {
    summary: 'draft the manifest of a package and its register() transaction',
    load: async () => (await import('./commands/listing.ts')).createDraftCommand,
  },
  register: {
    summary: 'sign a listing and wait until the catalog shows it',
    load: async () => (await import('./commands/listing.ts')).createRegisterCommand,
  },
  update: {
    summary: 'sign a new version of your listing',
    load: async () => (await import('./commands/listing.ts')).createUpdateCommand,
  },
  unlist: {
    summary: 'remove a listing from the registry',
    load: async () => (await import('./commands/listing.ts')).createUnlistCommand,
  },
  attest: {
    summary: 'sign a review of a listed service',
    load: async () => (await import('./commands/attest.ts')).createAttestCommand,
  },
  events: {
    summary: 'print the events of the registry, also as they happen',
    load: async () => (await import('./commands/live.ts')).createEventsCommand,
  },
  run: {
    summary: "run an action of a wallet with the marketplace's agent",
    load: async () => (await import('./commands/live.ts')).createRunCommand,
  },
  mcp: {
    summary: 'serve the marketplace as tools for a model, over standard input and output',
    load: async () => (await import('./commands/mcp.ts')).createMcpCommand,
  },
  new: {
    summary: 'make a folder with a new adaptor, its tests and CI',
    load: async () => (await import('./commands/new.ts')).createNewCommand,
  },
  test: {
    summary: 'run the unit tests of a Move package',
    load: async () => (await import('./commands/test.ts')).createTestCommand,
  },
  'new-key': {
    summary: 'create a key to sign with',
    load: async () => (await import('./commands/key.ts')).createNewKeyCommand,
  },
  fund: {
    summary: 'request SUI from the faucet of the local network or of testnet',
    load: async () => (await import('./commands/key.ts')).createFundCommand,
  },
  whoami: {
    summary: 'show the address of the key, its network, balance and wallets',
    load: async () => (await import('./commands/key.ts')).createWhoamiCommand,
  },
  publish: {
    summary: 'compile a Move package and publish or upgrade it',
    load: async () => (await import('./commands/publish.ts')).createPublishCommand,
  },
  wallet: {
    summary: 'show what a wallet holds, and who may take what of it',
    load: async () => (await import('./commands/show-wallet.ts')).createWalletCommand,
  },
  webhooks: {
    summary: 'send registry events to urls of yours',
    load: async () => (await import('./commands/webhooks.ts')).createWebhooksCommand,
  },
  quarantine: {
    summary: 'hide listings and publishers of a marketplace that you operate',
    load: async () => (await import('./commands/quarantine.ts')).createQuarantineCommand,
  },
  picture: {
    summary: 'hide single logos and icons of a marketplace that you operate',
    load: async () => (await import('./commands/picture.ts')).createPictureCommand,
  },
  'review-text': {
    summary: 'hide texts of reviews of a marketplace that you operate',
    load: async () => (await import('./commands/review-text.ts')).createReviewTextCommand,
  },
  profile: {
    summary: 'name marketplaces with their networks and nodes',
    load: async () => (await import('./commands/profile.ts')).createProfileCommand,
  },
  completion: {
    summary: 'print a script with which your shell completes commands',
    load: async () => {
      const { createCompletionCommand } = await import('./commands/completion.ts');
      return (io) => createCompletionCommand(io, () => loadCommands(io));
    },
  },
  doctor: {
    summary: 'check whether the service can run with a node',
    load: async () => (await import('./commands/doctor.ts')).createDoctorCommand,
  },
  'open-wallet': {
    summary: 'open a wallet to try an adaptor with',
    load: async () => (await import('./commands/open-wallet.ts')).createOpenWalletCommand,
  },
  grant: {
    summary: 'let a service take coins of your wallet, up to an amount',
    load: async () => (await import('./commands/grant.ts')).createGrantCommand,
  },
  revoke: {
    summary: 'end what a service may take of your wallet',
    load: async () => (await import('./commands/grant.ts')).createRevokeCommand,
  },
  call: {
    summary: 'execute an op as its manifest describes it',
    load: async () => (await import('./commands/call.ts')).createCallCommand,
  },
};

export const commandNames: readonly string[] = Object.keys(commands);

/** `localnet` is a separate program that main.ts starts. */
const localnetSummary = 'run a Sui network in one process, with a faucet';

/** Creates every command with its options, and the local network's without. */
export async function loadCommands(io: Io): Promise<Command[]> {
  const loaded = await Promise.all(Object.values(commands).map(async ({ load }) => (await load())(io)));
  return [new Command('localnet').description(localnetSummary), ...loaded];
}

/** The program itself: its help, its version, and what it says of an unknown command. */
async function createProgram(io: Io): Promise<Command> {
  const program = new Command()
    .usage('<command> [options]')
    .version(await readVersion(), '-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nadaptor-marketplace <command> --help lists the options of a command, with examples.',
    );
  const summaries = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  for (const [name, summary] of [['localnet', localnetSummary] as const, ...summaries]) {
    program.command(name).description(summary).helpOption(false);
  }
  return configure(program, '', io);
}

/** Names a command, directs its output to the streams, and has it throw its errors, which `run` prints. */
function configure(command: Command, name: string, io: Io): Command {
  command.name(['adaptor-marketplace', name].filter(Boolean).join(' '));
  const { columns, colours = { out: false, err: false } } = io;
  for (const one of [command, ...command.commands]) {
    one.exitOverride().configureHelp(helpStyle);
    one.configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: () => undefined,
      getOutHasColors: () => colours.out,
      getErrHasColors: () => colours.err,
      ...(columns !== undefined && { getOutHelpWidth: () => columns }),
    });
  }
  return command;
}

async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/**
 * Runs one command.
 * @param line the command's name and its arguments
 * @returns the exit code: 0 success, 1 refused, 2 invalid usage
 */
export async function run(line: readonly string[], streams: Io): Promise<number> {
  const io = withColours(streams);
  const [name = '--help', ...words] = withHelpOption(line);
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = known ? configure((await known.load())(io), name, io) : await createProgram(io);
  if (known) command.hook('preAction', (_, acting) => applyProfile(io, acting));
  try {
    await command.parseAsync(known ? words : [name, ...words], { from: 'user' });
    return 0;
  } catch (thrown) {
    if (thrown instanceof TransactionPrintedError) return 0;
    const error = toCommandError(thrown);
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const isUsage = error instanceof CommanderError || error instanceof UsageError;
    if (words.includes('--json')) io.err(`${formatJson(toProblem(error, isUsage))}\n`);
    else {
      const help = known ? 'for the options' : 'for the commands';
      say(io.err, [
        ...formatErrorLines(error),
        ...(error instanceof CommanderError ? [`Run ${command.name()} --help ${help}.`] : []),
      ]);
    }
    return isUsage ? 2 : 1;
  }
}

/** Returns `help <command>` as `<command> --help`: only the command itself knows its options. */
function withHelpOption(line: readonly string[]): readonly string[] {
  const [first, name = ''] = line;
  return first === 'help' && Object.hasOwn(commands, name) ? [name, '--help'] : line;
}

function formatErrorLines(error: unknown): string[] {
  const lines = error instanceof MarketplaceError ? formatProblem(error) : formatMessage(error).split('\n');
  return lines.map((line, at) => (at === 0 ? `error: ${line}` : line));
}

/** Problem details of RFC 9457: the marketplace's own problem, or one of this program without an HTTP status. */
function toProblem(error: unknown, isUsage: boolean): unknown {
  if (error instanceof MarketplaceError) return buildProblemBody(error);
  const what = isUsage ? { title: 'Invalid usage', code: 'usage' } : { title: 'Refused', code: 'refused' };
  return { type: 'about:blank', ...what, detail: formatMessage(error) };
}

const formatMessage = (error: unknown) =>
  getErrorMessage(error)
    .trim()
    .replace(/^error: /, '');
