import type { SuiClientTypes } from '@mysten/sui/client';

/** Returns `true` if the address itself owns the object: neither another object, nor everyone. */
export function isHeldBy(owner: SuiClientTypes.ObjectOwner, address: string): boolean {
  if (owner.$kind === 'AddressOwner') return owner.AddressOwner === address;
  return owner.$kind === 'ConsensusAddressOwner' && owner.ConsensusAddressOwner.owner === address;
}
