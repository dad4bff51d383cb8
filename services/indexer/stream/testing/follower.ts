import { setImmediate as turn } from 'node:timers/promises';
import { openFilteredReader } from '../filtered-reader.ts';
import { type Chunk, type FollowOptions, follow } from '../follow.ts';
import { moveCursor } from '../frames.ts';
import { StreamSilentError } from '../node.ts';
import type { ModelChain, ModelNode } from './model-node.ts';

/** Follows models as the indexer does: what is taken in is stored with the position to resume from. */
export class Follower {
  /** Returns the provider that is followed next. */
  readonly choose: () => ModelNode;
  readonly idleMs: number;
  readonly digests: string[] = [];
  readonly stretchLength: number | undefined;
  resume: FollowOptions['resume'] = { checkpoint: -1, cursor: null, cursorProvider: null };
  isCaughtUp = false;
  #last: [checkpoint: number, index: number] = [-1, -1];

  constructor(
    provider: ModelNode | (() => ModelNode),
    { stretchLength, idleMs = 60_000 }: { stretchLength?: number; idleMs?: number } = {},
  ) {
    this.choose = typeof provider === 'function' ? provider : () => provider;
    this.stretchLength = stretchLength;
    this.idleMs = idleMs;
  }

  start(signal: AbortSignal): AsyncGenerator<Chunk> {
    const { node } = this.choose();
    const reader = openFilteredReader(node, ['0x1::registry'], { idleMs: this.idleMs, pauseMs: 1 });
    return follow({
      network: 'testnet',
      main: { node, reader },
      openArchive: undefined,
      resume: this.resume,
      requireCovers: async () => undefined,
      settleMs: 5,
      stretchLength: this.stretchLength,
      signal,
    });
  }

  take({ frames, live, provider }: Chunk): void {
    if (live) this.isCaughtUp = true;
    for (const { transaction, cursor, covered } of frames) {
      const position: [number, number] = [
        Number(transaction?.checkpoint ?? -1),
        Number(transaction?.transactionIndex ?? -1),
      ];
      if (transaction && isAfter(position, this.#last)) {
        this.digests.push(transaction.digest!);
        this.#last = position;
      }
      const { resume } = this;
      this.resume = {
        checkpoint: Math.max(resume.checkpoint, covered ?? -1),
        cursor: moveCursor(resume.cursorProvider === provider ? resume.cursor : null, { cursor, covered }),
        cursorProvider: provider,
      };
    }
  }

  /** Runs until `isDone`, and once more from what is stored whenever the stream ends. */
  async run(isDone: () => boolean, onTurn: () => void = () => undefined): Promise<void> {
    while (!isDone()) {
      const stop = new AbortController();
      const chunks = this.start(stop.signal);
      try {
        for await (const chunk of chunks) {
          this.take(chunk);
          onTurn();
          if (isDone()) break;
        }
      } catch (error) {
        const { code = '' } = error as { code?: string };
        const mayPass = code === 'UNAVAILABLE' || code === 'RESOURCE_EXHAUSTED';
        if (!mayPass && !(error instanceof StreamSilentError)) throw error;
      } finally {
        stop.abort();
      }
      onTurn();
      await turn();
    }
  }
}

const isAfter = (left: [number, number], right: [number, number]) =>
  left[0] === right[0] ? left[1] > right[1] : left[0] > right[0];

/** Lists the digests of the matches of a chain in order, up to before checkpoint `below`. */
export function listDigests(chain: ModelChain, below = chain.length): string[] {
  const digests: string[] = [];
  let sequence = 0;
  for (const [checkpoint, transactions] of chain.entries()) {
    for (const matches of transactions) {
      if (matches && checkpoint < below) digests.push(String(sequence));
      sequence += 1;
    }
  }
  return digests;
}
