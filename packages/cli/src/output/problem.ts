import type { ApiProblem } from '../api/client.ts';

/** What a person is told of a refusal by the marketplace. */
export function problemLines({ problem, retryAfter }: ApiProblem): string[] {
  const { title, status, code, detail, errors = [], requestId } = problem;
  return [
    `${title} (${status} ${code})`,
    ...(detail && errors.length === 0 ? [`  ${detail}`] : []),
    ...errors.map(({ path, message }) => `  ${path}: ${message}`),
    ...(errors.length > 0 && detail && !errors.some(({ message }) => detail.includes(message))
      ? [`  ${detail}`]
      : []),
    ...(retryAfter ? [`  Try again in ${retryAfter} seconds.`] : []),
    ...(requestId && status >= 500 ? [`  Request id, for the host: ${requestId}`] : []),
  ];
}
