import { encodePure, plainTypeName } from '@adaptor-marketplace/adaptor/manifest';
import { ArgumentInvalidError } from '@adaptor-marketplace/mcp/internal';
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import type { FixedValue, OpenValue, OpTerms } from '../../../lib/actions/op-terms.ts';
import { call } from '../../../lib/actions/steps.ts';

/** Arguments that every tool has that moves funds. */
export const moneyArguments = {
  requestId: {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description:
      'Of your choice: the same call under it attaches to its run. Without one, a call is run once in ten minutes.',
  },
  repeat: { type: 'boolean', description: 'Run the same call again within ten minutes.' },
};

const text = { type: 'string' };

/** A list of coins with amounts. Its items are described once, in the instructions: a list has 128 tools. */
const coinAmounts = { type: 'array' };

/** Names the arguments with their types. `describeArguments` says the rest, in the answer to a wrong call. */
export function buildInputSchema({ takes, values }: OpTerms): Tool['inputSchema'] {
  const names = values.map((_, at) => getArgumentName(at));
  return {
    type: 'object',
    properties: {
      spends: coinAmounts,
      receivesAtLeast: coinAmounts,
      ...Object.fromEntries(takes.map((name) => [name, text])),
      ...Object.fromEntries(values.map(({ type }, at) => [names[at], buildValueSchema(type)])),
      requestId: text,
      repeat: { type: 'boolean' },
    },
    required: ['spends', 'receivesAtLeast', ...names],
  };
}

function buildValueSchema(type: string): JSONObject {
  const pure = plainTypeName(type) ?? type;
  if (pure === 'bool') return { type: 'boolean' };
  if (isSmallInteger(pure)) return { type: 'integer' };
  return /^(u\d+|address|id|string|ascii)$/.test(pure) ? text : {};
}

const isSmallInteger = (pure: string) => /^u(8|16|32)$/.test(pure);

/** Name of a value in a tool, in place of its publisher's. */
const getArgumentName = (at: number) => `value${at + 1}`;

/** The arguments of an op's tool with their types and units, and a call that has them all right, for an error. */
export function describeArguments({ takes, values }: OpTerms) {
  const { spends, receivesAtLeast } = call.shape;
  const coins = `Required. A list of { coinType, amount }: a Move type, and ${digits}.`;
  const optional = takes.map((name) => {
    const unit = name === 'amount' || name === 'minOut' ? `A text: ${digits}.` : 'A Move type.';
    return [name, `${unit} ${call.shape[name].meta()?.description}`];
  });
  const described = values.map(({ type }, at) => [getArgumentName(at), `Required. ${describeType(type)}.`]);
  return {
    arguments: {
      spends: `${coins} ${spends.meta()?.description}`,
      receivesAtLeast: `${coins} ${receivesAtLeast.meta()?.description}`,
      ...Object.fromEntries(optional),
      ...Object.fromEntries(described),
      requestId: `A text. ${moneyArguments.requestId.description}`,
      repeat: `true or false. ${moneyArguments.repeat.description}`,
    },
    example: {
      spends: [{ coinType: '0x2::sui::SUI', amount: '1000000' }],
      receivesAtLeast: [],
      ...Object.fromEntries(takes.map((name) => [name, argumentExamples[name]])),
      ...Object.fromEntries(values.map(({ type }, at) => [getArgumentName(at), makeExample(type)])),
    },
  };
}

const digits = 'decimal digits of base units';

const argumentExamples = {
  amount: '1000000',
  minOut: '1',
  coinIn: '0x2::sui::SUI',
  coinOut: '0x2::sui::SUI',
} satisfies Record<OpTerms['takes'][number], string>;

/** The item of a list or of an optional value. */
const readItem = (pure: string) => /^(?<outer>vector|option)<(?<item>.*)>$/.exec(pure)?.groups;

function describeType(type: string): string {
  const pure = plainTypeName(type) ?? type;
  const outer = readItem(pure);
  if (outer?.outer === 'vector') return `A list, and each item: ${describeType(outer.item!)}`;
  if (outer) return `null, or: ${describeType(outer.item!)}`;
  if (pure === 'bool') return 'true or false';
  if (isSmallInteger(pure)) return `A number: ${pure}`;
  if (/^u\d+$/.test(pure)) return `A text: decimal digits of a ${pure}`;
  if (pure === 'ascii') return 'A text of ASCII characters';
  return pure === 'string' ? 'A text' : `A text: ${pure}, 0x and up to 64 hex digits`;
}

function makeExample(type: string): unknown {
  const pure = plainTypeName(type) ?? type;
  const outer = readItem(pure);
  if (outer) return outer.outer === 'vector' ? [makeExample(outer.item!)] : makeExample(outer.item!);
  if (pure === 'bool') return true;
  if (isSmallInteger(pure)) return 1;
  return /^u\d+$/.test(pure)
    ? '1'
    : pure === 'string' || pure === 'ascii'
      ? 'text'
      : `0x${'1'.padStart(64, '0')}`;
}

/**
 * Separates the values of a call from its other arguments, and names them as the manifest does.
 * @throws ArgumentInvalidError for a value that is missing, or not of its type
 */
export function takeValues(
  { values: open, shared, fixed }: OpTerms,
  given: Readonly<Record<string, unknown>>,
): { values: Record<string, unknown>; others: Record<string, unknown> } {
  const others = { ...given };
  const named = open.map(({ name, type }, at) => {
    const argument = getArgumentName(at);
    const value = given[argument];
    delete others[argument];
    if (encodePure(type, value) !== undefined) return [name, value];
    const what = value === undefined ? 'is missing' : 'is not of its type';
    throw new ArgumentInvalidError(`${argument}: ${what}. ${describeType(type)}.`);
  });
  // Values distinguish an op from the other ops of its function.
  return { values: { ...Object.fromEntries(named), ...(shared && listStatableValues(fixed)) }, others };
}

/** Fixed values by name, for a request. It cannot state two values of one name. */
function listStatableValues(fixed: readonly FixedValue[]): Record<string, unknown> {
  const isOnly = ({ name, type, value }: FixedValue) =>
    fixed.every((one) => one.name !== name || encodePure(one.type, one.value) === encodePure(type, value));
  return Object.fromEntries(fixed.filter(isOnly).map(({ name, value }) => [name, value]));
}

/** The publisher's names and types of the values, by the names in the tool. */
export const listValueNames = (values: readonly OpenValue[]) =>
  Object.fromEntries(values.map(({ name, type }, at) => [getArgumentName(at), { name, type }]));
