import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** Metrics of the indexer. Labels are few and fixed: network, source, and a state. */
export type IndexerMetrics = ReturnType<typeof createIndexerMetrics>;

/** Four buckets for each doubling, from a millisecond to half a minute. */
const stepBuckets = Array.from({ length: 60 }, (_, at) => Number((0.001 * 2 ** (at / 4)).toPrecision(3)));

export function createIndexerMetrics(registry: Registry) {
  const labelNames = ['network', 'source'] as const;
  const registers = [registry];
  const describe = (name: string, help: string) => ({ name: `indexer_${name}`, help, labelNames, registers });
  return {
    events: new Counter(describe('events_total', 'Events stored.')),
    undecoded: new Counter(
      describe('undecoded_events_total', 'Events stored raw because their bytes did not decode.'),
    ),
    batches: new Counter(describe('batches_total', 'Database transactions that moved a source.')),
    restarts: new Counter(
      describe('restarts_total', 'Times a source was opened again after its stream ended or failed.'),
    ),
    checkpoint: new Gauge(describe('checkpoint', 'Highest checkpoint covered in full.')),
    lag: new Gauge(describe('lag_seconds', 'How far the source is behind the chain, by the chain’s clock.')),
    waitSeconds: new Counter({
      ...describe('wait_seconds_total', 'Time spent waiting for the node (source) or for the database.'),
      labelNames: ['network', 'source', 'for'],
    }),
    checks: new Counter({
      name: 'indexer_checks_total',
      help: 'Checks of manifests, publishers, witnesses, jobs and coins by outcome.',
      labelNames: ['network', 'check', 'state'],
      registers,
    }),
    steps: new Histogram({
      name: 'indexer_step_seconds',
      help:
        'Steps of what the chain brings. receive: from the timestamp of a transaction until it is decoded; store: until it ' +
        'is committed; wait: from then until the first fetch of a manifest begins; manifest: until that is judged.',
      labelNames: ['network', 'step'],
      buckets: stepBuckets,
      registers,
    }),
  };
}
