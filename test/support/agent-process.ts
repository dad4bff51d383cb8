/**
 * An agent service as a process of its own, to be killed: its options as JSON on the command line. It says its url on
 * standard output.
 */
import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { type AgentOptions, startAgent } from '../../services/agent/index.ts';
import { localSigner } from '../../services/agent/key/signer.ts';
import { fastTiming, hostLimits, publicUrl } from './host-limits.ts';

interface ProcessOptions extends Pick<AgentOptions, 'networks' | 'internalSecret' | 'toolsUrl'> {
  databaseUrl: string;
  secretKey: string;
}

const [json = '{}'] = process.argv.slice(2);
const { databaseUrl, secretKey, ...options }: ProcessOptions = JSON.parse(json);
const { url } = await startAgent({
  ...options,
  ...{ host: '127.0.0.1', port: 0, defaultNetwork: 'testnet', publicUrl },
  ...{ ...hostLimits, dailyLimits: { '*': 1_000n } },
  // As many as runs that a test lets stand still in it, and some more.
  db: openDatabase(databaseUrl, { max: 16 }),
  signer: await localSigner({ secretKey }),
  log: createLogger('error'),
  recoverEveryMs: fastTiming.recoverEveryMs,
  metrics: new Registry(),
});
process.stdout.write(`${url}\n`);
