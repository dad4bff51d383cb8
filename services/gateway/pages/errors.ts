import { z } from 'zod';
import {
  isProblemCode,
  listStatuses,
  type ProblemCode,
  problem,
  problemSections,
  problems,
} from '../../../lib/errors/index.ts';
import { buildProblemType, computeDigest, type Exchange, sendContent } from '../../../lib/http/exchange.ts';
import { prefersPage } from '../../../lib/http/negotiation.ts';
import { route } from '../../../lib/http/route.ts';
import type { Content } from '../../../web/frame/page.ts';
import { errorIndex, errorPage } from '../../../web/pages/errors.ts';
import { answerPage, type SiteDependencies } from './site.ts';

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

function buildErrorBody(code: ProblemCode): z.infer<typeof errorBody> {
  const { title, meaning, whatToDo, retryAfterSeconds } = problems[code];
  return {
    code,
    type: buildProblemType(code),
    statuses: [...listStatuses(code)],
    title,
    meaning,
    whatToDo,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

const indexPage = () =>
  errorIndex(
    problemSections.map(({ title, problems: own }) => ({
      title,
      errors: (Object.keys(own) as ProblemCode[]).map(buildErrorBody),
    })),
  );

async function sendEither(
  exchange: Exchange,
  { site }: SiteDependencies,
  page: () => Content,
  body: () => unknown,
): Promise<void> {
  if (prefersPage(exchange.req)) return await answerPage(exchange, {}, site, page);
  const json = Buffer.from(JSON.stringify(body()));
  await sendContent(exchange, {
    body: json,
    contentType: 'application/json',
    cacheControl: 'public, max-age=300',
    tag: computeDigest(json),
    vary: 'accept, accept-encoding',
  });
}

const either = { alternative: 'text/html', unlimited: true } as const;
const example = buildErrorBody('invalid_query');

const listErrors = route({
  method: 'get',
  path: '/errors',
  ...either,
  operation: {
    operationId: 'listErrorCodes',
    tag: 'operations',
    summary: 'List all error codes',
    description: 'A page, unless the accept header prefers JSON.',
    response: { description: 'Every `code` that a problem can have.', schema: errorsBody },
    conditional: true,
    example: { answer: { count: 1, errors: [example] } },
  },
  handler: ({ exchange }, dependencies: SiteDependencies) =>
    sendEither(exchange, dependencies, indexPage, () => ({
      count: codes.length,
      errors: codes.map(buildErrorBody),
    })),
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
    tag: 'operations',
    summary: 'Get what an error code means',
    description: 'The `type` of a problem leads here. A page, unless the accept header prefers JSON.',
    response: { description: 'What the code means, and what to do.', schema: errorBody },
    conditional: true,
    // Only paths of codes are free: any other one counts.
    refusals: ['not_found', 'invalid_key', 'invalid_credentials', 'rate_limited'],
    example: { answer: example },
  },
  async handler({ exchange, parameters: { code } }, dependencies: SiteDependencies) {
    if (!isProblemCode(code)) {
      throw problem(
        'not_found',
        `There is no error code ${code.slice(0, 100)}. GET /errors lists the codes.`,
      );
    }
    await sendEither(
      exchange,
      dependencies,
      () => errorPage(buildErrorBody(code)),
      () => buildErrorBody(code),
    );
  },
});

/** The pages that the `type` of a problem leads to. */
export const errorRoutes = [listErrors, getError];
