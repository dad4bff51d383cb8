import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { type Command, CommanderError } from 'commander';
import { ApiProblem } from './api/client.ts';
import { type Io, say, UsageError } from './io.ts';
import { printableJson } from './output/escape.ts';
import { problemLines } from './output/problem.ts';

/** Each command's program, loaded when it is the one that runs. */
const commands: Record<string, () => Promise<(io: Io) => Command>> = {
  catalog: async () => (await import('./commands/catalog.ts')).catalogCommand,
  introspect: async () => (await import('./commands/introspect.ts')).introspectCommand,
  infer: async () => (await import('./commands/infer.ts')).inferCommand,
  draft: async () => (await import('./commands/draft.ts')).draftCommand,
  register: async () => (await import('./commands/register.ts')).registerCommand,
  unlist: async () => (await import('./commands/unlist.ts')).unlistCommand,
  attest: async () => (await import('./commands/attest.ts')).attestCommand,
  'new-key': async () => (await import('./commands/new-key.ts')).newKeyCommand,
  fund: async () => (await import('./commands/fund.ts')).fundCommand,
  whoami: async () => (await import('./commands/whoami.ts')).whoamiCommand,
  publish: async () => (await import('./commands/publish.ts')).publishCommand,
  'open-wallet': async () => (await import('./commands/open-wallet.ts')).openWalletCommand,
  call: async () => (await import('./commands/call.ts')).callCommand,
};

export const commandNames = Object.keys(commands);

/**
 * Runs one command.
 * @param words the command's name and what follows it
 * @returns the exit code: 0 done, 1 refused, 2 words that it cannot work with
 */
export async function run([name = '', ...words]: readonly string[], io: Io): Promise<number> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    say(io.err, [`error: Unknown command: ${name}. Commands: ${commandNames.join(', ')}.`]);
    return 2;
  }
  const command = (await load())(io);
  command.name(`adaptor-marketplace ${name}`);
  // What commander says of an error is said below, with all others.
  command
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: () => undefined });
  try {
    await command.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const isUsage = error instanceof CommanderError || error instanceof UsageError;
    if (words.includes('--json')) io.err(`${printableJson(problemOf(error, isUsage))}\n`);
    else {
      say(io.err, [
        ...linesOf(error),
        ...(error instanceof CommanderError ? [`(${command.name()} --help says more)`] : []),
      ]);
    }
    return isUsage ? 2 : 1;
  }
}

function linesOf(error: unknown): string[] {
  const lines = error instanceof ApiProblem ? problemLines(error) : textOf(error).split('\n');
  return lines.map((line, at) => (at === 0 ? `error: ${line}` : line));
}

/** As RFC 9457 has it: the marketplace's own problem, or one of this program, which has no HTTP status. */
function problemOf(error: unknown, isUsage: boolean): unknown {
  if (error instanceof ApiProblem) return error.problem;
  const what = isUsage ? { title: 'Invalid usage', code: 'usage' } : { title: 'Refused', code: 'refused' };
  return { type: 'about:blank', ...what, detail: textOf(error) };
}

const textOf = (error: unknown) =>
  messageOf(error)
    .trim()
    .replace(/^error: /, '');
