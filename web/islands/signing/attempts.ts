import { type Attempts, attemptsWith } from '../api/attempts.ts';
import { chainIds } from './chain.ts';
import { refusalOf } from './failure.ts';

/** Attempts of a form whose transactions the chain may refuse. */
export const attemptsOf = (show: () => void): Attempts =>
  attemptsWith(show, async (error) => refusalOf(error, await chainIds().catch(() => undefined)));
