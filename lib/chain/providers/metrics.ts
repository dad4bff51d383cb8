import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

export interface RequestMetrics {
  requests: Counter<'network' | 'provider' | 'priority'>;
  waited: Histogram<'network' | 'provider' | 'priority'>;
  refused: Counter<'network' | 'provider' | 'priority'>;
  failed: Counter<'network' | 'provider' | 'code'>;
  left: Gauge<'network' | 'provider'>;
}

/** Call it at most once for each registry. Default: a registry that is not shown. */
export function createRequestMetrics(registry = new Registry()): RequestMetrics {
  const registers = [registry];
  const labelNames = ['network', 'provider', 'priority'] as const;
  return {
    requests: new Counter({
      name: 'node_requests_total',
      help: 'Requests sent to a provider. priority: follow, run, read or check.',
      labelNames,
      registers,
    }),
    waited: new Histogram({
      name: 'node_request_wait_seconds',
      help: 'Time that requests waited for the request budget, or for a provider that limits them.',
      labelNames,
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30],
      registers,
    }),
    refused: new Counter({
      name: 'node_requests_refused_total',
      help: 'Requests that were not sent, because the budget or the limit of the provider left none in time.',
      labelNames,
      registers,
    }),
    failed: new Counter({
      name: 'node_requests_failed_total',
      help: 'Requests that a provider failed or refused, by gRPC code.',
      labelNames: ['network', 'provider', 'code'],
      registers,
    }),
    left: new Gauge({
      name: 'node_budget_tokens',
      help: 'Requests that the budget of a provider allows at once.',
      labelNames: ['network', 'provider'],
      registers,
    }),
  };
}
