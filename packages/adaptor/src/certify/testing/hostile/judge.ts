import type { Certificate } from '../../claims.ts';
import { type InlinedClaim, inlineClaims } from '../inline.ts';
import type { HostileAdaptor } from './adaptor.ts';
import type { CompiledAdaptor, CompiledAdaptors } from './compile.ts';
import { matches } from './pattern.ts';

/** Certifies the op of a package. */
export type CertifyOp = (content: CompiledAdaptor['content'], module: string, op: string) => Certificate;

/** Returns the reasons why a certificate does not show the plant, or shows it in the twin. */
export function judge(adaptor: HostileAdaptor, adaptors: CompiledAdaptors, certifyOp: CertifyOp): string[] {
  const read = (variant: 'hostile' | 'honest') => {
    const { content, module, names } = adaptors.find(adaptor, variant);
    const pattern = adaptor.claim(names);
    const kind = inlineClaims(certifyOp(content, module, adaptor.op)).filter(
      (claim) => claim.kind === pattern.kind,
    );
    return { names, kind, shown: kind.filter((claim) => matches(claim, pattern)) };
  };
  const [hostile, twin] = [read('hostile'), read('honest')];
  const [has, hasNot] = adaptor.shownBy === 'present' ? [hostile, twin] : [twin, hostile];
  const at = adaptor.at?.(hostile.names);
  const reasons = [
    has.shown.length === 0 &&
      `No such claim ${has === hostile ? 'of the adaptor' : 'of the twin'}: ${write(has.kind)}`,
    hasNot.shown.length > 0 &&
      `A false claim ${has === hostile ? 'of the twin' : 'of the adaptor'}: ${write(hasNot.shown)}`,
    !isClosed(hasNot.kind) && `Nothing follows from what is absent: ${write(hasNot.kind)}`,
    has.shown.length > 0 &&
      at !== undefined &&
      !listFunctions(has.shown).has(at) &&
      `No evidence leads to ${at}: ${write(has.shown)}`,
  ];
  return reasons.filter((reason) => reason !== false);
}

/** Returns `true` if the claims of a kind say that there is no other. Kinds without a rest are complete. */
function isClosed(claims: readonly InlinedClaim[]): boolean {
  return claims.every((claim) => claim.verdict !== 'unread');
}

/** All functions that evidence leads through, as `0x…::module::function`. */
function listFunctions(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  if ('function' in value && 'offset' in value) found.add(String(value.function));
  for (const part of Object.values(value)) listFunctions(part, found);
  return found;
}

const write = (claims: readonly InlinedClaim[]) => JSON.stringify(claims, undefined, 1);
