import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Transaction, type TransactionArgument } from '@mysten/sui/transactions';
import { normalizeStructTag, normalizeSuiAddress, parseStructTag } from '@mysten/sui/utils';

/**
 * Reads a line of `sui client ptb` as that program does. A real shell splits it, and the grammar is that of the
 * program's parser: strings without escapes, numbers with their type, `@` before addresses and objects.
 */
export async function readLine(line: string): Promise<{ transaction: Transaction; gasBudget: bigint }> {
  const script = `printf '%s\\0' ${line.replace(/^sui client ptb /, '')}`;
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script]);
  const words = stdout.split('\0').slice(0, -1);
  const transaction = new Transaction();
  const variables = new Map<string, ReturnType<Transaction['moveCall']>>();
  let last: ReturnType<Transaction['moveCall']> | undefined;
  let gasBudget = 0n;
  while (words.length > 0) {
    const command = words.shift()!;
    const own: string[] = [];
    while (words.length > 0 && !words[0]!.startsWith('--')) own.push(words.shift()!);
    if (command === '--sender') transaction.setSender(own[0]!.slice(1));
    else if (command === '--gas-budget') gasBudget = BigInt(own[0]!);
    else if (command === '--assign') variables.set(own[0]!, last!);
    else last = append(command, own);
  }
  return { transaction, gasBudget };

  function append(command: string, own: string[]) {
    if (command === '--split-coins')
      return transaction.splitCoins(argument(own[0]!), parseItems(own[1]!).map(argument));
    if (command === '--transfer-objects') {
      const recipient = transaction.pure.address(own[1]!.slice(1));
      transaction.transferObjects(parseItems(own[0]!).map(argument), recipient);
      return undefined;
    }
    if (command !== '--move-call') throw new Error(`unknown command ${command}`);
    const [target, ...rest] = own;
    const types = rest[0]?.startsWith('<') ? splitTop(rest.shift()!.slice(1, -1)) : [];
    return transaction.moveCall({ target: target!, typeArguments: types, arguments: rest.map(argument) });
  }

  function argument(word: string): TransactionArgument {
    if (word === 'gas') return transaction.gas;
    const [, name = '', index] = /^([a-z]\w*)(?:\.(\d+))?$/.exec(word) ?? [];
    const variable = variables.get(name);
    if (variable) return index === undefined ? variable : variable[Number(index)]!;
    // The parameter's type decides whether an address is an object. `toComparable` compares both as ids.
    if (word.startsWith('@')) return transaction.object(word.slice(1));
    const { type, value } = parseLiteral(word);
    return transaction.pure(type as 'u64', value as string);
  }
}

function parseLiteral(word: string): { type: string; value: unknown } {
  if (/^(["']).*\1$/s.test(word)) return { type: 'string', value: word.slice(1, -1) };
  if (word === 'true' || word === 'false') return { type: 'bool', value: word === 'true' };
  if (word === 'none') return { type: 'option<u64>', value: null };
  const [, inner] = /^some\((.*)\)$/.exec(word) ?? [];
  if (inner !== undefined) {
    const { type, value } = parseLiteral(inner);
    return { type: `option<${type}>`, value };
  }
  if (word.startsWith('vector[')) {
    const items = parseItems(word.slice('vector'.length)).map(parseLiteral);
    return { type: `vector<${items[0]?.type ?? 'u8'}>`, value: items.map(({ value }) => value) };
  }
  const [, digits, type] = /^(\d+)(u\d+)$/.exec(word) ?? [];
  if (digits === undefined) throw new Error(`not a literal: ${word}`);
  return { type: type!, value: digits };
}

const parseItems = (array: string) => splitTop(array.slice(1, -1)).map((item) => item.trim());

/** Splits at the commas outside of all brackets. */
function splitTop(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = '';
  for (const character of text) {
    if ('[(<'.includes(character)) depth++;
    if ('])>'.includes(character)) depth--;
    if (character === ',' && depth === 0) {
      items.push(item);
      item = '';
    } else item += character;
  }
  return item === '' && items.length === 0 ? [] : [...items, item];
}

/** The commands of a transaction with their inputs inlined, so that two transactions can be compared. */
export function toComparable(transaction: Transaction): unknown {
  const { sender, inputs, commands } = transaction.getData();
  const shown = JSON.parse(JSON.stringify(commands), (_, value) => {
    if (value?.$kind !== 'Input') return value;
    const input = inputs[value.Input]!;
    const object = input.UnresolvedObject ?? input.Object?.SharedObject ?? input.Object?.ImmOrOwnedObject;
    if (object) return Buffer.from(normalizeSuiAddress(object.objectId).slice(2), 'hex').toString('base64');
    return input.Pure!.bytes;
  });
  const types = JSON.stringify(shown, (key, value) =>
    key === 'typeArguments' ? value.map((type: string) => normalizedType(type)) : value,
  );
  return { sender, commands: JSON.parse(types) };
}

function normalizedType(type: string): string {
  const [, item] = /^vector<(.+)>$/.exec(type) ?? [];
  if (item !== undefined) return `vector<${normalizedType(item)}>`;
  return type.includes('::') ? normalizeStructTag(parseStructTag(type)) : type;
}
