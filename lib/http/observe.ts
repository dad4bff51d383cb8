import { Histogram, type Registry } from '@prometheus-io/client';
import type { Logger } from '../log/index.ts';
import { type Exchange, type Step, splitUrl } from './exchange.ts';

/** Probes call these every few seconds; their lines would bury the others. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

const pathLengthMax = 200;

interface ObserveOptions {
  log: Logger;
  metrics: Registry;
  /** Name of the histogram of durations; each service of a process has its own. */
  name: string;
}

/** One log line and one measurement per request, when its answer has left or its caller has gone. */
export function observe({ log, metrics, name }: ObserveOptions): Step {
  const duration = new Histogram({
    name,
    help: 'Time from the arrival of a request to the end of its answer, in seconds.',
    labelNames: ['route', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  // Bound once per pair of labels: looking them up costs more than observing.
  const bound = new Map<string, Histogram.Internal<'route' | 'status'>>();

  function record(exchange: Exchange): void {
    const { req, res, requestId, route } = exchange;
    const ms = performance.now() - exchange.startedAtMs;
    const aborted = !res.writableFinished;
    const status = res.statusCode;
    const key = `${route} ${status}`;
    let timer = bound.get(key);
    if (!timer) {
      timer = duration.labels(route, String(status));
      bound.set(key, timer);
    }
    timer.observe(ms / 1000);
    // A route template does not show what was not found. The query is left out: it may carry a secret.
    const path = status === 404 ? splitUrl(req.url ?? '').path.slice(0, pathLengthMax) : undefined;
    const level = status < 400 || quietRoutes.has(route) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      { requestId, method: req.method, route, path, status, ms: Math.round(ms * 10) / 10, aborted },
      'request',
    );
  }

  return (exchange) => {
    exchange.res.once('close', () => record(exchange));
    return false;
  };
}
