/** Changes of what only the key-value store has. An operator who restores a copy of the store loses those since the copy. */
export class StoreChanges {
  readonly #running = new Set<Promise<unknown>>();
  #resumed: Promise<void> | undefined;

  /** Runs a change, which waits while changes are suspended. */
  async run<Result>(change: () => Promise<Result>): Promise<Result> {
    while (this.#resumed) await this.#resumed;
    const running = change();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Suspends changes, and waits for those that run. @returns resumes them */
  async suspend(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resumed = promise;
    await Promise.allSettled(this.#running);
    return () => {
      this.#resumed = undefined;
      resolve();
    };
  }
}
