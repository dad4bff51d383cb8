import { Counter, type Registry } from '@prometheus-io/client';

/** Counts executed actions that went beyond their bounds: any is a reason to wake someone. */
export function alarmCounter(metrics: Registry): () => void {
  const broken = new Counter({
    name: 'agent_bounds_broken_total',
    help: 'Executed actions whose events go beyond what was asked. Not zero: stop the service and look.',
    registers: [metrics],
  });
  return () => broken.inc();
}

/** Counts runs by how they ended. Codes of the tool service are its own, and few. */
export function runCounter(metrics: Registry): (action: string, outcome: string) => void {
  const ended = new Counter({
    name: 'agent_runs_total',
    help: 'Runs of the agent by action, and how they ended: done, or the code of what went wrong.',
    labelNames: ['action', 'outcome'],
    registers: [metrics],
  });
  return (action, outcome) => ended.inc({ action, outcome });
}
