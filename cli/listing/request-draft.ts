import { type Command, InvalidArgumentError } from 'commander';
import type { Api } from '../api/client.ts';
import { addressArgument, several } from '../options.ts';

export interface DraftOptions {
  name?: string;
  summary?: string;
  category?: string;
  witness?: string;
  integrator?: string;
  object?: string[];
  values?: unknown;
}

/** What a publisher says about a package that is to be listed. */
export function draftOptions(command: Command): Command {
  return command
    .option('--name <name>')
    .option('--summary <text>', 'what it does, in a sentence or two')
    .option('--category <category>', 'else guessed')
    .option('--witness <witness>', 'Name, module::Name or the service type; needed where there are several')
    .option('--integrator <id>', 'whom the listing is attributed to')
    .option(
      '--object <id>',
      'a shared object that the ops are for, such as a pool; may be repeated',
      several(addressArgument),
    )
    .option(
      '--values <json>',
      'names for the values that ops ask for, all of an op in its order: {"module::function": ["deadline"]}',
      jsonArgument,
    );
}

/** The marketplace's draft, as it answers it. */
export async function requestDraft(
  api: Api,
  { name, summary, category, witness, integrator, object: objects, values }: DraftOptions,
  request: {
    packageId: string;
    network?: string | undefined;
    upload?: boolean | undefined;
    sender?: string | undefined;
  },
): Promise<unknown> {
  const about = { name, summary, category, witness, integrator, objects, values };
  return (await api.post('/api/adaptors/draft', { ...request, ...about })).body;
}

function jsonArgument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Give JSON.');
  }
}
