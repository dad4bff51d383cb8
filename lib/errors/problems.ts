import { accessProblems } from './table/access.ts';
import { agentProblems } from './table/agent.ts';
import { catalogProblems } from './table/catalog.ts';
import type { ProblemEntry } from './table/entry.ts';
import { requestProblems } from './table/requests.ts';
import { sqlProblems } from './table/sql.ts';

/** Every code that a service answers with, graph included. A code is an interface: it keeps meaning and status. */
const table = { ...requestProblems, ...accessProblems, ...catalogProblems, ...sqlProblems, ...agentProblems };

export type ProblemCode = keyof typeof table;

export const problems: Readonly<Record<ProblemCode, ProblemEntry>> = table;

/** The sections of the error pages and of their document. */
export const problemSections: readonly { title: string; problems: Readonly<Record<string, ProblemEntry>> }[] =
  [
    { title: 'Requests', problems: requestProblems },
    { title: 'Credentials and limits', problems: accessProblems },
    { title: 'Catalog, publishing, events and webhooks', problems: catalogProblems },
    { title: 'SQL', problems: sqlProblems },
    { title: 'Agent actions', problems: agentProblems },
  ];

/** Returns the statuses of a code in the API. The default is first. */
export function listStatuses(code: ProblemCode): readonly [usual: number, ...others: number[]] {
  const { status } = problems[code];
  return typeof status === 'number' ? [status] : status;
}

type Entry<Code extends ProblemCode> = (typeof table)[Code];
type NumberIn<Value> = Value extends readonly number[] ? Value[number] : Value;

/** Statuses that a throw site may name for a code. */
export type StatusOf<Code extends ProblemCode> = Code extends ProblemCode
  ?
      | NumberIn<Entry<Code>['status']>
      | (Entry<Code> extends { toolServiceStatus: infer Status } ? Status : never)
  : never;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(table, code);

/** Returns the url of a code's page below `publicUrl`. It is relative if `publicUrl` is absent. */
export const toProblemType = (code: ProblemCode, publicUrl = ''): string => `${publicUrl}/errors/${code}`;
