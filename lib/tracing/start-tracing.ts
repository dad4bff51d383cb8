import { FatalError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns `true` if the standard variables of OpenTelemetry name a collector, and do not turn traces off. */
function isConfigured(env: Environment): boolean {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isDisabled = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  return Boolean(endpoint) && !isDisabled;
}

/**
 * Starts to send traces if an endpoint is configured. Without one, nothing of OpenTelemetry is loaded.
 * @returns a function that sends what is left, and stops
 * @throws FatalError `bad_settings`
 */
export async function startTracing(
  env: Environment,
  log: Logger,
): Promise<(() => Promise<void>) | undefined> {
  if (!isConfigured(env)) return undefined;
  const protocol =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  const load = exporters[protocol];
  if (!load) {
    const known = Object.keys(exporters).join(' or ');
    throw new FatalError(
      'bad_settings',
      `OTEL_EXPORTER_OTLP_PROTOCOL: ${protocol} is not supported. Set ${known}, and the endpoint of the collector's HTTP receiver.`,
    );
  }
  const [{ openTracing }, { OTLPTraceExporter }] = await Promise.all([import('./open.ts'), load()]);
  return openTracing(new OTLPTraceExporter(), log);
}

const exporters: Readonly<
  Record<string, () => Promise<typeof import('@opentelemetry/exporter-trace-otlp-proto')>>
> = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
};
