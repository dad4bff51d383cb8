import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileLockedError, lockFile, makeFolder, replaceFile } from '@adaptor-marketplace/process';
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
import { describeViews } from './duckdb.ts';
import { ParquetFile } from './parquet-file.ts';
import { readRows } from './rows.ts';
import { type ExportState, readState, writeState } from './state.ts';

interface ExportOptions {
  pool: Pool;
  /** Made if it is missing. */
  folder: string;
  /** Called for each dataset that is complete, with the number of rows that were written. */
  onDataset?: (name: string, rows: number) => void;
  signal?: AbortSignal;
}

/** Rows of a file at most: a day with more has several files. */
const fileRows = 1_000_000;

/**
 * Writes the read model to a folder as Parquet, all of it as of one moment. What the folder has of the tables that grow
 * stays as it is, and the rows since then are added. It can be killed at any time and run again.
 * @throws FatalError `other_chain` if the folder has rows of another chain; `export_running`; `bad_export`
 */
export async function exportReadModel(options: ExportOptions): Promise<void> {
  const { pool, folder, onDataset = () => undefined, signal } = options;
  makeFolder(folder);
  using _ = lock(folder);
  const state = await readState(folder);
  await inSnapshot(
    pool,
    async (client) => {
      // Times are read as text, whose form and days follow these settings of the server.
      await client.query("set local timezone = 'UTC'");
      await client.query("set local datestyle = 'ISO'");
      const chains = await readExportedChains(client);
      for (const [network, chain] of chains) bindChain(state, network, chain);
      await writeState(folder, state);
      const run: Run = { client, folder, state, networks: [...chains.keys()], columns: new Map() };
      for (const dataset of appendDatasets) onDataset(dataset.name, await appendRows(run, dataset));
      for (const dataset of dayDatasets) onDataset(dataset.name, await replaceDays(run, dataset));
      for (const dataset of stateDatasets) onDataset(dataset.name, await replaceAll(run, dataset));
      await replaceFile(join(folder, 'duckdb.sql'), describeViews(state, run.columns));
    },
    signal,
  );
}

function lock(folder: string): Disposable {
  try {
    const { release } = lockFile(join(folder, 'export.lock'));
    return { [Symbol.dispose]: release };
  } catch (error) {
    if (!(error instanceof FileLockedError)) throw error;
    throw new FatalError('export_running', `Another process exports to ${folder}.`, { cause: error });
  }
}

interface Run {
  client: Pick<ClientBase, 'query'>;
  folder: string;
  state: ExportState;
  networks: readonly string[];
  /** Columns of each dataset. */
  columns: Map<string, readonly Column[]>;
}

function bindChain(state: ExportState, network: string, chain: string): void {
  const before = state.chains[network] ?? chain;
  state.chains[network] = before;
  if (before === chain) return;
  throw new FatalError(
    'other_chain',
    `The folder has rows of ${network} from the chain ${before}, and the database is filled from the chain ${chain}. ` +
      'Choose another folder.',
  );
}

/** Adds the rows since the cursor of each source. A file begins with the row after a cursor, and is named by it. */
async function appendRows(
  { client, folder, state, networks, columns }: Run,
  dataset: AppendDataset,
): Promise<number> {
  let count = 0;
  for (const network of networks) {
    for (const source of dataset.sources) {
      const write = new DayFiles(join(folder, dataset.name, `network=${network}`));
      const key = `${dataset.name}/${network}/${source}`;
      let [last, day] = [state.cursors[key], ''];
      const store = async () => {
        await write.close();
        if (last) state.cursors[key] = last;
        await writeState(folder, state);
      };
      for await (const batch of readRows(client, dataset.sql, [network, source, ...(last ?? [-1, 0, 0])])) {
        columns.set(dataset.name, batch.columns);
        const time = batch.columns.findIndex(({ name }) => name === 'occurred_at');
        for (const row of batch.rows) {
          const [checkpoint, txIndex, eventIndex] = row.slice(0, 3).map(Number) as [number, number, number];
          const rowDay = row[time]!.slice(0, 10);
          if (rowDay !== day || write.rowCount >= fileRows) await store();
          day = rowDay;
          write.add(day, `${source}-${checkpoint}-${txIndex}-${eventIndex}`, batch.columns, row);
          last = [checkpoint, txIndex, eventIndex];
          count += 1;
        }
      }
      await store();
    }
  }
  return count;
}

/** Writes the days again that may have changed since the last export: its last day, and those after it. */
async function replaceDays(
  { client, folder, state, networks, columns }: Run,
  dataset: DayDataset,
): Promise<number> {
  let count = 0;
  for (const network of networks) {
    const key = `${dataset.name}/${network}`;
    const write = new DayFiles(join(folder, dataset.name, `network=${network}`));
    let last = state.days[key];
    for await (const batch of readRows(client, dataset.sql, [network, last ?? '-infinity'])) {
      const [, ...own] = batch.columns;
      columns.set(dataset.name, own);
      for (const [day, ...row] of batch.rows) {
        if (day !== last) await write.close();
        last = day!;
        write.add(last, dataset.name, own, row);
        count += 1;
      }
    }
    await write.close();
    if (last !== undefined) state.days[key] = last;
    await writeState(folder, state);
  }
  return count;
}

async function replaceAll({ client, folder, columns }: Run, dataset: StateDataset): Promise<number> {
  let file: ParquetFile | undefined;
  const own = join(folder, dataset.name);
  for await (const batch of readRows(client, dataset.sql, [])) {
    if (!file) {
      mkdirSync(own, { recursive: true });
      file = new ParquetFile(join(own, `${dataset.name}.parquet`), batch.columns);
      columns.set(dataset.name, batch.columns);
    }
    for (const row of batch.rows) file.add(row);
  }
  await file!.close();
  return file!.rowCount;
}

/** Files of one network, each in the folder of its day. One of them is open at a time. */
class DayFiles {
  readonly #folder: string;
  #file: ParquetFile | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get rowCount(): number {
    return this.#file?.rowCount ?? 0;
  }

  /** @param name of the file, if the row begins one */
  add(day: string, name: string, columns: readonly Column[], row: readonly (string | null)[]): void {
    if (!this.#file) {
      const folder = join(this.#folder, `day=${day}`);
      mkdirSync(folder, { recursive: true });
      this.#file = new ParquetFile(join(folder, `${name}.parquet`), columns);
    }
    this.#file.add(row);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
