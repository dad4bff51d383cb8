/** Reads of one part of a page, in an order in which an older one never replaces what a newer one shows. */
interface Searches {
  /** Runs a search. It aborts the search and the refresh before it. */
  search<Result>(read: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Reads the results of the latest search again, once it has ended. The next search aborts it. */
  refresh<Result>(read: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

export function orderSearches(): Searches {
  let latest = new AbortController();
  let searching: Promise<unknown> | undefined;
  return {
    async search(read) {
      latest.abort();
      latest = new AbortController();
      const found = read(latest.signal);
      searching = found;
      try {
        return await found;
      } finally {
        if (searching === found) searching = undefined;
      }
    },
    async refresh(read) {
      while (searching !== undefined) await searching.catch(() => undefined);
      return await read(latest.signal);
    },
  };
}
