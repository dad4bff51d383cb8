import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../internal/errors.ts';
import { type FolderPublisher, foldersOf, type UpgradeOutcome } from '../publish-folder.ts';

/** How often files are looked at. Events of a file system stop when a folder is replaced, and not all send them. */
const intervalMs = 300;

/** The work on the folders that `--watch` follows. */
interface Watch {
  /** Publishes again what could not be upgraded. */
  publishAgain(): Promise<void>;
  /** Brings all to their sources, as after a change. */
  catchUp(): Promise<void>;
  stop(): void;
}

/** Upgrades published packages as their sources, or those of local packages that they use, change. */
export function watchFolders(
  publisher: FolderPublisher,
  folders: readonly string[],
  say: (line: string) => void,
): Watch {
  // Empty: the first look finds what changed while the network started.
  const seen = new Map<string, string>();
  const refused = new Map<string, string>();

  const report = (folder: string, outcomes: UpgradeOutcome[]) => {
    for (const outcome of outcomes) {
      if (outcome.kind !== 'refused') {
        say(`${outcome.kind.padEnd(10)} ${outcome.folder} as ${outcome.packageId}`);
        continue;
      }
      refused.set(folder, outcome.folder);
      say(`${outcome.folder} was not upgraded: ${outcome.reason}`);
      say('Type p and Enter to publish it as a new package, or change it again.');
    }
  };
  const attempt = async (folder: string, work: () => Promise<UpgradeOutcome[]>) => {
    refused.delete(folder);
    try {
      report(folder, await work());
    } catch (error) {
      say(messageOf(error));
    }
  };
  // One change after the other: an upgrade needs the version before it.
  let last = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(work);
    return last;
  };
  const lookAt = async (folder: string) => {
    const state = await stateOf(folder);
    if (state === seen.get(folder)) return;
    seen.set(folder, state);
    await attempt(folder, () => publisher.upgrade(folder));
  };

  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async () => {
    await inTurn(async () => {
      for (const folder of folders) if (!stopped) await lookAt(folder);
    });
    if (!stopped) timer = setTimeout(look, intervalMs);
  };
  timer = setTimeout(look, intervalMs);
  return {
    publishAgain: () =>
      inTurn(async () => {
        if (refused.size === 0) say('Every package stands as its sources are.');
        for (const [folder, dir] of [...refused]) {
          await attempt(folder, () => publisher.publishAgain(folder, dir));
        }
      }),
    catchUp: () =>
      inTurn(async () => {
        for (const folder of folders) await attempt(folder, () => publisher.upgrade(folder));
      }),
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** What changes when a source, or the list of them, does; also when a folder that was there is not. */
async function stateOf(folder: string): Promise<string> {
  const folders = await foldersOf(folder).catch(() => [folder]);
  const files = await Promise.all(folders.map(listFiles));
  const states = await Promise.all(
    files.flat().map(async (path) => {
      const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: -1 }));
      return `${path} ${mtimeMs} ${size}`;
    }),
  );
  return states.sort().join('\n');
}

async function listFiles(folder: string): Promise<string[]> {
  const files = [join(folder, 'Move.toml')];
  try {
    for await (const path of glob('sources/**/*.move', { cwd: folder })) files.push(join(folder, path));
  } catch {
    // It went away while it was read: the next look sees what is there then.
  }
  return files;
}
