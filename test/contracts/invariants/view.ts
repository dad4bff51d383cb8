import { coinTypeOf, type MoveObject, type StoredObject } from '@adaptor-marketplace/localnet/state/objects';
import { bcs } from '@mysten/sui/bcs';
import {
  agentsLayout,
  bearerLayout,
  entryLayout,
  grantsLayout,
  jobLayout,
  listLayout,
  neighbours,
  policyLayout,
  registryLayout,
  scopedLayout,
  serviceLayout,
  walletLayout,
} from '../layouts.ts';

type Objects = ReadonlyMap<string, StoredObject>;

/** Values by name; those of a wallet's money and rights, so that two views can be compared name by name. */
type Fields = ReadonlyMap<string, bigint>;

export interface WalletView {
  id: string;
  version: number;
  owner: string;
  offeredTo: string | null;
  paused: boolean;
  locked: boolean;
  /** Amounts by coin. */
  balances: Fields;
  /** Keys are `service coin`. */
  allowances: Fields;
  pulls: Fields;
  /** Keys are `delegate kind type`; `kind` is `service` or `coin`. */
  budgets: Fields;
  /** Milliseconds since the epoch by delegate; null: never. */
  expiries: ReadonlyMap<string, bigint | null>;
  /** Types of the assets by id; `service` is null for those of the owner. */
  assets: ReadonlyMap<string, { service: string | null; type: string; name: string }>;
  bindings: ReadonlySet<string>;
  policy: PolicyView | undefined;
}

interface PolicyView {
  version: bigint;
  authRules: ReadonlyMap<string, readonly string[]>;
  caveatRules: readonly string[];
  ruleObjects: ReadonlyMap<string, string>;
  spendInto: boolean;
  /** Everything that only the owner changes, as text. */
  settings: string;
  revoked: ReadonlySet<string>;
  /** Amounts by cap. */
  refunds: Fields;
}

interface CapView {
  id: string;
  walletId: string;
  policyVersion: bigint;
  /** Undefined for a bearer cap. */
  scoped: { coin: string; remaining: bigint; ancestors: readonly string[] } | undefined;
}

export type JobView = Omit<ReturnType<typeof jobLayout.parse>, 'amount' | 'funds'> & {
  coin: string;
  amount: bigint;
  funds: bigint;
};

/** An entry of a registry: of a publisher under a name, or of an agent. */
interface EntryView {
  /** Id of the registry. */
  registry: string;
  /** Service or rule; empty for an agent. */
  name: string;
  publisher: string;
  live: boolean;
  version: bigint;
  /** The content without its neighbours in a list, in hex. */
  content: string;
}

/** The contracts' objects on a chain. */
export interface View {
  wallets: ReadonlyMap<string, WalletView>;
  jobs: ReadonlyMap<string, JobView>;
  caps: ReadonlyMap<string, CapView>;
  lists: ReadonlyMap<string, { walletId: string; version: number; allowed: readonly string[] }>;
  /** Versions of the registries by id. */
  registries: ReadonlyMap<string, bigint>;
  entries: ReadonlyMap<string, EntryView>;
  /** Jobs that each assessor cap is for, by cap. */
  assessors: ReadonlyMap<string, { jobId: string; holder: string }>;
  /** Coins of their own by id. */
  coins: ReadonlyMap<string, { coin: string; amount: bigint; owner: string }>;
}

interface Field {
  nameType: string;
  object: MoveObject;
  /** Bytes of the name and the value. */
  bytes: Uint8Array;
}

const parsed = new WeakMap<MoveObject, unknown>();

/** Parses an object that is never written again; each object once. */
function parseOnce<Value>(object: MoveObject, parse: (bytes: Uint8Array) => Value): Value {
  const known = parsed.get(object);
  if (known !== undefined) return known as Value;
  const value = parse(object.contents);
  parsed.set(object, value);
  return value;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const withPrefix = (type: string) => (type.startsWith('0x') ? type : `0x${type}`);

export function readView(objects: Objects): View {
  const children = new Map<string, MoveObject[]>();
  for (const object of objects.values()) {
    if (object.kind !== 'move' || object.owner.kind !== 'object') continue;
    const siblings = children.get(object.owner.address);
    if (siblings) siblings.push(object);
    else children.set(object.owner.address, [object]);
  }
  const fields = (parent: string): Field[] =>
    (children.get(parent) ?? []).map((object) => {
      const start = object.type.indexOf('::dynamic_field::Field<') + '::dynamic_field::Field<'.length;
      return { nameType: object.type.slice(start, -1), object, bytes: object.contents.subarray(32) };
    });
  const view = {
    wallets: new Map<string, WalletView>(),
    jobs: new Map<string, JobView>(),
    caps: new Map<string, CapView>(),
    lists: new Map<string, { walletId: string; version: number; allowed: readonly string[] }>(),
    registries: new Map<string, bigint>(),
    entries: new Map<string, EntryView>(),
    assessors: new Map<string, { jobId: string; holder: string }>(),
    coins: new Map<string, { coin: string; amount: bigint; owner: string }>(),
  };
  for (const object of objects.values()) {
    if (object.kind !== 'move') continue;
    const { id, type } = object;
    const owner = 'address' in object.owner ? object.owner.address : object.owner.kind;
    const coin = coinTypeOf(type);
    if (coin !== undefined) {
      view.coins.set(id, {
        coin,
        amount: parseOnce(object, (bytes) => Buffer.from(bytes).readBigUInt64LE(32)),
        owner,
      });
    } else if (type.endsWith('::wallet::Wallet')) {
      view.wallets.set(id, readWallet(object, fields, objects));
    } else if (type.includes('::job::Job<')) {
      view.jobs.set(
        id,
        parseOnce(object, (bytes) => {
          const job = jobLayout.parse(bytes);
          const jobCoin = type.slice(type.indexOf('Job<') + 4, -1);
          return { ...job, coin: jobCoin, amount: BigInt(job.amount), funds: BigInt(job.funds) };
        }),
      );
    } else if (type.endsWith('::sub_delegate::ScopedCap')) {
      view.caps.set(
        id,
        parseOnce(object, (bytes) => {
          const { walletId, policyVersion, coin, remaining, ancestors } = scopedLayout.parse(bytes);
          const scoped = { coin: withPrefix(coin), remaining: BigInt(remaining), ancestors };
          return { id, walletId, policyVersion: BigInt(policyVersion), scoped };
        }),
      );
    } else if (type.endsWith('::cap_auth::DelegateCap')) {
      const { walletId, policyVersion } = parseOnce(object, (bytes) => bearerLayout.parse(bytes));
      view.caps.set(id, { id, walletId, policyVersion: BigInt(policyVersion), scoped: undefined });
    } else if (type.endsWith('::rule::Allowlist')) {
      const { walletId, version, allowed } = parseOnce(object, (bytes) => listLayout.parse(bytes));
      view.lists.set(id, { walletId, version: Number(version), allowed });
    } else if (type.endsWith('::cap_assessor::AssessorCap')) {
      view.assessors.set(id, { jobId: `0x${hex(object.contents.subarray(32))}`, holder: owner });
    } else if (type.endsWith('::registry::Registry')) {
      readRegistry(view, object, fields);
    }
  }
  return view;
}

function readWallet(object: MoveObject, fields: (parent: string) => Field[], objects: Objects): WalletView {
  const wallet = parseOnce(object, (bytes) => walletLayout.parse(bytes));
  const view = {
    id: object.id,
    version: Number(wallet.version),
    owner: wallet.owner,
    offeredTo: wallet.offeredTo,
    paused: wallet.paused,
    locked: false,
    balances: new Map<string, bigint>(),
    allowances: new Map<string, bigint>(),
    pulls: new Map<string, bigint>(),
    budgets: new Map<string, bigint>(),
    expiries: new Map<string, bigint | null>(),
    assets: new Map<string, { service: string | null; type: string; name: string }>(),
    bindings: new Set<string>(),
    policy: undefined as PolicyView | undefined,
  };
  for (const { object: field } of fields(wallet.grants.id)) {
    const [service, grants] = parseOnce(field, (bytes) => {
      const name = bcs.string().parse(bytes.subarray(32));
      return [withPrefix(name), grantsLayout.parse(bytes.subarray(32 + 1 + name.length))] as const;
    });
    for (const [coin, { allowance, pull }] of grants) {
      view.allowances.set(`${service} ${withPrefix(coin)}`, BigInt(allowance));
      view.pulls.set(`${service} ${withPrefix(coin)}`, BigInt(pull));
    }
  }
  for (const { object: field, nameType } of fields(wallet.assets.id)) {
    const child = objects.get(`0x${hex(field.contents.subarray(-32))}`);
    if (child?.kind !== 'move') throw new Error(`the asset of ${field.id} is gone`);
    const service = /::wallet::ServiceAssetKey<(.*?)>>?, ?/.exec(nameType)?.[1] ?? null;
    view.assets.set(child.id, {
      service,
      type: child.type,
      name: bcs.string().parse(field.contents.subarray(32)),
    });
  }
  for (const { nameType, bytes, object: field } of fields(object.id)) {
    const balance = /::wallet::BalanceKey<(.*?)>, ?/.exec(nameType)?.[1];
    if (balance !== undefined) {
      view.balances.set(balance, Buffer.from(field.contents).readBigUInt64LE(field.contents.length - 8));
    } else if (nameType.includes('::ExternalAccountBindingKey<'))
      view.bindings.add(`${nameType} ${hex(bytes)}`);
    else if (nameType.includes('::lock::Key')) view.locked = true;
    else if (nameType.endsWith('::delegate::Delegate')) {
      const entries = `0x${hex(bytes.subarray(9, 41))}`;
      for (const { object: entry } of fields(entries)) {
        const { name, value } = parseOnce(entry, (contents) => ({
          name: bcs.Address.parse(contents.subarray(32)),
          value: entryLayout.parse(contents.subarray(64)),
        }));
        view.expiries.set(name, value.expiresAtMs === null ? null : BigInt(value.expiresAtMs));
        for (const [service, left] of value.byService)
          view.budgets.set(`${name} service ${withPrefix(service)}`, BigInt(left));
        for (const [coin, left] of value.byCoin)
          view.budgets.set(`${name} coin ${withPrefix(coin)}`, BigInt(left));
      }
    } else if (nameType.endsWith('::policy::DelegationPolicy')) {
      view.policy = readPolicy(field, fields);
    }
  }
  return view;
}

function readPolicy(field: MoveObject, fields: (parent: string) => Field[]): PolicyView {
  const keyBytes = 'delegation_policy'.length + 1;
  const policy = parseOnce(field, (bytes) => policyLayout.parse(bytes.subarray(32 + keyBytes)));
  const { revokedCaps, refunds, ...rest } = policy;
  return {
    version: BigInt(policy.version),
    authRules: new Map([...policy.authRules].map(([rule, of]) => [withPrefix(rule), of.map(withPrefix)])),
    caveatRules: policy.caveatRules.map(withPrefix),
    ruleObjects: new Map([...policy.ruleObjects].map(([rule, id]) => [withPrefix(rule), id])),
    spendInto: policy.spendInto,
    settings: JSON.stringify(rest, (_, one: unknown) => (one instanceof Map ? [...one] : one)),
    revoked: new Set(fields(revokedCaps.id).map(({ bytes }) => `0x${hex(bytes.subarray(0, 32))}`)),
    refunds: new Map(
      fields(refunds.id).map(({ bytes }) => [
        `0x${hex(bytes.subarray(0, 32))}`,
        Buffer.from(bytes).readBigUInt64LE(32),
      ]),
    ),
  };
}

function readRegistry(
  view: { registries: Map<string, bigint>; entries: Map<string, EntryView> },
  { id, contents }: MoveObject,
  fields: (parent: string) => Field[],
): void {
  view.registries.set(id, Buffer.from(contents).readBigUInt64LE(32));
  /** @param versionBack where the version is, in bytes before the end */
  const add = (name: string, bytes: Uint8Array, live: boolean, versionBack: number, headBytes = 32) => {
    const publisher = `0x${hex(bytes.subarray(0, 32))}`;
    const version = Buffer.from(bytes).readBigUInt64LE(bytes.length - versionBack);
    const content = hex(bytes.subarray(headBytes));
    view.entries.set(`${id} ${name} ${publisher}`, { registry: id, name, publisher, live, version, content });
  };
  // A live entry ends with its version and its time.
  if (contents.length === agentsBytes) {
    const { live, unlisted } = agentsLayout.parse(contents);
    for (const { bytes } of fields(live.id)) add('', bytes, true, 16);
    for (const { bytes } of fields(unlisted.id)) add('', bytes, false, 8);
    return;
  }
  for (const { bytes } of fields(registryLayout.parse(contents).services.id)) {
    const name = bcs.string().parse(bytes);
    const { live, unlisted } = serviceLayout.parse(
      bytes.subarray(bcs.string().serialize(name).toBytes().length),
    );
    for (const { bytes: node } of fields(live.id)) {
      const around = neighbours.serialize(neighbours.parse(node.subarray(32))).toBytes();
      add(name, node, true, 16, 32 + around.length);
    }
    for (const { bytes: tombstone } of fields(unlisted.id)) add(name, tombstone, false, 8);
  }
}

/** Id, version and two tables; the other registries have one table. */
const agentsBytes = 32 + 8 + 2 * 40;
