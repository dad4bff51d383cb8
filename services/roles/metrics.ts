import type { Registry } from '@prometheus-io/client';
import { problem } from '../../lib/errors/index.ts';
import { listen } from '../../lib/http/listen.ts';
import { requestIdOf } from '../../lib/http/request-id.ts';
import { sendProblem } from '../../lib/http/send.ts';
import type { Process } from './process.ts';

/** Where `METRICS_PORT` is set, tells Prometheus of this process: the only way in to one without a gateway. */
export async function serveMetrics({ config, log, metrics, closing }: Process): Promise<void> {
  if (config.metricsPort === undefined) return;
  const server = await listenMetrics(config.host, config.metricsPort, metrics);
  closing.defer(() => server.close());
  log.info({ url: `${server.url}/metrics` }, 'metrics of this process');
}

/** `GET /metrics`, and nothing else. */
function listenMetrics(host: string, port: number, metrics: Registry) {
  return listen(host, port, async (req, res) => {
    if (req.url !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
      const [path = ''] = (req.url ?? '').split('?', 1);
      const detail = `There is nothing at ${req.method} ${path.slice(0, 200)}. Endpoint: GET /metrics.`;
      sendProblem({ req, res, requestId: requestIdOf(req) }, problem('not_found', detail));
      return;
    }
    const body = await metrics.metrics();
    res.setHeader('content-type', metrics.contentType);
    res.setHeader('cache-control', 'no-store');
    res.end(req.method === 'HEAD' ? undefined : body);
  });
}
