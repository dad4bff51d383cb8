import type { CallPath, Claim } from './claims.ts';

/** Returns the call paths to the instructions that show a claim. None does if it says that nothing happens. */
export const listCallPaths = (claim: Claim): CallPath[] =>
  listEvidence(claim).filter(({ length }) => length > 0);

function listEvidence(claim: Claim): CallPath[] {
  if ('rest' in claim) return [];
  switch (claim.kind) {
    case 'takes':
    case 'goesTo':
      return claim.evidence;
    case 'touches':
    case 'gate':
    case 'steers':
    case 'droppedCheck':
    case 'notRead':
      return [claim.evidence];
    case 'comesBack':
    case 'witnessLeak':
    case 'upgrade':
      return [];
  }
}
