import type { SourceState } from '../../../db/queries/sources.ts';
import type { ChainEvent, EventData } from '../sources/source.ts';

/**
 * The place of the last event taken. Events come in chain order, so whatever is not after it has been stored:
 * a node that begins a checkpoint anew brings its first events again.
 */
export class Place {
  #checkpoint: number;
  #txIndex: number;
  #eventIndex: number;

  constructor(stored: Pick<SourceState, 'lastCheckpoint' | 'lastTxIndex' | 'lastEventIndex'>) {
    this.#checkpoint = stored.lastCheckpoint ?? -1;
    this.#txIndex = stored.lastTxIndex ?? -1;
    this.#eventIndex = stored.lastEventIndex ?? -1;
  }

  /** The events that come after the place, which moves to the last of them. */
  advance<Data extends EventData>(events: ChainEvent<Data>[]): ChainEvent<Data>[] {
    const fresh = events.filter((event) => this.#isBefore(event));
    const last = fresh.at(-1);
    if (last) {
      this.#checkpoint = last.checkpoint;
      this.#txIndex = last.txIndex;
      this.#eventIndex = last.eventIndex;
    }
    return fresh;
  }

  #isBefore({ checkpoint, txIndex, eventIndex }: ChainEvent<EventData>): boolean {
    if (checkpoint !== this.#checkpoint) return checkpoint > this.#checkpoint;
    if (txIndex !== this.#txIndex) return txIndex > this.#txIndex;
    return eventIndex > this.#eventIndex;
  }
}
