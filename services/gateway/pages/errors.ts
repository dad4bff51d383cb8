import { z } from 'zod';
import { problem } from '../../../lib/errors/index.ts';
import {
  isProblemCode,
  type ProblemCode,
  problemSections,
  problems,
  statusesOf,
} from '../../../lib/errors/problems.ts';
import { digestOf, type Exchange, sendContent, typeOf } from '../../../lib/http/exchange.ts';
import { prefersPage } from '../../../lib/http/negotiation.ts';
import { route } from '../../../lib/http/route.ts';
import { iconLink, inlineHash, page, text } from './page.ts';

const errorBody = z
  .object({
    code: z.string(),
    type: z.string().meta({ description: 'Address of the page of the code.' }),
    statuses: z
      .array(z.int())
      .meta({ description: 'HTTP statuses that come with the code; the usual one first.' }),
    title: z.string(),
    meaning: z.string().meta({ description: 'When the error happens.' }),
    whatToDo: z.string(),
    retryAfterSeconds: z.int().optional().meta({ description: 'Value of the `retry-after` header.' }),
  })
  .meta({ id: 'ErrorCode', description: 'What one error code means, and what to do.' });

const errorsBody = z.object({ count: z.int().min(0), errors: z.array(errorBody) }).meta({ id: 'ErrorCodes' });

const codes = Object.keys(problems) as ProblemCode[];

function bodyOf(code: ProblemCode): z.infer<typeof errorBody> {
  const { title, meaning, whatToDo, retryAfterSeconds } = problems[code];
  const known = { code, type: typeOf(code), statuses: [...statusesOf(code)], title, meaning, whatToDo };
  return { ...known, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Sends a page to browsers, and JSON to callers that ask for it. */
async function sendEither(exchange: Exchange, sendPage: SendPage, body: () => unknown): Promise<void> {
  if (prefersPage(exchange.req)) return await sendPage(exchange, undefined);
  const json = Buffer.from(JSON.stringify(body()));
  await sendContent(exchange, {
    body: json,
    contentType: 'application/json',
    cacheControl: 'public, max-age=300',
    tag: digestOf(json),
    vary: 'accept, accept-encoding',
  });
}

type SendPage = ReturnType<typeof page<undefined>>;

const tag = 'operations';
const either = { alternative: 'text/html', unlimited: true } as const;
const example = bodyOf('invalid_query');

const listErrors = route({
  method: 'get',
  path: '/errors',
  ...either,
  operation: {
    operationId: 'listErrorCodes',
    tag,
    summary: 'List all error codes',
    description: 'A page, unless the accept header prefers JSON.',
    response: { description: 'Every `code` that a problem can have.', schema: errorsBody },
    conditional: true,
    example: { answer: { count: 1, errors: [example] } },
  },
  handler: ({ exchange }) =>
    sendEither(exchange, sendIndex, () => ({ count: codes.length, errors: codes.map(bodyOf) })),
});

const getError = route({
  method: 'get',
  path: '/errors/:code',
  parameters: {
    code: { description: 'A `code`, as in a problem.', example: 'invalid_query', values: codes },
  },
  ...either,
  operation: {
    operationId: 'getErrorCode',
    tag,
    summary: 'Get what an error code means',
    description: 'The `type` of a problem leads here. A page, unless the accept header prefers JSON.',
    response: { description: 'What the code means, and what to do.', schema: errorBody },
    conditional: true,
    refusals: ['not_found'],
    example: { answer: example },
  },
  async handler({ exchange, parameters: { code } }) {
    if (!isProblemCode(code)) {
      throw problem(
        'not_found',
        `There is no error code ${code.slice(0, 100)}. GET /errors lists the codes.`,
      );
    }
    await sendEither(exchange, pageOf(code), () => bodyOf(code));
  },
});

/** The pages that the `type` of a problem leads to. */
export const errorRoutes = [listErrors, getError];

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
td { padding: .2rem 1rem .2rem 0; vertical-align: top; }
`;

const documentOf = (title: string, main: string) => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${text(title)}</title>
${iconLink}
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
${main}
</main>
</body>
</html>
`,
  policy: [`style-src ${inlineHash(style)}`],
});

const sendIndex = page<undefined>(() => {
  const sections = problemSections.map(({ title, problems: own }) => {
    const rows = Object.entries(own).map(
      ([code, { status, title }]) =>
        `<tr><td>${[status].flat().join(' or ')}</td><td><a href="/errors/${code}">${code}</a></td><td>${text(title)}</td></tr>`,
    );
    return `<h2>${text(title)}</h2>\n<table>\n${rows.join('\n')}\n</table>`;
  });
  const intro =
    'Every `code` that a problem of this service can have. `type` is the address of its page here.';
  return documentOf('Errors', `<p>${text(intro)}</p>\n${sections.join('\n')}`);
});

const pages = new Map<ProblemCode, SendPage>();

function pageOf(code: ProblemCode): SendPage {
  const made = pages.get(code) ?? page<undefined>(() => errorPage(code));
  pages.set(code, made);
  return made;
}

function errorPage(code: ProblemCode) {
  const { title, meaning, whatToDo } = problems[code];
  return documentOf(
    title,
    `<p>Code <code>${code}</code>, HTTP status ${statusesOf(code).join(' or ')}.</p>
<h2>When it happens</h2>
<p>${text(meaning)}</p>
<h2>What to do</h2>
<p>${text(whatToDo)}</p>
<p><a href="/errors">All errors</a>, <a href="/docs">all endpoints</a>.</p>`,
  );
}
