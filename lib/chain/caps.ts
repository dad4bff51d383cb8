import { bcs } from '@mysten/bcs';
import type { Policy } from '../../db/queries/wallets/policies.ts';
import { address, amount, count, optional, small, typeName } from './fields.ts';
import { defineLayout, readStruct, type StructOf, writeStruct } from './structs.ts';

export const capLayouts = {
  bearer: defineLayout({ id: address, walletId: address, policyVersion: count }),
  scoped: defineLayout(
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

/** A `cap_auth::DelegateCap`: its holder may spend as the policy allows. */
export type BearerCap = { kind: 'bearer' } & StructOf<typeof capLayouts.bearer>;

/**
 * A `sub_delegate::ScopedCap`: its holder may spend one coin as the policy allows, up to a budget. `ancestors` are the
 * caps that it was split from. Caps of other wallet packages lack this field.
 */
export type ScopedCap = { kind: 'scoped' } & StructOf<typeof capLayouts.scoped>;

export type Cap = BearerCap | ScopedCap;

/** Move types of caps, without the wallet package's id. */
export const capTypes = { bearer: 'cap_auth::DelegateCap', scoped: 'sub_delegate::ScopedCap' } as const;

/** Auth rules that the caps prove, without the wallet package's id. */
const capAuthRules = { bearer: 'cap_auth::CapAuth', scoped: 'sub_delegate::ScopedAuth' } as const;

/** Reads a cap from its object's BCS contents. @throws Error if the contents are not a cap of this kind */
export function decodeCap(kind: Cap['kind'], contents: Uint8Array): Cap {
  return kind === 'bearer'
    ? { kind, ...readStruct(capLayouts.bearer, contents) }
    : { kind, ...readStruct(capLayouts.scoped, contents) };
}

/** The inverse of `decodeCap`, for tests. */
export function encodeCap(cap: Cap): Uint8Array {
  return writeStruct(capLayouts[cap.kind], cap);
}

export const buildAuthRule = (kind: Cap['kind'], walletPackageId: string) =>
  `${walletPackageId}::${capAuthRules[kind]}`;

/** Lists the caveats that count for an auth rule: those for all of the wallet's spends, and those for this rule. */
export function listCaveats(policy: Policy | undefined, auth: string): string[] {
  const counting = policy?.rules.filter(
    ({ kind, forAuth }) => kind === 'caveat' && (forAuth === null || forAuth === auth),
  );
  return [...new Set(counting?.map(({ rule }) => rule))];
}

/** Lists the caps that a scoped cap was split from, as far as it names them. */
export function listAncestors(cap: Cap): string[] {
  if (cap.kind === 'bearer') return [];
  return cap.ancestors ?? (cap.parent === null ? [] : [cap.parent]);
}

/** Returns the reason why a cap is no longer valid, as a clause. Returns undefined if no reason is known. */
export function describeRevocation(
  cap: Cap,
  auth: string,
  { policy, revokedCaps }: { policy: Policy | undefined; revokedCaps: ReadonlySet<string> },
): string | undefined {
  if (!policy) return undefined;
  // The node, which has the cap, may be ahead of the read model. A cap with a higher version than the known policy is
  // newer, not revoked.
  if (cap.policyVersion < policy.version) return 'the owner has since revoked every cap of the wallet';
  if (revokedCaps.has(cap.id)) return 'the owner revoked this cap';
  if (listAncestors(cap).some((id) => revokedCaps.has(id))) {
    return 'the owner revoked a cap that this one was split from';
  }
  const trusted = policy.rules.some(({ kind, rule }) => kind === 'auth' && rule === auth);
  return trusted ? undefined : `the wallet's policy trusts no ${cap.kind} caps`;
}
