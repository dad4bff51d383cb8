import { effectMutants } from './effects.ts';
import { frameworkMutants } from './framework.ts';
import { instructionMutants } from './instructions.ts';
import type { Mutant } from './mutant.ts';
import { rightMutants } from './rights.ts';

/** All rules that are taken out, one at a time. */
export const mutants: readonly Mutant[] = [
  ...frameworkMutants,
  ...instructionMutants,
  ...effectMutants,
  ...rightMutants,
];
