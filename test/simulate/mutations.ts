import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A protection that is switched off by changes of the source. The comparison must notice it. */
interface Mutation {
  name: string;
  /** Faults that the protection is for. */
  faults: readonly string[];
  edits: readonly { file: string; from: string; to: string }[];
}

export const mutations: readonly Mutation[] = [
  {
    name: 'history is not read before the stream',
    faults: ['cut node', 'kill indexer', 'pause localnet'],
    edits: [
      {
        file: 'services/indexer/stream/follow.ts',
        from: '    yield* history.readTo(tip, lowestAvailable);\n',
        to: '',
      },
      { file: 'services/indexer/stream/follow.ts', from: '    yield* history.readTo(begin);\n', to: '' },
    ],
  },
  {
    name: 'pruned history is not read from the archive',
    faults: ['node prunes', 'kill indexer', 'pause indexer', 'cut node'],
    edits: [
      {
        file: 'services/indexer/ingest/run-source.ts',
        from: 'const archive = archiveUrl ? ',
        to: 'const archive = archiveUrl === "" ? ',
      },
    ],
  },
  {
    name: 'the archive is not asked who published a package',
    faults: ['node prunes'],
    edits: [
      {
        file: 'services/indexer/checks/listings.ts',
        from: 'if (!archive || verdict',
        to: 'if (archive || verdict',
      },
    ],
  },
  {
    name: 'a source moves before its events are stored',
    faults: ['kill indexer', 'kill a process of database', 'cut database'],
    edits: [
      {
        file: 'services/indexer/ingest/pipeline.ts',
        from: '    if (events.length > 0) {\n      await appendEvents',
        to: "    if (events.length > 0) {\n      await client.query('commit; begin; select pg_sleep(1)');\n      await appendEvents",
      },
    ],
  },
  {
    name: 'a manifest is fetched once',
    faults: ['cut blobs', 'stall blobs'],
    edits: [
      {
        file: 'services/indexer/manifests/fetches.ts',
        from: "=== 'unreachable') return outcome.retryable;",
        to: "=== 'unreachable') return false;",
      },
    ],
  },
  {
    name: 'wrong bytes of a blob are final',
    faults: ['blob store answers other bytes'],
    edits: [
      {
        file: 'services/indexer/manifests/fetches.ts',
        from: ' || attempts + 1 < blobAttemptsMax',
        to: '',
      },
    ],
  },
  {
    name: 'a pause is not recorded',
    faults: ['pause dispatcher', 'kill dispatcher'],
    edits: [
      {
        file: 'services/gateway/webhooks/changes.ts',
        from: '    if (pausing) await follow();\n',
        to: '',
      },
    ],
  },
  {
    name: 'an attempt that failed counts as delivered',
    faults: ['receiver fails', 'receiver hangs'],
    edits: [
      {
        file: 'services/dispatcher/send.ts',
        from: '    if (!isSuccess(response.status)) Object.assign(ended, judge(response.status));\n',
        to: '',
      },
      {
        file: 'services/dispatcher/send.ts',
        from: "    ended.outcome = error instanceof OutboundError ? error.kind : 'network';\n",
        to: '',
      },
    ],
  },
  {
    name: 'a subscription moves before its events are sent',
    faults: ['kill dispatcher', 'cut store'],
    edits: [
      {
        file: 'services/dispatcher/worker.ts',
        from: '    for (const event of concerning) {\n',
        to: '    await unstored.add(passedUpTo(upTo));\n    await unstored.storeAll();\n    await new Promise((done) => setTimeout(done, 1_000));\n    for (const event of concerning) {\n',
      },
      {
        file: 'services/dispatcher/worker.ts',
        from: 'unstored.add(passedUpTo(event.position), sent.ended)',
        to: 'unstored.add(undefined, sent.ended)',
      },
    ],
  },
  {
    name: 'subscriptions that an empty store lacks are forgotten',
    faults: ['store is empty'],
    edits: [{ file: 'services/dispatcher/roster.ts', from: 'if (mayLoseSubscriptions) {', to: 'if (ids) {' }],
  },
  {
    name: 'an execution without an answer counts as impossible',
    faults: ['node loses answers'],
    edits: [
      {
        file: 'services/agent/chain/settle.ts',
        from: '    const objects = await seeObjects(nodes.client, named, signal);\n',
        to: "    return { kind: 'impossible' };\n",
      },
    ],
  },
];

const root = join(import.meta.dirname, '../..');
/** Folders that the service needs beside those that it resolves in `node_modules`. */
const left = new Set(['node_modules', '.git', '.data', 'bench', 'test']);

/**
 * Copies the service with the changes of a mutation.
 * @returns path of its program
 * @throws Error if a text of an edit is not in its file exactly once
 */
export async function mutate({ edits }: Mutation, closing: AsyncDisposableStack): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'marketplace-mutant-'));
  closing.defer(() => rm(copy, { recursive: true, force: true }));
  await cp(root, copy, {
    recursive: true,
    filter: (source) => !left.has(basename(source)) || source === root,
  });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const { file, from, to } of edits) {
    const parts = (await readFile(join(copy, file), 'utf8')).split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${from}`);
    await writeFile(join(copy, file), parts.join(to));
  }
  return join(copy, 'services/main.ts');
}
