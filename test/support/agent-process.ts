/**
 * An agent service in a process of its own, which tests can kill. Its argument is its options as JSON. It prints its
 * URL.
 */
import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { type AgentOptions, startAgent } from '../../services/agent/index.ts';
import { createLocalSigner } from '../../services/agent/key/signer.ts';
import { fastTiming, hostLimits, publicUrl } from './host-limits.ts';

interface ProcessOptions extends Pick<AgentOptions, 'networks' | 'internalSecret' | 'toolsUrl'> {
  databaseUrl: string;
  secretKey: string;
}

const [json = '{}'] = process.argv.slice(2);
const { databaseUrl, secretKey, ...options }: ProcessOptions = JSON.parse(json);
const { url } = await startAgent({
  ...options,
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  publicUrl,
  ...hostLimits,
  dailyLimits: { '*': 1_000n },
  // More connections than the number of runs that a test blocks in this process.
  db: openDatabase(databaseUrl, { max: 16 }),
  signer: await createLocalSigner({ secretKey }),
  log: createLogger('error'),
  recoverEveryMs: fastTiming.recoverEveryMs,
  metrics: new Registry(),
});
process.stdout.write(`${url}\n`);
