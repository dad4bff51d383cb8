import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

/** The dispatcher's Prometheus metrics. */
export function dispatcherMetrics(registry: Registry) {
  const registers = [registry];
  return {
    events: new Counter({
      name: 'webhook_events_total',
      help: 'Registry events whose deliveries were written.',
      labelNames: ['network'],
      registers,
    }),
    attempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event, by how they ended.',
      labelNames: ['outcome'],
      registers,
    }),
    duration: new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'Time of one exchange with a receiver.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    workers: new Gauge({
      name: 'webhook_subscriptions_held',
      help: 'Subscriptions that this process is sending to (its workers).',
      registers,
    }),
    missing: new Gauge({
      name: 'webhook_subscriptions_missing',
      help: 'Known subscriptions that the key-value store has lost; no deliveries are written until they are back.',
      labelNames: ['network'],
      registers,
    }),
    disabled: new Counter({
      name: 'webhook_subscriptions_disabled_total',
      help: 'Subscriptions disabled: gone (410) or failing for days.',
      labelNames: ['reason'],
      registers,
    }),
    unreadableSecrets: new Gauge({
      name: 'webhook_unreadable_secrets',
      help: 'Active subscriptions that receive nothing because their secret was sealed under another admin secret.',
      registers,
    }),
  };
}

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;
