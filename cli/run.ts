import { type Command, CommanderError } from 'commander';
import { messageOf } from '../lib/errors/index.ts';
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
  attest: async () => (await import('./commands/attest.ts')).attestCommand,
  'new-key': async () => (await import('./commands/new-key.ts')).newKeyCommand,
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
    say(io.err, [`There is no command ${name}: ${commandNames.join(', ')}.`]);
    return 2;
  }
  const command = (await load())(io);
  command.name(`adaptor-marketplace ${name}`);
  command.exitOverride().configureOutput({ writeOut: io.out, writeErr: io.err });
  command.showHelpAfterError(`(${command.name()} --help says more)`);
  try {
    await command.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    return refused(error, io, command.opts().json === true);
  }
}

function refused(error: unknown, io: Io, json: boolean): number {
  // Commander has said it already; asked-for help is none.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof ApiProblem) {
    if (json) io.err(`${printableJson(error.problem)}\n`);
    else say(io.err, problemLines(error));
    return 1;
  }
  say(io.err, messageOf(error).split('\n'));
  return error instanceof UsageError ? 2 : 1;
}
