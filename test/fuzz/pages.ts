import fc from 'fast-check';
import { routes } from '../../services/gateway/routes.ts';
import { createRequestDoor, type Door, listSecrets } from './door.ts';
import type { FuzzRequest } from './exchange.ts';
import { oddHeaders, sender } from './headers.ts';
import type { Host } from './host.ts';
import { Fault, judgeAny } from './judge.ts';
import { hostileText } from './values.ts';

/** Requests of the pages of the site, of its feeds, pictures and documents. */
export function openPagesDoor(host: Host): Door<FuzzRequest> {
  const inputs = fc.oneof(
    ...routes
      .filter(({ operation }) => operation === undefined)
      .map(({ method, path, parameters = {}, query }) => {
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
        const segments = fc.tuple(...names.map((name) => makeText(host, name, parameters[name]?.example)));
        const pairs = fc.tuple(
          ...Object.keys(query?.shape ?? {}).map((name) =>
            fc.option(
              makeText(host, name).map((value) => `${name}=${encodeURIComponent(value)}`),
              { freq: 1, nil: undefined },
            ),
          ),
        );
        return fc
          .record({ segments, pairs, from: sender, odd: oddHeaders, how: fc.nat(9) })
          .map(({ segments: values, pairs: made, from, odd, how }): FuzzRequest => {
            const filled = names.reduce(
              (to, name, at) => to.replace(`:${name}`, () => encodeURIComponent(values[at]!)),
              path,
            );
            const search = made.filter((pair) => pair !== undefined).join('&');
            return {
              method: how === 9 ? 'HEAD' : method.toUpperCase(),
              target: search === '' ? filled : `${filled}?${search}`,
              headers: [from, ['accept', 'text/html,*/*;q=0.8'], ...(how < 2 ? odd : [])],
            };
          });
      }),
  );
  const secrets = listSecrets(host);
  return createRequestDoor(host, { name: 'pages', batchSize: 200, inputs }, (request, response) => {
    const route = `page ${request.target.split(/[?%]/)[0]!.slice(0, 30)}`;
    judgeAny(request, response, { route, secrets });
    if (response.status >= 500)
      throw new Fault(`status ${response.status}`, route, response.body.slice(0, 300));
  });
}

function makeText(host: Host, name: string, example?: string): fc.Arbitrary<string> {
  const known = host.values.findWords(name);
  const choices = known.length > 0 ? known : example === undefined ? [] : [example];
  const wellFormed = hostileText.filter((text) => text.isWellFormed());
  if (choices.length === 0) return wellFormed;
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...choices) },
    { weight: 1, arbitrary: wellFormed },
  );
}
