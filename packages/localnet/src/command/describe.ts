import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import type { ExecutedTransaction } from '../ledger/types.ts';
import type { ChainView } from '../rpc/convert/chain-view.ts';
import { cleverError } from '../rpc/convert/clever-error.ts';

const maxJson = 300;
const maxEvents = 20;

/** The folder that a package was published from, by the id of any of its versions. */
type FolderOf = (packageId: string) => string | undefined;

/** What a transaction of a user did, a line for each event or for why it failed. */
export async function describeTransaction(
  view: ChainView,
  transaction: ExecutedTransaction,
  folderOf: FolderOf,
): Promise<string[]> {
  const reason = await reasonOf(view, transaction, folderOf);
  if (reason !== undefined) return [printable(`failed     ${transaction.digest}: ${reason}`)];
  const { events } = transaction;
  const lines = events.slice(0, maxEvents).map(({ type, contents }) => {
    const [, ...name] = type.split('<', 1)[0]!.split('::');
    const json = JSON.stringify(view.value(type, contents)) ?? 'a value too large to show';
    return printable(`event      ${name.join('::')} ${shortened(json)}`);
  });
  if (events.length > maxEvents) lines.push(`           and ${events.length - maxEvents} more events`);
  return lines;
}

/** Why a simulation failed, on a line; nothing for one that succeeded. Clients do not send what fails in a simulation. */
export async function describeSimulation(
  view: ChainView,
  transaction: ExecutedTransaction,
  folderOf: FolderOf,
): Promise<string[]> {
  const reason = await reasonOf(view, transaction, folderOf);
  return reason === undefined ? [] : [printable(`simulated  ${reason}`)];
}

async function reasonOf(
  view: ChainView,
  transaction: ExecutedTransaction,
  folderOf: FolderOf,
): Promise<string | undefined> {
  const { failureDescription } = transaction;
  if (failureDescription === undefined) return undefined;
  // Effects are parsed when they are first read, which takes long.
  const failure = transaction.effects.status.Failure!;
  const why =
    failure.error.MoveAbort &&
    (await describeAbort(view, failure.error.MoveAbort, folderOf).catch(() => undefined));
  return why ?? failureDescription;
}

type MoveAbort = NonNullable<
  NonNullable<ExecutedTransaction['effects']['status']['Failure']>['error']['MoveAbort']
>;

async function describeAbort(
  view: ChainView,
  [location, codeText]: MoveAbort,
  folderOf: FolderOf,
): Promise<string> {
  const { address, name: module } = location.module;
  const code = BigInt(codeText);
  const loaded = view.package(address)?.module(module);
  const clever = loaded && cleverError(code, loaded.json);
  const folder = folderOf(address);
  const source = folder === undefined ? undefined : findModule(await readPackage(folder), module);
  const found = clever
    ? { name: clever.constantName, lines: [Number(clever.lineNumber)] }
    : source && findAborts(source.text, location.functionName ?? '', code);
  const value = clever?.value.oneofKind === 'rendered' ? ` "${clever.value.rendered}"` : '';
  const own = clever?.errorCode === undefined ? '' : ` ${clever.errorCode}`;
  const what = found?.name ?? `code${clever ? own : ` ${code}`}`;
  const lines = found?.lines.join(' or ');
  const at = lines ? ` at ${source ? `${folder}/${source.path}:` : 'line '}${lines}` : '';
  return `aborted in ${module}::${location.functionName} with ${what.trim()}${value}${at}`;
}

function findModule(files: Record<string, string>, module: string) {
  const declared = new RegExp(String.raw`\bmodule\s+\w+::${module}\b`);
  const [path, text] = Object.entries(files).find(([, each]) => declared.test(each)) ?? [];
  return path === undefined || text === undefined ? undefined : { path, text };
}

/**
 * The lines of a function that may abort with a code, and the constant's name. Bytecode without `#[error]` has neither,
 * and the compiler gives no map to the sources: this reads the text.
 */
function findAborts(text: string, name: string, code: bigint): { name?: string; lines: number[] } {
  const constants = [...text.matchAll(/\bconst\s+(\w+)\s*:\s*u64\s*=\s*(\d[\d_]*)/g)]
    .filter(([, , value]) => BigInt(value!.replaceAll('_', '')) === code)
    .map(([, constant]) => constant!);
  const start = text.search(new RegExp(String.raw`\bfun\s+${name}\b`));
  if (start < 0) return { lines: [] };
  const length = text.slice(start + 4).search(/\bfun\s+\w/);
  const body = text.slice(start, length < 0 ? undefined : start + 4 + length).split('\n');
  const first = text.slice(0, start).split('\n').length;
  const literal = new RegExp(String.raw`\b(?:abort|assert!).*\b${code}\b`);
  const lines = body.flatMap((line, index) => {
    const used = constants.some((constant) => new RegExp(String.raw`\b${constant}\b`).test(line));
    return used || literal.test(line) ? [first + index] : [];
  });
  const used = constants.filter((constant) => body.some((line) => line.includes(constant)));
  return { ...(used.length === 1 && { name: used[0]! }), lines };
}

const shortened = (json: string) => (json.length > maxJson ? `${json.slice(0, maxJson)}…` : json);

/** What users write must not move the cursor. */
const printable = (line: string) => line.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
