import { bcs } from '@mysten/bcs';
import { address, amount, count, optional, small, typeName } from './fields.ts';
import { layout, readStruct, type StructOf, writeStruct } from './structs.ts';

/** The fields of the caps' objects. */
export const capLayouts = {
  bearer: layout({ id: address, walletId: address, policyVersion: count }),
  scoped: layout(
    {
      id: address,
      walletId: address,
      policyVersion: count,
      coin: typeName,
      remaining: amount,
      depth: small,
      maxDepth: small,
      parent: optional(address),
    },
    { ancestors: bcs.vector(address) },
  ),
};

/** A `cap_auth::DelegateCap`: whoever holds it may spend as the policy allows. */
export type BearerCap = { kind: 'bearer' } & StructOf<typeof capLayouts.bearer>;

/**
 * A `sub_delegate::ScopedCap`: like a bearer's, for one coin and up to a budget. `ancestors` are the caps that it
 * was split from, which other wallet packages do not name.
 */
export type ScopedCap = { kind: 'scoped' } & StructOf<typeof capLayouts.scoped>;

export type Cap = BearerCap | ScopedCap;

/** The Move types of caps, behind the wallet package's id. */
export const capTypes = { bearer: 'cap_auth::DelegateCap', scoped: 'sub_delegate::ScopedCap' } as const;

/** The auth rules that the caps prove, behind the wallet package's id. */
export const capAuthRules = { bearer: 'cap_auth::CapAuth', scoped: 'sub_delegate::ScopedAuth' } as const;

/**
 * Reads a cap from its object's BCS contents.
 * @throws Error where they are no such cap
 */
export function decodeCap(kind: Cap['kind'], contents: Uint8Array): Cap {
  return kind === 'bearer'
    ? { kind, ...readStruct(capLayouts.bearer, contents) }
    : { kind, ...readStruct(capLayouts.scoped, contents) };
}

/** The inverse of `decodeCap`, for tests. */
export function encodeCap(cap: Cap): Uint8Array {
  return writeStruct(capLayouts[cap.kind], cap);
}
