import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';

export interface ChainEvent {
  /** Digest of the transaction. */
  digest: string;
  sender: string;
  /** Full type of the event. */
  type: string;
  bcs: Uint8Array;
}

/** Every event of a network, in the order of the chain. */
export async function listAllEvents({ core }: ChainClient): Promise<ChainEvent[]> {
  const events: ChainEvent[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof core.listEvents>> = await core.listEvents({ after, limit: 1_000 });
    for (const { transactionDigest: digest, sender, eventType: type, bcs } of page.events) {
      events.push({ digest, sender, type, bcs });
    }
    if (!page.hasNextPage) return events;
    after = page.endCursor;
  }
}
