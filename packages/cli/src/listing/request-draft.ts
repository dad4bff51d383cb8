import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Api } from '../api/client.ts';
import { addressArgument, several } from '../arguments.ts';
import { UsageError } from '../io.ts';

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
    .option('--name <name>', 'what people call it; needed to draft')
    .option('--summary <text>', 'what it does, in a sentence or two; needed to draft')
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
      valuesArgument,
    );
}

/** The marketplace's draft, as it answers it. @throws UsageError without a name and a summary */
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
  if (name === undefined || summary === undefined) {
    throw new UsageError(
      "To draft give --name and --summary, for example --name 'Nest Egg' --summary 'Keeps coins in a vault.'",
    );
  }
  const about = { name, summary, category, witness, integrator, objects, values };
  return (await api.post('/api/adaptors/draft', { ...request, ...about })).body;
}

const valuesSchema = z.record(z.string(), z.array(z.unknown()));

function valuesArgument(text: string): unknown {
  try {
    return valuesSchema.parse(JSON.parse(text));
  } catch {
    throw new InvalidArgumentError(
      'Expected JSON, an array of names for each function, for example {"module::function": ["deadline"]}.',
    );
  }
}
