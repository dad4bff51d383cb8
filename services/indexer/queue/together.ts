export interface BatchWriter<Item> {
  /** Resolves when the item is stored, rejects with the reason why it cannot be. */
  add(item: Item): Promise<void>;
  /** `true` if fewer items wait than one transaction takes. */
  readonly hasRoom: boolean;
}

/**
 * Stores items one transaction at a time: those that arrive meanwhile go together into the next one, at most `max`. If
 * it fails, each item is stored alone, so that one does not make another fail.
 */
export function storeTogether<Item>(
  store: (items: readonly Item[]) => Promise<void>,
  max: number,
): BatchWriter<Item> {
  const waiting: { item: Item; stored: PromiseWithResolvers<void> }[] = [];
  let storing = false;

  async function storeAll(): Promise<void> {
    storing = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, max);
      try {
        await storeBatch(batch);
      } catch (error) {
        if (batch.length === 1) batch[0]!.stored.reject(error);
        else for (const one of batch) await storeBatch([one]).catch(one.stored.reject);
      }
    }
    storing = false;
  }

  async function storeBatch(batch: typeof waiting): Promise<void> {
    await store(batch.map(({ item }) => item));
    for (const { stored } of batch) stored.resolve();
  }

  return {
    get hasRoom() {
      return waiting.length < max;
    },
    add(item) {
      const stored = Promise.withResolvers<void>();
      waiting.push({ item, stored });
      if (!storing) void storeAll();
      return stored.promise;
    },
  };
}
