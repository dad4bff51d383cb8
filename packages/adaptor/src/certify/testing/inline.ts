import type { Authority, CallPath, Certificate, Claim, Writers } from '../claims.ts';

/** A call path with names in place of positions. */
type NamedPath = { function: string; offset: number }[];

interface NamedWriters extends Pick<Writers, 'others'> {
  list: { function: string; needs: Authority[]; evidence: NamedPath }[];
}

type Inlined<C> = C extends unknown
  ? Omit<C, 'evidence' | 'writers'> &
      (C extends { evidence: CallPath } ? { evidence: NamedPath } : object) &
      (C extends { evidence: CallPath[] } ? { evidence: NamedPath[] } : object) &
      (C extends { writers?: number } ? { writers?: NamedWriters } : object)
  : never;

export type InlinedClaim = Inlined<Claim>;

/** The claims with what they refer to in place of positions. */
export function inlineClaims({ claims, functions, writers, authorities }: Certificate): InlinedClaim[] {
  const toNamed = (path: CallPath): NamedPath =>
    path.map(([fn, offset]) => ({ function: functions[fn]!, offset }));
  const named = writers.map(
    ({ list, others }): NamedWriters => ({
      list: list.map(({ function: fn, needs, evidence }) => ({
        function: functions[fn]!,
        needs: needs.map((index) => authorities[index]!),
        evidence: toNamed(evidence),
      })),
      others,
    }),
  );
  return claims.map((claim) => {
    const whole: Record<string, unknown> = { ...claim };
    if ('evidence' in claim) {
      const { evidence } = claim;
      whole.evidence = isPaths(claim) ? claim.evidence.map(toNamed) : toNamed(evidence as CallPath);
    }
    if ('writers' in claim && claim.writers !== undefined) whole.writers = named[claim.writers];
    return whole as InlinedClaim;
  });
}

const isPaths = (claim: Claim): claim is Extract<Claim, { evidence: CallPath[] }> =>
  claim.kind === 'takes' || claim.kind === 'goesTo';
