import { expect, test } from 'vitest';
import { render } from '../../components/html.ts';
import { ActionFailedError } from './ask.ts';
import { createAttempts, failureNotice } from './attempts.ts';

test('a reader who does not see the page hears why an attempt failed', () => {
  const attempts = createAttempts(() => undefined);
  expect(render(attempts.status())).not.toContain('alert');
  attempts.failure = failureNotice(
    new ActionFailedError('A grant of nothing', 'Enter an amount above zero.'),
  );
  expect(render(attempts.status())).toMatch(/<div role="alert">.*Enter an amount above zero\..*<\/div>$/);
});
