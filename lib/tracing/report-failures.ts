import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../log/index.ts';

/** Wraps an exporter. Logs when it begins to fail and when it works again, once each. Spans of failed batches are lost. */
export function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let fails = false;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const { code, error } = result;
        const failed = code !== ExportResultCode.SUCCESS;
        if (failed && !fails) log.warn({ reason: describe(error) }, 'cannot send traces; they are dropped');
        if (!failed && fails) log.info('traces are sent again');
        fails = failed;
        // The SDK would log each failure.
        onResult({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** An error of a connection to several addresses has a code and no message. */
function describe(error: Error | undefined): string {
  if (!error) return 'unknown';
  return getErrorMessage(error) || String(Reflect.get(error, 'code') ?? error.name);
}
