import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { type Io, UsageError } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  createApiCommand,
  createMarketplaceClient,
  pickNetwork,
} from '../options.ts';

const explanation = z.object({
  sentences: z.array(z.object({ kind: z.string(), verdict: z.string(), text: z.string() })),
});

type Sentence = z.infer<typeof explanation>['sentences'][number];

/** `explain`: says what an unsigned transaction can do. */
export function createExplainCommand(io: Io) {
  const command = createApiCommand(
    'explain',
    'Explains an unsigned transaction of any package: what leaves which address or wallet at most, where it goes, what comes\n' +
      'back, who can influence that, and what could not be read. Nothing is signed or executed.',
  )
    .argument(
      '<transaction>',
      'its bytes in base64, a file with them or with its JSON, or - for the standard input',
    )
    .option('--sender <address>', 'the signer, if the transaction names none', addressArgument)
    .action(async (source: string, options: ApiOptions & { sender?: string }) => {
      const transaction = (await readTransaction(source)).trim();
      const { api } = await createMarketplaceClient(io, options);
      const { sender } = options;
      const body = await api.explainTransaction({
        body: { transaction, ...(sender !== undefined && { sender }), ...pickNetwork(options) },
      });
      const { sentences } = parseResponse(explanation, body);
      answer(io, options, body, () => formatSentences(sentences));
    });
  return addExamples(command, 'explain transaction.json', 'explain AAACAAhk... --json');
}

/** Characters of the longest file name: a longer argument is a transaction. */
const nameMax = 4_096;

async function readTransaction(source: string): Promise<string> {
  if (source === '-') return await text(process.stdin);
  if (source.length > nameMax) return source;
  try {
    return await readFile(source, 'utf8');
  } catch {
    if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(source)) return source;
    throw new UsageError(
      `${source.slice(0, 100)} is not a file that can be read, and not the bytes of a transaction in base64.`,
    );
  }
}

const headings: Readonly<Record<string, string>> = {
  versions: 'Other versions',
  leaves: 'Leaves',
  objects: 'Changes hands',
  changes: 'May be written',
  receives: 'Is received',
  arrives: 'Comes back',
  publishes: 'Is published',
  upgrades: 'Is upgraded',
  gas: 'Gas',
  notRead: 'Not read',
  calls: 'Is steered by',
  packages: 'Packages',
};

function formatSentences(sentences: readonly Sentence[]): string[] {
  const lines: string[] = [];
  let heading: string | undefined;
  for (const { kind, verdict, text: words } of sentences) {
    // The sentence that excludes more belongs to the money that leaves.
    const own = headings[kind] ?? headings.leaves;
    if (own !== heading && (kind !== 'rest' || heading === undefined)) {
      if (heading !== undefined) lines.push('');
      lines.push(own!);
      heading = own;
    }
    lines.push(`  ${verdict.padEnd(8)}${words}`);
  }
  return lines;
}
