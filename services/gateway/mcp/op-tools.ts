import { pureTypeName } from '@adaptor-marketplace/adaptor/manifest';
import { ArgumentInvalidError, runOutput } from '@adaptor-marketplace/mcp/internal';
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import { encodePure } from '../../../lib/actions/call-op.ts';
import type { FixedValue, OpenValue, OpTerms } from '../../../lib/actions/op-terms.ts';

/** An op that the caller may run, as a tool. Its name, title and description contain no text of its publisher. */
export interface OpTool {
  tool: Tool;
  serviceType: string;
  terms: OpTerms;
}

interface ListedTerms {
  name: string;
  serviceType: string;
  packageId: string;
  terms: OpTerms;
}

export const buildOpTool = ({ name, serviceType, packageId, terms }: ListedTerms): OpTool => ({
  tool: {
    name,
    title: 'Call an operation of an adaptor',
    description:
      `Calls an operation of the package ${packageId} for the wallet. It takes at most \`spends\` from the wallet, and ` +
      'fails unless it brings `receivesAtLeast`. It moves funds. `operations` returns what its publisher calls it.',
    inputSchema: buildInputSchema(terms),
    outputSchema: runOutput,
    annotations: moneyHints,
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
const digits = (description: string) => ({ type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$', description });
const coin = { type: 'string', maxLength: 512, description: 'Move type of a coin, such as 0x2::sui::SUI.' };

const coinAmounts = (description: string) => ({
  type: 'array',
  maxItems: 8,
  description,
  items: {
    type: 'object',
    properties: { coinType: coin, amount: digits('Base units, in decimal digits.') },
    required: ['coinType', 'amount'],
    additionalProperties: false,
  },
});

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

function buildInputSchema({ takes, values }: OpTerms): Tool['inputSchema'] {
  const taken = new Set(takes);
  const properties = valueSchemas(values);
  const names = Object.keys(properties);
  return {
    type: 'object',
    properties: {
      spends: coinAmounts('The most that may leave the wallet, by coin. An empty list lets no coin leave.'),
      receivesAtLeast: coinAmounts(
        'The least that must come into the wallet, by coin. An empty list demands nothing.',
      ),
      ...(taken.has('amount') && {
        amount: digits('The amount that the op is given. Absent: that of the only coin in spends.'),
      }),
      ...(taken.has('minOut') && {
        minOut: digits('The minimum that the op is given. Absent: that of the only coin in receivesAtLeast.'),
      }),
      ...(taken.has('coinIn') && { coinIn: coin }),
      ...(taken.has('coinOut') && { coinOut: coin }),
      ...(names.length > 0 && {
        values: {
          type: 'object',
          description: 'The other arguments. `operations` returns what the publisher calls each of them.',
          properties,
          required: names,
          additionalProperties: false,
        },
      }),
      ...moneyArguments,
    },
    required: ['spends', 'receivesAtLeast', ...(names.length > 0 ? ['values'] : [])],
    additionalProperties: false,
  };
}

const valueSchemas = (values: readonly OpenValue[]): JSONObject =>
  Object.fromEntries(values.map(({ type }, at) => [argumentName(at), valueSchema(type)]));

function valueSchema(type: string): JSONObject {
  const pure = pureTypeName(type) ?? type;
  if (pure === 'bool') return { type: 'boolean' };
  if (/^u(8|16|32)$/.test(pure)) return { type: 'integer', minimum: 0 };
  if (/^u\d+$/.test(pure)) return { type: 'string', pattern: '^[0-9]{1,78}$' };
  return pure === 'address' || pure === 'string' ? { type: 'string', maxLength: 1_024 } : {};
}
