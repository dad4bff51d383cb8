import type { Policy } from '../../db/queries/wallets/policies.ts';
import { type Cap, capAuthRules } from './caps.ts';

/** The auth rule that a kind of cap proves. */
export const authRuleOf = (kind: Cap['kind'], walletPackageId: string) =>
  `${walletPackageId}::${capAuthRules[kind]}`;

/** The caveats that count for an auth rule: those of the wallet and its own. */
export function caveatsOf(policy: Policy | undefined, auth: string): string[] {
  const counting = policy?.rules.filter(
    ({ kind, forAuth }) => kind === 'caveat' && (forAuth === null || forAuth === auth),
  );
  return [...new Set(counting?.map(({ rule }) => rule))];
}

/** The caps that a scoped cap was split from, as far as it names them. */
export function ancestorsOf(cap: Cap): string[] {
  if (cap.kind === 'bearer') return [];
  return cap.ancestors ?? (cap.parent === null ? [] : [cap.parent]);
}

/** Why a cap opens nothing any more, as a clause; undefined where nothing is known against it. */
export function revocationOf(
  cap: Cap,
  auth: string,
  { policy, revokedCaps }: { policy: Policy | undefined; revokedCaps: ReadonlySet<string> },
): string | undefined {
  if (!policy) return undefined;
  // The node may be ahead of the read model, never behind the cap: a version above the known one is a newer one.
  if (cap.policyVersion < policy.version) return 'the owner has since revoked every cap of the wallet';
  if (revokedCaps.has(cap.id)) return 'the owner revoked this cap';
  if (ancestorsOf(cap).some((id) => revokedCaps.has(id))) {
    return 'the owner revoked a cap that this one was split from';
  }
  const trusted = policy.rules.some(({ kind, rule }) => kind === 'auth' && rule === auth);
  return trusted ? undefined : `the wallet's policy trusts no ${cap.kind} caps`;
}
