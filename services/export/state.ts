import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@adaptor-marketplace/process';
import { z } from 'zod';
import { FatalError } from '../../lib/errors/index.ts';

const position = z.tuple([z.number().int(), z.number().int(), z.number().int()]);

/** Record of what a folder has. It is written after the files that it names. */
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

const fileName = 'export.json';

/** @throws FatalError `bad_export` if the folder has a file of that name that no export wrote */
export async function readState(folder: string): Promise<ExportState> {
  const path = join(folder, fileName);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { format: 1, chains: {}, cursors: {}, days: {} };
  }
  try {
    return exportState.parse(JSON.parse(text));
  } catch (error) {
    const reason = `${path} is not the record of an export of this version. Choose another folder.`;
    throw new FatalError('bad_export', reason, { cause: error });
  }
}

export const writeState = (folder: string, state: ExportState): Promise<void> =>
  replaceFile(join(folder, fileName), `${JSON.stringify(state, undefined, 2)}\n`);
