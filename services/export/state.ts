import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FatalError } from '../../lib/errors/index.ts';
import { type ExportStorage, recordName } from './storage/storage.ts';

const position = z.tuple([z.number().int(), z.number().int(), z.number().int()]);

/** Record of what a storage has. It is written after the files that it names. */
const exportState = z.object({
  format: z.literal(1),
  /** Ids of the chains, by network. */
  chains: z.record(z.string(), z.string()),
  /** Positions of the last rows of the datasets that grow, by `<dataset>/<network>/<source>`. */
  cursors: z.record(z.string(), position),
  /** The last days of the datasets that have days, by `<dataset>/<network>`. */
  days: z.record(z.string(), z.string()),
});

export type ExportState = z.infer<typeof exportState>;

/** @throws FatalError `bad_export` if the storage has a file of that name that no export wrote */
export async function readState(storage: ExportStorage): Promise<ExportState> {
  const text = await storage.readRecord();
  if (text === undefined) return { format: 1, chains: {}, cursors: {}, days: {} };
  try {
    return exportState.parse(JSON.parse(text));
  } catch (error) {
    const reason = `${storage.address} has a file ${recordName} that is not the record of an export of this version. Choose another folder or prefix.`;
    throw new FatalError('bad_export', reason, { cause: error });
  }
}

/** Writes the record. Its `id` makes each one different. */
export const writeState = (storage: ExportStorage, state: ExportState): Promise<void> =>
  storage.writeRecord(`${JSON.stringify({ ...state, id: randomUUID() }, undefined, 2)}\n`);
