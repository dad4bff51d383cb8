import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { type InputObject, type ObjectReader, unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import { bcs, TypeTagSerializer } from '@mysten/sui/bcs';
import { refusal } from '../../../lib/agent/run-failure.ts';
import { type CalledPackages, fromNode, type Node } from '../chain/node.ts';

/** Objects that a transaction may take in, beyond the clock and those that its calls may name. */
export interface AllowedObjects {
  walletId: string;
  walletType: string;
  /** The sender's caps that stamp a spend. */
  caps: ReadonlySet<string>;
  /** Lists that stamp a spend. */
  lists: ReadonlySet<string>;
  listType: string | undefined;
}

/** Resolves to `true` if a package, by the id of any of its versions, is one of those that hold what wallets own. */
export type IsPlatformPackage = (packageId: string) => Promise<boolean>;

/**
 * Checks every input object of a transaction by what the node says of it, not by what the transaction says. Permitted
 * are the wallet and the caps of a spend. Beyond them, objects must be shared or immutable, be owned by no address, and
 * have no type of the packages that hold what wallets own. So an adaptor gets no other wallet, no cap, policy list, job
 * or registry, and no object of the sender. Returns the types of the objects that an adaptor may get, by id.
 * @throws RunFailedError `unexpected_transaction`
 */
export async function checkObjects(
  objects: ObjectReader,
  ids: readonly string[],
  allowed: AllowedObjects,
  isOurs: IsPlatformPackage,
): Promise<Map<string, string>> {
  const others = listCheckedIds(ids, allowed.caps);
  const known = await objects.read(others);
  const checked = others.map(async (id) => {
    const object = known.get(id);
    if (object?.kind !== 'shared' && object?.kind !== 'immutable') {
      throw refusal(`it uses ${id}, which is neither shared nor immutable`);
    }
    if (!(await mayTakeIn(object, allowed, isOurs))) throw refusal(`it uses ${id}, a ${object.type}`);
    return [id, object.type] as const;
  });
  // The wallet and the lists that stamp a spend go to functions of ours, which accept no other type.
  const isGuarded = (id: string) => id === allowed.walletId || allowed.lists.has(id);
  return new Map((await Promise.all(checked)).filter(([id]) => !isGuarded(id)));
}

/** Returns the ids of the objects that are checked: the clock and the sender's caps need no check. */
export const listCheckedIds = (ids: readonly string[], caps: ReadonlySet<string>): string[] =>
  ids.filter((id) => id !== clockId && !caps.has(id));

async function mayTakeIn(
  { objectId, type }: InputObject,
  { walletId, walletType, lists, listType }: AllowedObjects,
  isOurs: IsPlatformPackage,
): Promise<boolean> {
  if (objectId === walletId) return type === walletType;
  if (lists.has(objectId)) return type === listType;
  const ours = await Promise.all(listPackages(type).map(isOurs));
  return !ours.includes(true);
}

/** Returns a check for the packages of a network's settings that hold what wallets own, in all their versions. */
export function createPlatformCheck({ settings, versions }: Node): IsPlatformPackage {
  const { walletPackageId, rulesPackageId, allowlistPackageId } = settings;
  const { registryPackageId, agentsPackageId, escrowPackageId } = settings;
  const ours = new Set([
    walletPackageId,
    rulesPackageId,
    allowlistPackageId,
    registryPackageId,
    agentsPackageId,
    escrowPackageId,
  ]);
  return async (packageId) => {
    if (ours.has(packageId)) return true;
    const originalId = await fromNode(async () => unwrapAnswer(await versions.readOriginalId(packageId)));
    // A type cannot name a package that the node does not know, so such a package is refused too.
    return originalId === undefined || ours.has(originalId);
  };
}

const clockId = `0x${'6'.padStart(64, '0')}`;

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/** Returns the packages that a type names, including those of its type arguments. */
function listPackages(type: string): string[] {
  const packages = new Set<string>();
  const visit = (tag: TypeTag): void => {
    if ('vector' in tag) visit(tag.vector);
    if (!('struct' in tag)) return;
    packages.add(tag.struct.address);
    tag.struct.typeParams.forEach(visit);
  };
  visit(TypeTagSerializer.parseFromStr(type, true));
  return [...packages];
}

/** Responses of a node that the check relied on. The node may lie. */
interface NodeClaims {
  packages: Pick<CalledPackages, 'wallet' | 'allowlist'>;
  /** The types of the objects that adaptors get, by id. */
  types: ReadonlyMap<string, string>;
}

/**
 * Appends calls that make the chain refuse the transaction if the node lied. If a node names a thief's package as the
 * newest version of ours, the thief's functions get the sender's caps, or replace the lock around an adaptor. If a node
 * reports another type for a cap, an adaptor gets the cap.
 *
 * - A package that stands for a later version of one of ours is one. `option::none` makes an empty option of a type as
 *   that package names it, and `option::destroy_none` takes one of the type as first published. These are the same type
 *   in all versions of one package, and in no other package.
 * - Each object has the type that the node says, and no earlier call has consumed it: `object::id` borrows it.
 * @param transactionKind base64 of BCS, of calls alone
 */
export function appendChainChecks(transactionKind: string, { packages, types }: NodeClaims): string {
  const kind = bcs.TransactionKind.fromBase64(transactionKind);
  const { inputs = [], commands = [] } = kind.ProgrammableTransaction ?? {};
  for (const name of ['wallet', 'allowlist'] as const) {
    const called = packages[name];
    if (!called || called.newestId === called.originalId) continue;
    const none = commands.length;
    commands.push(buildMoveCall('0x1::option::none', `${called.newestId}::${typeByKind[name]}`));
    const result = { $kind: 'Result' as const, Result: none };
    commands.push(
      buildMoveCall('0x1::option::destroy_none', `${called.originalId}::${typeByKind[name]}`, result),
    );
  }
  for (const [index, { Object: object }] of inputs.entries()) {
    const { objectId = '' } = object?.SharedObject ?? object?.ImmOrOwnedObject ?? {};
    const type = types.get(normalizeAddress(objectId) ?? objectId);
    if (type !== undefined)
      commands.push(buildMoveCall('0x2::object::id', type, { $kind: 'Input', Input: index }));
  }
  return bcs.TransactionKind.serialize(kind).toBase64();
}

/** A type of each package that every version of it has. */
const typeByKind = { wallet: 'wallet::Wallet', allowlist: 'rule::Allowlist' } as const;

type Kind = ReturnType<typeof bcs.TransactionKind.parse>;
type Command = NonNullable<Kind['ProgrammableTransaction']>['commands'][number];
type Argument = NonNullable<Command['MoveCall']>['arguments'][number];

function buildMoveCall(target: string, typeArgument: string, ...args: Argument[]): Command {
  const [packageId = '', module = '', name = ''] = target.split('::');
  return {
    $kind: 'MoveCall',
    MoveCall: {
      package: normalizeAddress(packageId) ?? packageId,
      module,
      function: name,
      typeArguments: [typeArgument],
      arguments: args,
    },
  };
}
