import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { accepts } from './negotiation.ts';

test.each([
  ['image/png', 'image/*', true],
  ['image/webp;q=0.5, text/html', 'image/*', true],
  ['*/*;q=0.1', 'image/*', true],
  ['text/html', 'image/*', false],
  ['image/png;q=0', 'image/*', false],
  ['text/css', '*/*', true],
  ['text/css', 'text/css', true],
  ['text/css', 'text/html', false],
])('a caller that takes %s gets a response of %s: %s', (accept, mediaType, isAccepted) => {
  expect(accepts({ headers: { accept } } as IncomingMessage, mediaType)).toBe(isAccepted);
});
