export interface BatchWriter<Item> {
  /**
   * Resolves when the item is stored, rejects with the reason why it cannot be.
   * @param isFollowed `true` if others come soon, so that it may wait for them a little
   */
  add(item: Item, isFollowed?: boolean): Promise<void>;
  /** `true` if fewer items wait than one transaction takes. */
  readonly hasRoom: boolean;
}

/** Longest wait for the items that follow, in milliseconds: less than a transaction with them takes. */
const gatherMsDefault = 100;

/**
 * Stores items one transaction at a time. Items that arrive meanwhile go together into the next one, at most `max`. A
 * transaction begins at once, unless all its items are followed by others. If it fails, each item is stored alone, so that
 * one does not make another fail.
 */
export function storeTogether<Item>(
  store: (items: readonly Item[]) => Promise<void>,
  max: number,
  gatherMs = gatherMsDefault,
): BatchWriter<Item> {
  const waiting: { item: Item; isFollowed: boolean; stored: PromiseWithResolvers<void> }[] = [];
  let isStoring = false;
  /** Ends the wait for more items. */
  let begin: (() => void) | undefined;

  const mayGather = () => waiting.length < max && waiting.every(({ isFollowed }) => isFollowed);

  async function gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, gatherMs);
    begin = resolve;
    await promise;
    begin = undefined;
    clearTimeout(timer);
  }

  async function storeAll(): Promise<void> {
    isStoring = true;
    while (waiting.length > 0) {
      if (mayGather()) await gather();
      const batch = waiting.splice(0, max);
      try {
        await storeBatch(batch);
      } catch (error) {
        if (batch.length === 1) batch[0]!.stored.reject(error);
        else for (const one of batch) await storeBatch([one]).catch(one.stored.reject);
      }
    }
    isStoring = false;
  }

  async function storeBatch(batch: typeof waiting): Promise<void> {
    await store(batch.map(({ item }) => item));
    for (const { stored } of batch) stored.resolve();
  }

  return {
    get hasRoom() {
      return waiting.length < max;
    },
    add(item, isFollowed = false) {
      const stored = Promise.withResolvers<void>();
      waiting.push({ item, isFollowed, stored });
      if (!mayGather()) begin?.();
      if (!isStoring) void storeAll();
      return stored.promise;
    },
  };
}
