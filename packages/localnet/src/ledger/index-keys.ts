import { normalizeSuiAddress } from '@mysten/sui/utils';
import type { Command, EmittedEvent } from '../execution/types.ts';
import { owningAddress } from '../state/objects.ts';
import type { ObjectChange } from './effects.ts';
import { canonicalType } from './move-types.ts';
import type { BalanceChange, LedgerKey } from './types.ts';

/** The text that stands for a key in the index; names are normalised, so that `0x2` finds the framework. */
export function indexKey(key: LedgerKey): string {
  switch (key.kind) {
    case 'sender':
    case 'affectedAddress':
      return `${key.kind}:${normalizeSuiAddress(key.address)}`;
    case 'affectedObject':
      return `${key.kind}:${normalizeSuiAddress(key.objectId)}`;
    case 'moveCall':
      return `${key.kind}:${normalizePath(key.function)}`;
    case 'emitModule':
      return `${key.kind}:${normalizePath(key.module)}`;
    case 'eventType':
      return `${key.kind}:${key.eventType.includes('<') ? canonicalType(key.eventType) : normalizePath(key.eventType)}`;
    case 'packageWrite':
    case 'anyEvent':
      return key.kind;
  }
}

function normalizePath(path: string): string {
  const [address = '', ...names] = path.split('::');
  return [normalizeSuiAddress(address), ...names].join('::');
}

interface IndexedTransaction {
  sender: string;
  gasOwner: string;
  commands: readonly Command[];
  events: readonly EmittedEvent[];
  changes: readonly ObjectChange[];
  balanceChanges: readonly BalanceChange[];
}

/**
 * Every key that finds this transaction. All ids are canonical already. Affected addresses are the sender, the
 * gas owner, and every owner of what was written or had a balance changed.
 */
export function indexKeys(transaction: IndexedTransaction): Set<string> {
  const { sender, gasOwner, commands, events, changes, balanceChanges } = transaction;
  const keys = new Set([`sender:${sender}`, `affectedAddress:${sender}`, `affectedAddress:${gasOwner}`]);
  for (const { address } of balanceChanges) keys.add(`affectedAddress:${address}`);
  for (const { id, next } of changes) {
    keys.add(`affectedObject:${id}`);
    if (next?.kind === 'package') keys.add('packageWrite');
    const owner = next?.kind === 'move' ? owningAddress(next.owner) : undefined;
    if (owner !== undefined) keys.add(`affectedAddress:${owner}`);
  }
  for (const command of commands) {
    if (command.$kind !== 'MoveCall') continue;
    const { package: id, module, function: name } = command.MoveCall;
    keys.add(`moveCall:${id}`).add(`moveCall:${id}::${module}`).add(`moveCall:${id}::${module}::${name}`);
  }
  for (const event of events) {
    keys.add('anyEvent');
    keys.add(`emitModule:${event.packageId}`).add(`emitModule:${event.packageId}::${event.module}`);
    for (const prefix of typePrefixes(event.type)) keys.add(`eventType:${prefix}`);
  }
  return keys;
}

/** `a`, `a::m`, `a::m::N` and, of a generic, `a::m::N<T>`. */
function typePrefixes(type: string): string[] {
  const bare = type.split('<', 1)[0] ?? type;
  const [address = '', module = ''] = bare.split('::');
  const prefixes = [address, `${address}::${module}`, bare];
  return bare === type ? prefixes : [...prefixes, type];
}
