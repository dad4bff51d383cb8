import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './rendered.ts';

/** A question about the read model, with a statement that answers it. */
interface Question {
  question: string;
  sql: string;
}

/** Reads the questions of docs/analytics.md that SQL over HTTP answers. */
export function readQuestions(): Question[] {
  const document = readFileSync(join(root, 'docs/analytics.md'), 'utf8');
  const [, section = ''] = /^## Questions$(.*?)^## /ms.exec(document) ?? [];
  return [...section.matchAll(/^\*\*(.+?)\*\*\n\n```sql\n(.+?);\n```$/gms)]
    .map(([, question, sql]) => ({ question: question!, sql: sql! }))
    .filter(({ sql }) => !sql.includes('analytics_host.'));
}
