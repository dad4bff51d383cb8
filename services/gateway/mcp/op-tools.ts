import { pureTypeName } from '@adaptor-marketplace/adaptor/manifest';
import { ArgumentInvalidError } from '@adaptor-marketplace/mcp/internal';
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import { encodePure } from '../../../lib/actions/call-op.ts';
import type { FixedValue, OpenValue, OpTerms } from '../../../lib/actions/op-terms.ts';

/**
 * An op that the caller may run, as a tool. Its name and description contain no text of its publisher. It has the hints of a
 * tool that moves funds, which are the defaults of the protocol.
 */
export interface OpTool {
  tool: Tool;
  serviceType: string;
  terms: OpTerms;
}

interface ListedTerms {
  name: string;
  serviceType: string;
  terms: OpTerms;
}

export const buildOpTool = ({ name, serviceType, terms }: ListedTerms): OpTool => ({
  tool: {
    name,
    description: 'Moves funds.',
    inputSchema: buildInputSchema(terms),
  },
  serviceType,
  terms,
});

/** An op as `operations` returns it. The publisher's text is separate from the rest. */
export const describeOpTool = ({ tool, serviceType, terms }: OpTool) => ({
  tool: tool.name,
  packages: terms.packages,
  objects: terms.objects,
  writtenByPublisher: {
    adaptor: terms.names.adaptor,
    serviceType,
    operation: terms.op,
    label: terms.names.label,
    fixedValues: JSON.stringify(terms.fixed),
    values: Object.fromEntries(terms.values.map(({ name, type }, at) => [argumentName(at), { name, type }])),
  },
});

/** The values of a call by the manifest's names. @throws ArgumentError for a value that the op does not have */
export function namedValues({ terms }: OpTool, given: unknown): Record<string, unknown> {
  // Values distinguish an op from the other ops of its function.
  const fixed = terms.shared ? statableValues(terms.fixed) : {};
  if (given === undefined) return fixed;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ArgumentInvalidError('values: expected an object.');
  }
  const names = new Map(terms.values.map(({ name }, at) => [argumentName(at), name]));
  const named = Object.entries(given).map(([argument, value]) => {
    const name = names.get(argument);
    if (name !== undefined) return [name, value];
    const known = [...names.keys()].join(', ') || 'none';
    throw new ArgumentInvalidError(
      `values.${argument.slice(0, 40)}: the operation has no such value. It has ${known}.`,
    );
  });
  return { ...Object.fromEntries(named), ...fixed };
}

/** Fixed values by name, for a request. It cannot state two values of one name. */
function statableValues(fixed: readonly FixedValue[]): Record<string, unknown> {
  const isOnly = ({ name, type, value }: FixedValue) =>
    fixed.every((one) => one.name !== name || encodePure(one.type, one.value) === encodePure(type, value));
  return Object.fromEntries(fixed.filter(isOnly).map(({ name, value }) => [name, value]));
}

const argumentName = (at: number) => `value${at + 1}`;

export const moneyHints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};
const text = { type: 'string' };

/** A list of coins with amounts. Its items are described once, in the instructions: a list has 128 tools. */
const coinAmounts = { type: 'array' };

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

/** Names the arguments with their types. The API checks the values, and says what is wrong. */
function buildInputSchema({ takes, values }: OpTerms): Tool['inputSchema'] {
  const taken = new Set(takes);
  const properties = valueSchemas(values);
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: {
      spends: coinAmounts,
      receivesAtLeast: coinAmounts,
      ...(taken.has('amount') && { amount: text }),
      ...(taken.has('minOut') && { minOut: text }),
      ...(taken.has('coinIn') && { coinIn: text }),
      ...(taken.has('coinOut') && { coinOut: text }),
      ...(names.length > 0 && { values: { properties } }),
      requestId: text,
      repeat: { type: 'boolean' },
    },
    required: ['spends', 'receivesAtLeast', ...(names.length > 0 ? ['values'] : [])],
  };
}

const valueSchemas = (values: readonly OpenValue[]): JSONObject =>
  Object.fromEntries(values.map(({ type }, at) => [argumentName(at), valueSchema(type)]));

function valueSchema(type: string): JSONObject {
  const pure = pureTypeName(type) ?? type;
  if (pure === 'bool') return { type: 'boolean' };
  if (/^u(8|16|32)$/.test(pure)) return { type: 'integer' };
  return /^(u\d+|address|string)$/.test(pure) ? text : {};
}
