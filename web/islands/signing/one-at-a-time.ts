let isUnderway = false;

/**
 * Returns `work` such that a call during an earlier one, of any such work of the page, does nothing and returns
 * undefined. All that the reader signs starts so: what a dialog shows is read first, and a double click would open two
 * dialogs.
 */
export const oneAtATime =
  <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result | undefined> => {
    if (isUnderway) return undefined;
    isUnderway = true;
    try {
      return await work(...args);
    } finally {
      isUnderway = false;
    }
  };
