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

test.each([{ apiKey: 'mk_4fYt…' }, { token: 'ek_\u0000' }])(
  'a credential that no header can carry is refused at once: %j',
  (given) => {
    const [[name, secret]] = Object.entries(given) as [[string, string]];
    const create = () => createMarketplace({ baseUrl: 'https://market.example', ...given });
    expect(create).toThrow(new TypeError(`${name}: it has a character that no header can carry.`));
    expect(create).not.toThrow(secret);
  },
);
