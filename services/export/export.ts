import { writeFile } from 'node:fs/promises';
import type { ClientBase, Pool } from 'pg';
import {
  type AppendDataset,
  appendDatasets,
  type DayDataset,
  dayDatasets,
  readExportedChains,
  type StateDataset,
  stateDatasets,
} from '../../db/queries/exports.ts';
import { inSnapshot } from '../../db/transaction.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { Column } from './columns.ts';
import { buildViews } from './duckdb.ts';
import { ParquetFile } from './parquet-file.ts';
import { readRows } from './rows.ts';
import { type ExportState, readState, writeState } from './state.ts';
import type { ExportStorage } from './storage/storage.ts';

interface ExportOptions {
  pool: Pool;
  storage: ExportStorage;
  /** Called for each dataset that is complete, with the number of rows that were written. */
  onDataset?: (name: string, rows: number) => void;
  signal?: AbortSignal;
}

/** Maximum number of rows in a file. A day with more rows has several files. */
const fileRowsMax = 1_000_000;

/**
 * Writes the read model to a storage as Parquet, in one snapshot. Files of tables that only grow stay as they are, and the
 * rows since the last export are added. The export can be killed at any time and run again.
 * @throws FatalError `other_chain` if the storage has rows of another chain; `export_running`; `bad_export`; `bad_bucket`
 */
export async function exportReadModel(options: ExportOptions): Promise<void> {
  const { pool, storage, onDataset = () => undefined, signal } = options;
  const state = await readState(storage);
  await inSnapshot(
    pool,
    async (client) => {
      // Times are read as text, whose form and days follow these settings of the server.
      await client.query("set local timezone = 'UTC'");
      await client.query("set local datestyle = 'ISO'");
      const chains = await readExportedChains(client);
      for (const [network, chain] of chains) bindChain(state, network, chain);
      await writeState(storage, state);
      const run: Run = { client, storage, state, networks: [...chains.keys()], columns: new Map() };
      for (const dataset of appendDatasets) onDataset(dataset.name, await appendRows(run, dataset));
      for (const dataset of dayDatasets) onDataset(dataset.name, await replaceDays(run, dataset));
      for (const dataset of stateDatasets) onDataset(dataset.name, await replaceAll(run, dataset));
      await writeFile(storage.stage('duckdb.sql'), buildViews(state, run.columns));
      await storage.store('duckdb.sql');
    },
    signal,
  );
}

interface Run {
  client: Pick<ClientBase, 'query'>;
  storage: ExportStorage;
  state: ExportState;
  networks: readonly string[];
  /** Columns of each dataset. */
  columns: Map<string, readonly Column[]>;
}

function bindChain(state: ExportState, network: string, chain: string): void {
  state.chains[network] ??= chain;
  const exported = state.chains[network];
  if (exported === chain) return;
  throw new FatalError(
    'other_chain',
    `The export has rows of ${network} from the chain ${exported}, and the database is filled from the chain ${chain}. ` +
      'Choose another folder or prefix.',
  );
}

/** Adds the rows since the cursor of each source. A file begins with the row after a cursor, and is named by it. */
async function appendRows(
  { client, storage, state, networks, columns }: Run,
  dataset: AppendDataset,
): Promise<number> {
  let count = 0;
  for (const network of networks) {
    for (const source of dataset.sources) {
      const files = new DayFiles(storage, `${dataset.name}/network=${network}`);
      const key = `${dataset.name}/${network}/${source}`;
      let [last, day] = [state.cursors[key], ''];
      const store = async () => {
        await files.close();
        if (last) state.cursors[key] = last;
        await writeState(storage, state);
      };
      for await (const batch of readRows(client, dataset.sql, [network, source, ...(last ?? [-1, 0, 0])])) {
        columns.set(dataset.name, batch.columns);
        const timeIndex = batch.columns.findIndex(({ name }) => name === 'occurred_at');
        for (const row of batch.rows) {
          const [checkpoint, txIndex, eventIndex] = row.slice(0, 3).map(Number) as [number, number, number];
          const rowDay = row[timeIndex]!.slice(0, 10);
          if (rowDay !== day || files.rowCount >= fileRowsMax) await store();
          day = rowDay;
          files.add(day, `${source}-${checkpoint}-${txIndex}-${eventIndex}`, batch.columns, row);
          last = [checkpoint, txIndex, eventIndex];
          count += 1;
        }
      }
      await store();
    }
  }
  return count;
}

/** Replaces the days that may have changed since the last export: its last day, and those after it. */
async function replaceDays(
  { client, storage, state, networks, columns }: Run,
  dataset: DayDataset,
): Promise<number> {
  let count = 0;
  for (const network of networks) {
    const key = `${dataset.name}/${network}`;
    const files = new DayFiles(storage, `${dataset.name}/network=${network}`);
    let last = state.days[key];
    for await (const batch of readRows(client, dataset.sql, [network, last ?? '-infinity'])) {
      const [, ...rowColumns] = batch.columns;
      columns.set(dataset.name, rowColumns);
      for (const [day, ...row] of batch.rows) {
        if (day !== last) await files.close();
        last = day!;
        files.add(last, dataset.name, rowColumns, row);
        count += 1;
      }
    }
    await files.close();
    if (last !== undefined) state.days[key] = last;
    await writeState(storage, state);
  }
  return count;
}

async function replaceAll({ client, storage, columns }: Run, dataset: StateDataset): Promise<number> {
  const name = `${dataset.name}/${dataset.name}.parquet`;
  let file: ParquetFile | undefined;
  for await (const batch of readRows(client, dataset.sql, [])) {
    if (!file) {
      file = new ParquetFile(storage.stage(name), batch.columns);
      columns.set(dataset.name, batch.columns);
    }
    for (const row of batch.rows) file.add(row);
  }
  file!.finish();
  await storage.store(name);
  return file!.rowCount;
}

/** Files of one network, each in the folder of its day. One of them is open at a time. */
class DayFiles {
  readonly #storage: ExportStorage;
  readonly #folder: string;
  #open: { name: string; file: ParquetFile } | undefined;

  constructor(storage: ExportStorage, folder: string) {
    this.#storage = storage;
    this.#folder = folder;
  }

  get rowCount(): number {
    return this.#open?.file.rowCount ?? 0;
  }

  /** @param fileName used if no file is open: the row begins one */
  add(day: string, fileName: string, columns: readonly Column[], row: readonly (string | null)[]): void {
    if (!this.#open) {
      const name = `${this.#folder}/day=${day}/${fileName}.parquet`;
      this.#open = { name, file: new ParquetFile(this.#storage.stage(name), columns) };
    }
    this.#open.file.add(row);
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    const { name, file } = this.#open;
    file.finish();
    await this.#storage.store(name);
    this.#open = undefined;
  }
}
