import { sayIfSlow } from '../api/toast.ts';

let isUnderway = false;
let stopSaying = () => {};

/** Ends the message that the page prepares a dialog: the dialog is open. */
export const endPreparing = (): void => stopSaying();

/**
 * Returns a function that calls `work`, unless such a function of the page is running already: then it does nothing and
 * returns undefined. Everything that the reader signs starts with it. A dialog opens only after its contents are read,
 * so a double click would otherwise open two. If that takes long, the page says so.
 */
export const allowOneAtATime =
  <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result | undefined> => {
    if (isUnderway) return undefined;
    isUnderway = true;
    stopSaying = sayIfSlow('Reading what you will sign…');
    try {
      return await work(...args);
    } finally {
      isUnderway = false;
      stopSaying();
    }
  };
