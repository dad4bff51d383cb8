import { readFileSync } from 'node:fs';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { settingsFor } from '../../test/support/frames/packages.ts';

export interface IndexerUsage {
  cpuSeconds: number;
  /** Maximum resident size. */
  residentMegabytes: number;
}

/** An indexer that follows a registry. Answers each message of the parent process with its usage; the parent kills it. */
const [databaseUrl, nodeUrl] = process.argv.slice(2);
startIndexer({
  db: openDatabase(databaseUrl!, { max: 10 }),
  networks: [settingsFor(nodeUrl!)],
  log: createLogger('warn'),
  outbound: createOutbound({ allowCidrs: [] }),
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  // Unlike the kernel's usage of resources, it leaves out what the parent had before the program was loaded.
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))!;
  const residentMegabytes = Math.round(Number(kilobytes) / 1024);
  process.send!({ cpuSeconds: (user + system) / 1e6, residentMegabytes } satisfies IndexerUsage);
});
process.send!('started');
