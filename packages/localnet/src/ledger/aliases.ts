import { bcs } from '@mysten/sui/bcs';
import { idBytes } from '../state/encoding.ts';
import { SUI } from '../vm/framework.ts';
import { dynamicFieldId } from '../vm/runtime/transaction-context.ts';
import type { ReadLive } from './input-objects.ts';
import { aliasStateId, typeTagBytes } from './move-types.ts';

const keyType = typeTagBytes(`${SUI}::derived_object::DerivedObjectKey<${SUI}::address_alias::AliasKey>`);

const AddressAliases = bcs.struct('AddressAliases', { id: bcs.Address, aliases: bcs.vector(bcs.Address) });

/** Who may sign for an address: itself, unless it has a set of aliases. */
export function aliasesOf(address: string, read: ReadLive): readonly string[] {
  // At its first version no address has a set, and most networks never make one.
  if (read(aliasStateId)?.version === 1n) return [address];
  const found = read(dynamicFieldId(aliasStateId, idBytes(address), keyType));
  return found?.kind === 'move' ? AddressAliases.parse(Uint8Array.from(found.contents)).aliases : [address];
}
