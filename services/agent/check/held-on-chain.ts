import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { bcs } from '@mysten/sui/bcs';
import type { CalledPackages } from '../chain/node.ts';

/** What was believed of a node, which may lie. */
export interface NodesWord {
  packages: Pick<CalledPackages, 'wallet' | 'allowlist'>;
  /** The types of the objects that adaptors get, by id. */
  types: ReadonlyMap<string, string>;
}

/**
 * Appends calls by which the chain refuses the transaction unless what the node said holds. A node that calls a thief's
 * package the newest version of ours would have its functions called with the sender's caps, or put around an adaptor
 * in place of the lock; one that calls a cap something else would have it handed to an adaptor.
 *
 * - A package that stands for a later version of one of ours is one. `option::none` makes an empty option of a type as
 *   that package names it, and `option::destroy_none` takes one of the type as first published. These are the same type
 *   in all versions of one package, and in no other package.
 * - Each object is of the type that the node says, and no call before has kept it: `object::id` borrows it.
 * @param transactionKind base64 of BCS, of calls alone
 */
export function heldOnChain(transactionKind: string, { packages, types }: NodesWord): string {
  const kind = bcs.TransactionKind.fromBase64(transactionKind);
  const { inputs = [], commands = [] } = kind.ProgrammableTransaction ?? {};
  for (const name of ['wallet', 'allowlist'] as const) {
    const called = packages[name];
    if (!called || called.newestId === called.originalId) continue;
    const none = commands.length;
    commands.push(call('0x1::option::none', `${called.newestId}::${typeOf[name]}`));
    const result = { $kind: 'Result' as const, Result: none };
    commands.push(call('0x1::option::destroy_none', `${called.originalId}::${typeOf[name]}`, result));
  }
  for (const [place, { Object: object }] of inputs.entries()) {
    const { objectId = '' } = object?.SharedObject ?? object?.ImmOrOwnedObject ?? {};
    const type = types.get(normalizeAddress(objectId) ?? objectId);
    if (type !== undefined) commands.push(call('0x2::object::id', type, { $kind: 'Input', Input: place }));
  }
  return bcs.TransactionKind.serialize(kind).toBase64();
}

/** A type of each package that every version of it has. */
const typeOf = { wallet: 'wallet::Wallet', allowlist: 'rule::Allowlist' } as const;

type Kind = ReturnType<typeof bcs.TransactionKind.parse>;
type Command = NonNullable<Kind['ProgrammableTransaction']>['commands'][number];
type Argument = NonNullable<Command['MoveCall']>['arguments'][number];

function call(target: string, typeArgument: string, ...args: Argument[]): Command {
  const [packageId = '', module = '', name = ''] = target.split('::');
  return {
    $kind: 'MoveCall',
    MoveCall: {
      ...{ package: normalizeAddress(packageId) ?? packageId, module, function: name },
      ...{ typeArguments: [typeArgument], arguments: args },
    },
  };
}
