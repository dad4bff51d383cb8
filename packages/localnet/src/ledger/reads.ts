import { normalizeSuiAddress } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { OwnedPosition } from '../state/object-store.ts';
import type { Store } from '../state/store.ts';
import type { TransactionRow } from '../state/transaction-store.ts';
import { SUI } from '../vm/framework.ts';
import { CheckpointHistory } from './checkpoint-history.ts';
import { indexKey } from './index-keys.ts';
import type { MoveRecord } from './input-objects.ts';
import { canonicalType } from './move-types.ts';
import { decodePosition, encodePosition, pageOf } from './pages.ts';
import { onlyEpoch, protocolVersion, referenceGasPrice } from './protocol.ts';
import { checkpointRecord, executedTransaction, transactionRecord } from './records.ts';
import type {
  Balance,
  CheckpointRecord,
  EpochRecord,
  ExecutedTransaction,
  LedgerPosition,
  LedgerScan,
  ObjectRecord,
  PackageVersion,
  Page,
  PageRequest,
  TransactionRecord,
} from './types.ts';

const OwnedPositionSchema = z.object({ typeId: z.number(), invertedBalance: z.base64(), id: z.string() });

/** The ledger as its readers see it: up to the newest checkpoint, except where a method says otherwise. */
export class LedgerReads {
  protected readonly store: Store;
  protected readonly history: CheckpointHistory;
  /** The genesis checkpoint's timestamp, at which the only epoch began. */
  protected startedMs: number;
  /** The newest, made in this process: every answer's headers name it. */
  protected newest: CheckpointRecord | undefined;
  readonly #timestamps = new LRUCache<number, number>({ max: 1_000 });

  protected constructor(store: Store, startedMs: number) {
    this.store = store;
    this.history = new CheckpointHistory(store.checkpoints);
    this.startedMs = startedMs;
  }

  /** Another chain began in the same store. */
  protected restart(startedMs: number): void {
    this.startedMs = startedMs;
    this.newest = undefined;
    this.#timestamps.clear();
  }

  get highestCheckpoint(): bigint {
    return BigInt(this.#bounds().highest);
  }

  /**
   * Older checkpoints and their transactions are pruned, and the object versions that those replaced: what was
   * live at this checkpoint, or later, is there.
   */
  get lowestAvailableCheckpoint(): bigint {
    return BigInt(this.#bounds().lowest);
  }

  /** One that a quiet network made is found by its digest only until a later one is stored. */
  getCheckpoint(by: { sequence: bigint } | { digest: string }): CheckpointRecord | undefined {
    if ('sequence' in by && by.sequence === this.newest?.sequence) return this.newest;
    const row = 'digest' in by ? this.history.withDigest(by.digest) : this.history.at(Number(by.sequence));
    return row && checkpointRecord(row);
  }

  /** Executed transactions are found at once; `checkpoint` is absent until one includes them. */
  getTransaction(digest: string): ExecutedTransaction | undefined {
    const row = this.store.transactions.byDigest(digest);
    if (row === undefined) return undefined;
    return row.checkpoint > this.#bounds().highest ? executedTransaction(row) : this.#record(row);
  }

  /** Transactions of a range in ledger order, at most `limit`. */
  listTransactions(scan: LedgerScan): TransactionRecord[] {
    const range = {
      from: this.#sequenceAt(scan.from),
      to: this.#sequenceAt(scan.to),
      descending: scan.ordering === 'descending',
      limit: scan.limit,
    };
    const { transactions } = this.store;
    const rows = scan.anyOf
      ? transactions.scanKeys(range, scan.anyOf.map(indexKey))
      : transactions.scan(range);
    return rows.map((row) => this.#record(row));
  }

  /** The live version, checkpointed or not, or an exact one; older ones until they are pruned. */
  getObject(id: string, version?: bigint): ObjectRecord | undefined {
    const objectId = normalizeSuiAddress(id);
    return version === undefined
      ? this.store.objects.live(objectId)
      : this.store.objects.at(objectId, version);
  }

  /**
   * Live objects that an address owns. `type` may leave out its type arguments, and then stands for all of
   * them. Coins of one type come richest first.
   */
  listOwnedObjects(owner: string, request: PageRequest & { type?: string }): Page<MoveRecord> {
    const listing = `owned:${owner}:${request.type ?? ''}`;
    const rows = this.#owned('address', owner, listing, request, this.#typeIds(request.type));
    return { items: rows.items.map(({ object }) => object), next: rows.next };
  }

  /** Live objects that an object owns: its dynamic fields, and as wrappers' children its dynamic objects. */
  protected listChildren(parent: string, request: PageRequest): Page<MoveRecord> {
    const rows = this.#owned('object', parent, `children:${parent}`, request, [undefined]);
    return { items: rows.items.map(({ object }) => object), next: rows.next };
  }

  /**
   * The live `0x2::coin::CoinMetadata<T>` or `TreasuryCap<T>` of a coin type (canonical), whatever its owner; absent
   * when there is none or it is wrapped in another object.
   */
  getCurrencyObject(kind: 'CoinMetadata' | 'TreasuryCap', coinType: string): ObjectRecord | undefined {
    return this.store.objects.currency(`${SUI}::coin::${kind}<${coinType}>`);
  }

  getBalance(owner: string, coinType: string): Balance {
    const canonical = canonicalType(coinType);
    return { coinType: canonical, ...this.store.balances.get(normalizeSuiAddress(owner), canonical) };
  }

  listBalances(owner: string, request: PageRequest): Page<Balance> {
    const listing = `balances:${owner}`;
    const after = decodePosition(listing, z.string(), request.after) ?? '';
    const rows = this.store.balances.list(normalizeSuiAddress(owner), after, request.limit + 1);
    return pageOf(rows, request.limit, (last) => encodePosition(listing, last.coinType));
  }

  /** Versions of a package, oldest first, by the id of any of them. */
  listPackageVersions(packageId: string, request: PageRequest): Page<PackageVersion> {
    const listing = `versions:${packageId}`;
    const after = decodePosition(listing, z.string().regex(/^\d+$/), request.after) ?? '0';
    const id = normalizeSuiAddress(packageId);
    const rows = this.store.objects.packageVersions(id, BigInt(after), request.limit + 1);
    return pageOf(rows, request.limit, (last) => encodePosition(listing, String(last.version)));
  }

  /** The epoch, by default the current one; absent when it never began. */
  getEpoch(epoch = onlyEpoch): EpochRecord | undefined {
    if (epoch !== onlyEpoch) return undefined;
    return { epoch, protocolVersion, referenceGasPrice, startMs: this.startedMs, firstCheckpoint: 0n };
  }

  #bounds(): { lowest: number; highest: number } {
    const bounds = this.store.checkpoints.bounds();
    if (bounds === undefined) throw new Error('the state file has no checkpoint');
    return bounds;
  }

  #owned(
    kind: 'address' | 'object',
    owner: string,
    listing: string,
    request: PageRequest,
    typeIds: (number | undefined)[],
  ) {
    const given = decodePosition(listing, OwnedPositionSchema, request.after);
    let after: OwnedPosition | undefined = given && {
      ...given,
      invertedBalance: Buffer.from(given.invertedBalance, 'base64'),
    };
    const scope = { kind, address: normalizeSuiAddress(owner) };
    const rows = [];
    for (const typeId of typeIds) {
      // Type ids ascend, as the listing does: those before the position are done.
      if (typeId !== undefined && after !== undefined && typeId < after.typeId) continue;
      rows.push(...this.store.objects.owned(scope, typeId, after, request.limit + 1 - rows.length));
      if (rows.length > request.limit) break;
      after = rows.at(-1)?.position ?? after;
    }
    return pageOf(rows, request.limit, ({ position }) =>
      encodePosition(listing, {
        ...position,
        invertedBalance: Buffer.from(position.invertedBalance).toString('base64'),
      }),
    );
  }

  /** Ids of the stored types that a filter stands for; one `undefined` for no filter. */
  #typeIds(type: string | undefined): (number | undefined)[] {
    if (type === undefined) return [undefined];
    const { types } = this.store.objects;
    const canonical = canonicalType(type);
    const exact = types.find(canonical);
    const generic = canonical.endsWith('>') ? [] : types.withPrefix(`${canonical}<`);
    return [...(exact === undefined ? [] : [exact]), ...generic].sort((a, b) => a - b);
  }

  /** The number of the first transaction at or after a place, within what checkpoints include. */
  #sequenceAt(place: LedgerPosition): number {
    const { lowest, highest } = this.#bounds();
    const beyond = place.checkpoint > BigInt(highest);
    const sequence = beyond ? highest : Math.max(Number(place.checkpoint), lowest);
    const row = this.history.at(sequence);
    if (row === undefined) throw new Error(`the state file lacks checkpoint ${sequence}`);
    if (beyond) return row.firstTransaction + row.transactionCount;
    if (place.checkpoint < BigInt(lowest)) return row.firstTransaction;
    return row.firstTransaction + Math.min(place.transactionIndex, row.transactionCount);
  }

  #record(row: TransactionRow): TransactionRecord {
    let timestampMs = this.#timestamps.get(row.checkpoint);
    if (timestampMs === undefined) {
      timestampMs = this.history.at(row.checkpoint)?.timestampMs;
      if (timestampMs === undefined) throw new Error(`the state file lacks checkpoint ${row.checkpoint}`);
      this.#timestamps.set(row.checkpoint, timestampMs);
    }
    return transactionRecord(row, timestampMs);
  }
}
