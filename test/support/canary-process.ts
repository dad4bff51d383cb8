/**
 * Canaries in a process of its own, which tests can kill: `node canary-process.ts <database url> <settings>`. The settings of
 * its network are JSON.
 */
import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createCanaryQueue } from '../../services/indexer/canaries/queue.ts';
import { openClaims } from '../../services/indexer/queue/claims.ts';
import { startWorker } from '../../services/indexer/queue/worker.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { providersFor } from './providers.ts';

const [databaseUrl = '', json = ''] = process.argv.slice(2);
const db = openDatabase(databaseUrl, { max: 4 });
const settings = JSON.parse(json);
const metrics = createIndexerMetrics(new Registry());
const { signal } = new AbortController();
const queue = createCanaryQueue({ db, settings, metrics, providers: providersFor(settings) }, signal)!;
startWorker(queue, { claims: openClaims(db), log: silentLogger, signal, sleepMaxMs: 50 });
