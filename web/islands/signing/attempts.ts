import { type Attempts, attemptsWith } from '../api/attempts.ts';
import { chainIds } from './chain.ts';
import { toRefusal } from './failure.ts';

/** Attempts of a form whose transactions the chain may refuse. */
export const createAttempts = (show: () => void): Attempts =>
  attemptsWith(show, async (error) => toRefusal(error, await chainIds().catch(() => undefined)));
