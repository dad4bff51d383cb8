import type { RunStepName } from '../../../lib/agent/shapes.ts';
import { errorStatus } from '../../../lib/tracing/client-span.ts';
import { getTracing, type SpanContext } from '../../../lib/tracing/tracing.ts';

/** The span of a run, or of its part that this process drives, and one for each of its steps. */
export interface RunTrace {
  context: SpanContext;
  /** Records a step that ends now, since the end of the step before. */
  endStep(step: RunStepName): void;
  /** Ends the span once. `code` is that of the run's error. */
  end(code?: string | null): void;
}

interface TracedRun {
  run: number;
  action: string;
  network: string;
}

/** @param parent span of the request that opened the run. Undefined: a run that was taken over has a trace of its own */
export function startRunTrace(
  { run, action, network }: TracedRun,
  parent?: SpanContext,
): RunTrace | undefined {
  const tracing = getTracing();
  if (!tracing) return undefined;
  const about = { 'marketplace.run.id': run, 'marketplace.network': network };
  const span = tracing.start(`run ${action}`, { parent, attributes: about });
  const context = span.spanContext();
  let stepMs = Date.now();
  let isOpen = true;
  return {
    context,
    endStep(step) {
      const startMs = stepMs;
      stepMs = Date.now();
      tracing.start(`run step ${step}`, { parent: context, startMs, attributes: about }).end(stepMs);
    },
    end(code) {
      if (!isOpen) return;
      isOpen = false;
      if (code) span.setAttribute('error.type', code).setStatus({ code: errorStatus });
      span.end();
    },
  };
}
