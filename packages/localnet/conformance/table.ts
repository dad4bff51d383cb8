import { readFile, writeFile } from 'node:fs/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { Result } from './run-cases.ts';

const services = [
  GrpcTypes.LedgerService,
  GrpcTypes.StateService,
  GrpcTypes.MovePackageService,
  GrpcTypes.SubscriptionService,
  GrpcTypes.TransactionExecutionService,
  GrpcTypes.SignatureVerificationService,
  GrpcTypes.NameService,
  GrpcTypes.ForkingService,
];

/** Where the table stands in the document. */
const begin = '<!-- written by `npm run conformance` -->';
const end = '<!-- end -->';
const documentUrl = new URL('../../../docs/localnet.md', import.meta.url);

/** Every method of the API with the number of its cases that pass: what is said of it, a test found. */
export function methodsTable(results: readonly Result[]): string {
  const rows = services.map(({ typeName, methods }) => {
    const service = typeName.split('.').at(-1)!;
    const cells = methods.map(({ name }) => {
      const own = results.filter(({ case: { about } }) => about.split(', ').some((each) => each === name));
      const of = own.length > 0 ? own : results.filter(({ case: { about } }) => about === service);
      const passed = of.filter(({ outcome }) => outcome === 'pass');
      return `\`${name}\` ${new Set(passed.map(({ case: { name: rule } }) => rule)).size}`;
    });
    return `| \`${service}\` | ${cells.join(', ')} |`;
  });
  return ['| service | methods, each with the number of its cases |', '|---|---|', ...rows].join('\n');
}

/** The document's table. @throws Error when it has none. */
export async function writtenTable(): Promise<string> {
  const { table } = split(await readFile(documentUrl, 'utf8'));
  return table;
}

/** Puts a table in the place of the document's. */
export async function writeTable(table: string): Promise<void> {
  const { before, after } = split(await readFile(documentUrl, 'utf8'));
  await writeFile(documentUrl, `${before}${table}${after}`);
}

function split(document: string) {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/localnet.md has no ${begin} with ${end} behind it`);
  const start = from + begin.length + 1;
  return {
    before: document.slice(0, start),
    table: document.slice(start, to - 1),
    after: document.slice(to - 1),
  };
}
