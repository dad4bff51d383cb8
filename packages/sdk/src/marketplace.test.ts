import { expect, test } from 'vitest';
import { createMarketplace } from './marketplace.ts';

test('an address that nothing can answer is refused before the first call, with what is missing', () => {
  for (const baseUrl of ['localhost:8080', 'market.example', '/api', 'wss://market.example']) {
    expect(() => createMarketplace({ baseUrl })).toThrow(
      new TypeError(`baseUrl: "${baseUrl}" is not a url that begins with http:// or https://.`),
    );
  }
  expect(createMarketplace({ baseUrl: 'https://market.example/' }).baseUrl).toBe('https://market.example');
});
