import { createHash } from 'node:crypto';
import {
  isExecutable,
  listOpArguments,
  listOpSteps,
  listOpTypeArgs,
  pureTypeName,
  type StepArgument,
} from '@adaptor-marketplace/adaptor/manifest';
import { ArgumentInvalidError, runOutput } from '@adaptor-marketplace/mcp/internal';
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';

/** An op that the caller may run, as a tool. Its name, title and description contain no text of its publisher. */
export interface OpTool {
  tool: Tool;
  serviceType: string;
  /** `module::entry`. */
  op: string;
  /** A fixed object that distinguishes the op from the other ops of its function. */
  objectId: string | undefined;
  /** Values that distinguish the op from the other ops of its function. */
  fixed: Record<string, unknown>;
  /** The open values, in the order of the tool's arguments `value1`, `value2` and so on. */
  values: readonly OpenValue[];
  /** The ids and values that the listing adds to a call, for a person who confirms one. */
  listed: { packages: string[]; objects: string[]; fixedValues: string };
  /** The publisher's names of the adaptor and the op. */
  names: { adaptor: string; label: string | null };
}

interface OpenValue {
  /** Name in the manifest, chosen by the publisher. */
  name: string;
  type: string;
}

/** Characters of the fixed values of an op, as JSON. A person cannot read more of them before confirming. */
const fixedValuesMax = 1_000;

export function buildOpTools({ serviceType, packageId, manifest, notExecutable }: CatalogEntry): OpTool[] {
  const broken = new Set(notExecutable.map(({ index }) => index));
  return manifest.ops.flatMap((op, index) => {
    if (broken.has(index) || !isExecutable(op)) return [];
    const args = listOpArguments(op);
    const objects = [...new Set(args.flatMap((one) => (one.role === 'object' ? [one.objectId] : [])))];
    const fixedValues = collectFixedValues(args);
    const shown = JSON.stringify(fixedValues);
    if (shown.length > fixedValuesMax) return [];
    const alike = manifest.ops.filter(({ module, entry }) => module === op.module && entry === op.entry);
    const name = `${op.module}::${op.entry}`;
    const values = collectOpenValues(args);
    const packages = [...new Set(listOpSteps(op).map((step) => step.packageId ?? packageId))];
    const digest = createHash('sha256')
      .update(JSON.stringify([serviceType, name, objects, fixedValues]))
      .digest('hex');
    const tool: Tool = {
      name: `op_${digest.slice(0, 12)}`,
      title: 'Call an operation of an adaptor',
      description:
        `Calls an operation of the package ${packageId} for the wallet. It takes at most \`spends\` from the wallet, and ` +
        'fails unless it brings `receivesAtLeast`. It moves funds. `operations` returns what its publisher calls it.',
      inputSchema: buildInputSchema(args, listOpTypeArgs(op), valueSchemas(values)),
      outputSchema: runOutput,
      annotations: moneyHints,
    };
    return [
      {
        tool,
        serviceType,
        op: name,
        values,
        objectId: objects[0],
        fixed: alike.length > 1 ? fixedValues : {},
        listed: { packages, objects, fixedValues: shown },
        names: { adaptor: manifest.name, label: op.label ?? null },
      },
    ];
  });
}

/** An op as `operations` returns it. The publisher's text is separate from the rest. */
export const describedOp = ({ tool, op, serviceType, values, listed, names }: OpTool) => ({
  tool: tool.name,
  packages: listed.packages,
  objects: listed.objects,
  writtenByPublisher: {
    adaptor: names.adaptor,
    serviceType,
    operation: op,
    label: names.label,
    fixedValues: listed.fixedValues,
    values: Object.fromEntries(values.map(({ name, type }, at) => [argumentName(at), { name, type }])),
  },
});

/** The values of a call by the manifest's names. @throws ArgumentError for a value that the op does not have */
export function namedValues({ values, fixed }: OpTool, given: unknown): Record<string, unknown> {
  if (given === undefined) return fixed;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ArgumentInvalidError('values: expected an object.');
  }
  const names = new Map(values.map(({ name }, at) => [argumentName(at), name]));
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

function buildInputSchema(
  args: readonly StepArgument[],
  typeArgs: readonly string[],
  values: JSONObject,
): Tool['inputSchema'] {
  const roles = new Set(args.map(({ role }) => role));
  const types = new Set(typeArgs);
  const names = Object.keys(values);
  return {
    type: 'object',
    properties: {
      spends: coinAmounts('The most that may leave the wallet, by coin. An empty list lets nothing leave.'),
      receivesAtLeast: coinAmounts(
        'The least that must come into the wallet, by coin. An empty list demands nothing.',
      ),
      ...(roles.has('amount') && {
        amount: digits('The amount that the op is given. Absent: that of the only coin in spends.'),
      }),
      ...(roles.has('minOut') && {
        minOut: digits('The minimum that the op is given. Absent: that of the only coin in receivesAtLeast.'),
      }),
      ...(types.has('coinIn') && { coinIn: coin }),
      ...(types.has('coinOut') && { coinOut: coin }),
      ...(names.length > 0 && {
        values: {
          type: 'object',
          description: 'The other arguments. `operations` returns what the publisher calls each of them.',
          properties: values,
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

type PureArgument = Extract<StepArgument, { role: 'pure' }>;

const listPures = (args: readonly StepArgument[]) =>
  args.filter((one): one is PureArgument => one.role === 'pure');

/** The values that the caller states beside coins: one for all calls that use the name. */
function collectOpenValues(args: readonly StepArgument[]): OpenValue[] {
  const open = listPures(args).filter(({ value }) => value === undefined);
  return [...new Map(open.map(({ name = '', type }) => [name || type, type]))].map(([name, type]) => ({
    name,
    type,
  }));
}

const collectFixedValues = (args: readonly StepArgument[]): Record<string, unknown> =>
  Object.fromEntries(
    listPures(args).flatMap(({ name, type, value }) => (value === undefined ? [] : [[name ?? type, value]])),
  );

const valueSchemas = (values: readonly OpenValue[]): JSONObject =>
  Object.fromEntries(values.map(({ type }, at) => [argumentName(at), valueSchema(type)]));

function valueSchema(type: string): JSONObject {
  const pure = pureTypeName(type) ?? type;
  if (pure === 'bool') return { type: 'boolean' };
  if (/^u(8|16|32)$/.test(pure)) return { type: 'integer', minimum: 0 };
  if (/^u\d+$/.test(pure)) return { type: 'string', pattern: '^[0-9]{1,78}$' };
  return pure === 'address' || pure === 'string' ? { type: 'string', maxLength: 1_024 } : {};
}
