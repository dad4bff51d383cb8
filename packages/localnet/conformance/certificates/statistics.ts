import type { Certificate } from '@adaptor-marketplace/adaptor/certify';
import type { Execution } from '../../src/vm/provenance/trace.ts';
import { checkExecution, listUnread, type Violation } from './check.ts';

/** Executions that were compared with certificates. */
export class Statistics {
  executions = 0;
  aborted = 0;
  steps = 0;
  /** Observations: flows, reads, writes, gates, amounts and recipients. */
  observations = 0;
  /** Executions of functions with code that was not read, for which some kinds of claims say nothing. */
  unread = 0;
  /** Their certificates. */
  readonly functions = new Set<Certificate>();
  /** The first execution that shows it, by function and missing claim. */
  readonly violations = new Map<string, Violation & { execution: number }>();

  add(execution: Execution, certificate: Certificate): void {
    const { flows, reads, writes, amounts, recipients, gate } = execution;
    this.executions += 1;
    if (execution.aborted) this.aborted += 1;
    this.steps += execution.steps;
    this.observations +=
      flows.length + reads.size + writes.size + amounts.size + recipients.size + (gate ? 1 : 0);
    this.functions.add(certificate);
    if (listUnread(certificate).length > 0) this.unread += 1;
    for (const violation of checkExecution(execution, certificate)) {
      const key = `${violation.function} ${violation.missing}`;
      if (!this.violations.has(key)) this.violations.set(key, { ...violation, execution: this.executions });
    }
  }

  describe(): string {
    const lines = [
      `${this.executions} executions of ${this.functions.size} functions, ${this.aborted} aborted, ${this.unread} with unread code`,
      `${this.steps} instructions, ${this.observations} observations, ${this.violations.size} outside of the certificates`,
    ];
    for (const { function: name, site, missing, execution } of this.violations.values()) {
      lines.push(
        `  execution ${execution} of ${name}`,
        `    at ${site.module}::${site.function}:${site.offset}: ${missing}`,
      );
    }
    return lines.join('\n');
  }
}
