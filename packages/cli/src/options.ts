import { networks } from '@adaptor-marketplace/adaptor/networks';
import { Command, Option } from 'commander';
import { type Api, createApi } from './api/client.ts';
import { baseArgument, baseOf } from './arguments.ts';
import { type Io, say } from './io.ts';
import { localMarketplace } from './network/local.ts';
import { printableJson } from './output/escape.ts';

export interface ApiOptions {
  url?: string;
  network?: string;
  json?: boolean;
}

/** How a command's urls are found, for its help. */
const found =
  'The marketplace is --url, else MARKETPLACE_URL, else the one that npm start runs here (baseUrl in demo.json of\n' +
  'DATA_DIR, else of .data here or beside this program), else http://127.0.0.1:8080.';

/** A command that asks a marketplace. */
export function apiCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <url>', 'the marketplace; see below', baseArgument)
    .addOption(
      new Option('--network <network>', "the network; else the marketplace's own choice").choices(networks),
    )
    .option('--json', 'print the answer as JSON, and refusals as problem+json')
    .addHelpText('after', `\n${found}`);
}

/** Adds calls that the reader can make of a command, each with its words after the program's name. */
export function withExamples(command: Command, ...lines: string[]): Command {
  const shown = lines.map((line) => `  adaptor-marketplace ${line}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${shown}`);
}

/** The marketplace that is named, else the local one that runs. @throws UsageError where the variable is no url */
export async function apiOf(io: Io, { url }: ApiOptions): Promise<Api> {
  const { env } = io;
  const named = url ?? (env.MARKETPLACE_URL ? baseOf(env.MARKETPLACE_URL, 'MARKETPLACE_URL') : undefined);
  const base = named ?? (await localMarketplace(io)).url;
  return createApi(base.replace(/\/+$/, ''), env.MARKETPLACE_API_KEY || undefined);
}

/** Prints an answer as it is, or as lines for people. */
export function answer(io: Io, { json }: ApiOptions, value: unknown, lines: () => string[]): void {
  if (json) io.out(`${printableJson(value)}\n`);
  else say(io.out, lines());
}
