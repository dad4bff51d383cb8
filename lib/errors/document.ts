import { listStatuses, type ProblemCode, problemSections, toProblemType } from './problems.ts';
import type { ProblemEntry } from './table/entry.ts';

const head = `# Errors

Every error response of the HTTP API has the form of RFC 9457, with the content type \`application/problem+json\`:

\`\`\`json
{
  "type": "${toProblemType('invalid_query')}",
  "title": "Invalid query",
  "status": 400,
  "detail": "query.limit: expected a whole number from 1 to 500",
  "code": "invalid_query",
  "requestId": "5f3c1d0e-8a5b-4c58-9d5e-0c5b5f6b7a11",
  "errors": [{ "path": "query.limit", "message": "expected a whole number from 1 to 500" }]
}
\`\`\`

| field | meaning |
|---|---|
| \`code\` | Stable word. Switch on this field, never on \`title\` or \`detail\`. |
| \`type\` | Address of the page of the code, on this service; below \`PUBLIC_URL\` where the operator has set it. |
| \`status\` | Status of the response. |
| \`detail\` | What is wrong with this request, and what to do. |
| \`errors\` | One row for each wrong field; absent where no field is wrong. |
| \`requestId\` | Also in the \`x-request-id\` header. Report it to the operator. |

A response of status 429 or 503 has a \`retry-after\` header where a wait helps. \`GET /errors\` lists the codes below, and
\`GET /errors/{code}\` shows one of them, as a page or as JSON. Errors of \`/graphql\` have the code in
\`extensions.code\`. The codes of a run's error line are in [agent-run.md](agent-run.md).

The service renders this document from \`lib/errors/table\`.
`;

/** Renders all error codes, with their causes and remedies, as Markdown. A host serves it as /docs/errors.md. */
export function renderErrorsDocument(): string {
  const sections = problemSections.map(({ title, problems }) => {
    const entries = Object.entries(problems).map(([code, entry]) => renderEntry(code as ProblemCode, entry));
    return `\n## ${title}\n${entries.join('')}`;
  });
  return `${head}${sections.join('')}`;
}

function renderEntry(code: ProblemCode, { title, meaning, whatToDo }: ProblemEntry): string {
  return `\n### ${code}\n\n**${listStatuses(code).join(' or ')} ${title}.** ${meaning}\n\nWhat to do: ${whatToDo}\n`;
}
