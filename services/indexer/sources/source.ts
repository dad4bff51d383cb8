import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { SourceName } from '../../../lib/config/sources.ts';

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

/** A transaction's place on the chain. */
export interface TransactionPlace {
  checkpoint: number;
  txIndex: number;
}

/** A package whose events are followed. */
export interface FollowedPackage {
  /** As first published. */
  packageId: string;
  /** The setting that names it, without the network. */
  setting: string;
  /** The modules that emit what is known here; any of them may be missing, not all. */
  modules: readonly string[];
}

/**
 * One thing that is followed on each chain: a filter, what its events mean, and what follows from them. A
 * source has a cursor of its own, so adding one leaves the others where they are.
 */
export interface Source<Data extends EventData> {
  name: SourceName;
  packages(settings: NetworkSettings): FollowedPackage[];
  /**
   * @param path `module::Name`
   * @throws when the bytes do not decode, or cannot be stored; the event is then kept raw
   */
  decode(path: string, contents: Uint8Array): Data;
  /**
   * Adds what events in chain order say to the source's own tables, in the transaction that stores the events.
   * Each event comes once, and all events of a transaction together.
   */
  append(client: ClientBase, network: Network, events: ChainEvent<Data>[]): Promise<void>;
  /**
   * Brings up to date what follows from all that was appended at or after `from`, once for each transaction.
   * While history is read this waits, since most of it would be superseded many times.
   * @returns whether the catalog may show something else now
   */
  settle(client: ClientBase, network: Network, from: TransactionPlace): Promise<boolean>;
}
