let isUnderway = false;

/**
 * Returns a function that calls `work`, unless such a function of the page is running already: then it does nothing and
 * returns undefined. Everything that the reader signs starts with it. A dialog opens only after its contents are read,
 * so a double click would otherwise open two.
 */
export const allowOneAtATime =
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
