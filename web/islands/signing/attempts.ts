import { type Attempts, createAttempts, failureNotice } from '../api/attempts.ts';
import { readChainIds } from './chain.ts';
import { openDialog } from './dialog.ts';
import { toRefusal } from './failure.ts';

/** Attempts of a form whose transactions the chain may refuse. */
export const createSigningAttempts = (show: () => void): Attempts =>
  createAttempts(show, async (error) => toRefusal(error, await readChainIds().catch(() => undefined)));

/** Shows in a dialog why something cannot be done. Resolves when the reader closes it. */
export async function showRefusal(error: unknown): Promise<void> {
  const dialog = openDialog();
  dialog.show('It cannot be done now', failureNotice(toRefusal(error)));
  await dialog.closed;
}
