import type { ClientBase } from 'pg';
import type { ChainClient } from '../../lib/chain/client.ts';
import type { Network, NetworkSettings } from '../../lib/config/index.ts';

/** What a source makes of an event's bytes; `fields` are stored as they are, in the event's row. */
export interface EventData {
  fields: object;
}

/** An event as the chain has it, with what its bytes say where they decode. */
export interface ChainEvent<Data extends EventData> {
  checkpoint: number;
  txIndex: number;
  /** Position among the events of its transaction. */
  eventIndex: number;
  txDigest: string;
  sender: string;
  /** Of the checkpoint. */
  timestampMs: number;
  /** Full type with its defining id. */
  type: string;
  /** Last part of the type. */
  name: string;
  contents: Uint8Array;
  /** Null exactly where `decodeError` is not. */
  data: Data | null;
  decodeError: string | null;
}

/**
 * One thing that is followed on each chain: a filter, what its events mean, and what follows from them. A
 * source has a cursor of its own, so adding one leaves the others where they are.
 */
export interface Source<Data extends EventData> {
  name: string;
  /**
   * Prefixes `0x<defining id>::<module>` of the event types it is about. Events are believed by their type
   * alone: the package that was called may be anyone's.
   */
  eventTypes(client: ChainClient, settings: NetworkSettings): Promise<string[]>;
  /** First checkpoint that can hold an event of the source; 0 where the node cannot tell. */
  firstCheckpoint(client: ChainClient, settings: NetworkSettings): Promise<number>;
  /** @throws when the bytes do not decode, or cannot be stored; the event is then kept raw */
  decode(name: string, contents: Uint8Array): Data;
  /**
   * Adds what events in chain order say to the source's own tables, in the transaction that stores the events.
   * @returns whether there was anything to add
   */
  append(client: ClientBase, network: Network, events: ChainEvent<Data>[]): Promise<boolean>;
  /**
   * Brings up to date what follows from all that was appended at or after checkpoint `from`. While history is
   * read this waits, since most of it would be superseded many times.
   */
  settle(client: ClientBase, network: Network, from: number): Promise<void>;
}
