import { ARITHMETIC_SUITE } from './cases/arithmetic.ts';
import { COLLECTIONS_SUITE } from './cases/collections.ts';
import { LANGUAGE_SUITE } from './cases/language.ts';
import { OBJECTS_SUITE } from './cases/objects.ts';
import { SIGNATURES_SUITE } from './cases/signatures.ts';
import { VALUES_SUITE } from './cases/values.ts';
import type { Suite } from './suite.ts';

/**
 * All functions written by hand, in two packages: the test VM loads a whole package for each test, so that one
 * large package takes twice as long.
 */
export const PACKAGES: Suite[][] = [
  [ARITHMETIC_SUITE],
  [LANGUAGE_SUITE, VALUES_SUITE, OBJECTS_SUITE, COLLECTIONS_SUITE, SIGNATURES_SUITE],
];
