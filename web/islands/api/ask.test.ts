import { expect, test } from 'vitest';
import { ActionFailedError, isTemporary, RequestRefusedError } from './ask.ts';

const refused = (status: number) => new RequestRefusedError(status, { code: 'x', title: 'x' });

test.each([
  ['no answer', new ActionFailedError('This site does not answer', ''), true],
  ['a limit of requests', refused(429), true],
  ['a service that is away', refused(503), true],
  ['a session that is over', refused(401), false],
  ['a run of another wallet', refused(404), false],
])('%s: a page that follows something goes on: %o', (_, error, goesOn) => {
  expect(isTemporary(error)).toBe(goesOn);
});
