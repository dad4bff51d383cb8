import { cpus, totalmem } from 'node:os';
import type { Cost } from './list-costs.ts';

export const round = (ms: number) => Math.round(ms * 10) / 10;

/** Table of the costs of lists and searches, for docs/performance.md. */
export function costsPart(costs: readonly Cost[], limitMs: number, at: Date): string {
  const [processor] = cpus();
  const rows = costs.map(({ name, postgresMs, gatewayMs, pages, total }) => {
    const sum = round(postgresMs + gatewayMs);
    const shown = sum > limitMs ? `**${sum}**` : `${sum}`;
    return `| ${name} | ${round(postgresMs)} | ${round(gatewayMs)} | ${shown} | ${pages.toLocaleString('en')} | ${total.toLocaleString('en')} |`;
  });
  return `Measured on ${at.toISOString().slice(0, 10)} on ${cpus().length} cores (${processor?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Node ${process.versions.node}.
Milliseconds of processor time; the limit is ${limitMs}, and what is above it is bold.

| list or search | PostgreSQL | gateway | both | pages of 8 kB | matches |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
