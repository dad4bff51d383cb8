import { Counter, Gauge, type Registry } from '@prometheus-io/client';

/** What the indexer measures; labels are few and fixed: network, source, and a state. */
export interface IndexerMetrics {
  events: Counter<'network' | 'source'>;
  undecoded: Counter<'network' | 'source'>;
  batches: Counter<'network' | 'source'>;
  restarts: Counter<'network' | 'source'>;
  checkpoint: Gauge<'network' | 'source'>;
  lag: Gauge<'network' | 'source'>;
  waitSeconds: Counter<'network' | 'source' | 'for'>;
  checks: Counter<'network' | 'check' | 'state'>;
}

/** Registers the indexer's metrics, once per registry. */
export function createIndexerMetrics(registry: Registry): IndexerMetrics {
  const labelNames = ['network', 'source'] as const;
  const registers = [registry];
  const of = (name: string, help: string) => ({ name: `indexer_${name}`, help, labelNames, registers });
  return {
    events: new Counter(of('events_total', 'Events stored.')),
    undecoded: new Counter(
      of('undecoded_events_total', 'Events stored raw because their bytes did not decode.'),
    ),
    batches: new Counter(of('batches_total', 'Database transactions that moved a source.')),
    restarts: new Counter(
      of('restarts_total', 'Times a source was opened again after its stream ended or failed.'),
    ),
    checkpoint: new Gauge(of('checkpoint', 'Highest checkpoint covered in full.')),
    lag: new Gauge(of('lag_seconds', 'How far the source is behind the chain, by the chain’s clock.')),
    waitSeconds: new Counter({
      ...of('wait_seconds_total', 'Time spent waiting for the node (source) or for the database.'),
      labelNames: [...labelNames, 'for'],
    }),
    checks: new Counter({
      name: 'indexer_checks_total',
      help: 'Manifest, publisher and witness checks by outcome.',
      labelNames: ['network', 'check', 'state'],
      registers,
    }),
  };
}
