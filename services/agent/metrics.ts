import { Counter, type Registry } from 'prom-client';

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
