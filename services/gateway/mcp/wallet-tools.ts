import { createHash } from 'node:crypto';
import {
  argumentsOf,
  isExecutable,
  pureTypeName,
  type StepArgument,
  typeArgsOf,
} from '@adaptor-marketplace/adaptor/manifest';
import { runOutput, schemas } from '@adaptor-marketplace/mcp/internal';
import type { MyDelegation } from '@adaptor-marketplace/sdk';
import type { JSONObject, Tool } from '@modelcontextprotocol/server';
import { readConfirmed } from '../../../db/queries/agent/operator.ts';
import { type CatalogEntry, isRunnable } from '../../../db/queries/catalog/entry.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { type Authority, readAuthority } from '../../../db/queries/wallets/authority.ts';
import { type Grant, readGrants } from '../../../db/queries/wallets/grants.ts';
import { allowsAction, allowsService } from '../../../lib/agent/key-scope.ts';
import type { AuthorityBody } from '../../../lib/agent/questions.ts';

/** An op that the caller may have called, as a tool. */
interface OpTool {
  tool: Tool;
  serviceType: string;
  /** `module::entry`. */
  op: string;
  /** A fixed object, by which it differs from the other ops of its function. */
  objectId: string | undefined;
  /** Values by which it differs from them. */
  fixed: Record<string, unknown>;
}

/** What a caller may do with a wallet now. */
export interface WalletTools {
  ops: OpTool[];
  maySpend: boolean;
  /** Those of this wallet that work. */
  caps: MyDelegation[];
  grants: Grant[];
  delegate: Authority['delegate'];
}

interface ToolSources {
  db: Parameters<typeof readConfirmed>[0];
  /** The caps that an address holds and that are not revoked. */
  capsOf(network: AuthorityBody['network'], address: string): Promise<MyDelegation[]>;
}

/** Beside those of the wallet itself; further ones are left out. */
const opsMax = 125;

/**
 * The verified listings × what the wallet granted to the address that acts for it × the scope of the caller's key. What a
 * call used up changes nothing here: a tool goes when the grant, the delegate or the listing goes.
 */
export async function readWalletTools(
  { db, capsOf }: ToolSources,
  authority: AuthorityBody,
): Promise<WalletTools> {
  const { network, walletId, address, confirmedOnly } = authority;
  const scope = scopeOf(authority);
  const [grants = []] = await readGrants(db, [{ network, walletId }]);
  const services = [...new Set(grants.map(({ serviceType }) => serviceType))];
  const coins = [...new Set(grants.map(({ coin }) => coin))];
  const [known, entries, confirmed, held] = await Promise.all([
    readAuthority(db, { network, walletId, sender: address, services, coins }),
    readEntries(
      db,
      services.map((serviceType) => ({ network, serviceType })),
    ),
    confirmedOnly ? readConfirmed(db, network, services) : undefined,
    capsOf(network, address),
  ]);
  const delegate = known?.delegate;
  const isDelegate = delegate !== undefined && (delegate.expiresMs ?? Infinity) > Date.now();
  const acts = isDelegate && known?.paused === false && allowsAction(scope, 'call');
  const ops = acts
    ? entries.flatMap((entry, at) => {
        const serviceType = services[at]!;
        if (!isRunnable(entry) || !delegate.services.has(serviceType)) return [];
        if (!allowsService(scope, serviceType)) return [];
        if (confirmed && confirmed.get(serviceType)?.manifestHash !== entry.manifestHash) return [];
        return opToolsOf(entry);
      })
    : [];
  const caps = held.filter((cap) => cap.walletId === walletId);
  return {
    ops: ops.sort((one, other) => (one.tool.name < other.tool.name ? -1 : 1)).slice(0, opsMax),
    maySpend: known?.paused === false && caps.length > 0 && allowsAction(scope, 'spend'),
    caps,
    grants,
    delegate,
  };
}

/** The scope of the caller's key. A session of the owner has no bounds. */
function scopeOf({ key }: AuthorityBody) {
  if (key === null) return {};
  const { services, actions } = key;
  return { ...(services && { services }), ...(actions && { actions }) };
}

function opToolsOf({ serviceType, manifest, notExecutable }: CatalogEntry): OpTool[] {
  const broken = new Set(notExecutable.map(({ index }) => index));
  return manifest.ops.flatMap((op, index) => {
    if (broken.has(index) || !isExecutable(op)) return [];
    const args = argumentsOf(op);
    const [objectId] = args.flatMap((one) => (one.role === 'object' ? [one.objectId] : []));
    const alike = manifest.ops.filter(({ module, entry }) => module === op.module && entry === op.entry);
    const fixed = alike.length > 1 ? fixedValues(args) : {};
    const values = valueSchemas(args);
    if (!values) return [];
    const name = `${op.module}::${op.entry}`;
    const distinct = createHash('sha256')
      .update(JSON.stringify([serviceType, name, objectId, fixed]))
      .digest('hex');
    const tool: Tool = {
      name: [op.module, op.entry].join('_').slice(0, 48).concat('_', distinct.slice(0, 12)),
      title: name,
      description:
        `Calls ${name} of the service ${serviceType} for the wallet. It takes at most \`spends\` from the wallet, and fails ` +
        'unless it brings `receivesAtLeast`. It moves funds: simulate it first.',
      inputSchema: inputOf(args, typeArgsOf(op), values),
      outputSchema: runOutput,
      annotations: moneyHints,
    };
    return [{ tool, serviceType, op: name, objectId, fixed }];
  });
}

export const moneyHints = {
  ...{ readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
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
    ...{ type: 'string', minLength: 1, maxLength: 128 },
    description:
      'Of your choice: the same call under it attaches to its run. Without one, a call is run once in ten minutes.',
  },
  repeat: { type: 'boolean', description: 'Run the same call again within ten minutes.' },
};

function inputOf(
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
        values: { type: 'object', properties: values, required: names, additionalProperties: false },
      }),
      ...moneyArguments,
    },
    required: ['spends', 'receivesAtLeast', ...(names.length > 0 ? ['values'] : [])],
    additionalProperties: false,
  };
}

/** A name of a publisher's that may stand in a schema: an identifier, and no sentence. */
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;

const puresOf = (args: readonly StepArgument[]) => args.filter((one) => one.role === 'pure');

/** What the caller states beside coins, by name; undefined for an op that cannot be described. */
function valueSchemas(args: readonly StepArgument[]): JSONObject | undefined {
  const open = puresOf(args).filter(({ value }) => value === undefined);
  if (open.some(({ name }) => name === undefined || !plainName.test(name))) return undefined;
  return Object.fromEntries(open.map(({ name, type }) => [name!, valueSchema(type)]));
}

/** The values that tell an op from the others of its function, as a request states them. */
const fixedValues = (args: readonly StepArgument[]): Record<string, unknown> =>
  Object.fromEntries(
    puresOf(args).flatMap(({ name, type, value }) => (value === undefined ? [] : [[name ?? type, value]])),
  );

function valueSchema(type: string): JSONObject {
  const pure = pureTypeName(type) ?? type;
  if (pure === 'bool') return { type: 'boolean' };
  if (/^u(8|16|32)$/.test(pure)) return { type: 'integer', minimum: 0 };
  if (/^u\d+$/.test(pure)) return { type: 'string', pattern: '^[0-9]{1,78}$' };
  return pure === 'address' || pure === 'string' ? { type: 'string', maxLength: 1_024 } : {};
}

/** What `simulate` returns. */
export const simulationOutput = schemas.simulate_action!.output as Tool['outputSchema'];
