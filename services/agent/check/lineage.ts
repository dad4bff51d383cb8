import { bcs } from '@mysten/sui/bcs';
import type { CalledPackage, CalledPackages } from '../chain/packages.ts';

type Kind = ReturnType<typeof bcs.TransactionKind.parse>;
type Command = NonNullable<Kind['ProgrammableTransaction']>['commands'][number];

/** A type of each package that every version of it has. */
const typeOf = { wallet: 'wallet::Wallet', allowlist: 'rule::Allowlist' } as const;

/**
 * Appends what makes the chain refuse the transaction unless each package that stands for a later version of one of
 * ours is one. Which versions there are only a node says, and one that lies would have functions of its choice called
 * with the caps of the sender, or put around an adaptor in place of the lock.
 *
 * `option::none` makes an empty option of the type as the called package names it, and `option::destroy_none` takes one
 * of the type as first published. These are the same type in all versions of one package, and in no other package.
 * @param transactionKind base64 of BCS, of calls alone
 */
export function heldToLineage(transactionKind: string, packages: CalledPackages): string {
  const later = (['wallet', 'allowlist'] as const).flatMap((name) => {
    const called = packages[name];
    return called && called.newestId !== called.originalId ? { ...called, type: typeOf[name] } : [];
  });
  if (later.length === 0) return transactionKind;
  const kind = bcs.TransactionKind.fromBase64(transactionKind);
  const { commands = [] } = kind.ProgrammableTransaction ?? {};
  for (const one of later) commands.push(...sameType(one, commands.length));
  return bcs.TransactionKind.serialize(kind).toBase64();
}

/** @param at the place of the first of the commands */
function sameType(
  { newestId, originalId, type }: CalledPackage & { type: string },
  at: number,
): [Command, Command] {
  const call = (name: string, packageId: string, args: { $kind: 'Result'; Result: number }[]): Command => ({
    $kind: 'MoveCall',
    MoveCall: {
      ...{ package: optionPackage, module: 'option', function: name },
      ...{ typeArguments: [`${packageId}::${type}`], arguments: args },
    },
  });
  return [call('none', newestId, []), call('destroy_none', originalId, [{ $kind: 'Result', Result: at }])];
}

const optionPackage = `0x${'1'.padStart(64, '0')}`;
