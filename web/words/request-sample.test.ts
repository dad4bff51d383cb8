import vm from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiRequest, buildTarget, renderSample } from './request-sample.ts';

const request: ApiRequest = {
  origin: 'https://host.example',
  operationId: 'listAdaptorEvents',
  method: 'GET',
  path: '/api/adaptors/{serviceType}/events',
  parameters: [
    { name: 'serviceType', in: 'path', value: '0x2::a::A', isNumber: false },
    { name: 'limit', in: 'query', value: '1', isNumber: true },
    { name: 'cursor', in: 'query', value: '', isNumber: false },
  ],
  isStream: false,
};
const write: ApiRequest = {
  ...request,
  operationId: 'updateThing',
  method: 'PATCH',
  path: '/things/{id}',
  parameters: [{ name: 'id', in: 'path', value: 'a/b', isNumber: false }],
  credential: 'authorization',
  body: '{"on":true,"note":"it\'s","none":null}',
};

test('a sample has the values of the request in each language, and no empty ones', () => {
  expect(renderSample('curl', request)).toBe(
    "curl 'https://host.example/api/adaptors/0x2::a::A/events?limit=1'",
  );
  expect(renderSample('JavaScript', request)).toContain(
    "market.api.listAdaptorEvents({ path: { serviceType: '0x2::a::A' }, query: { limit: 1 } });",
  );
  expect(renderSample('Python', request)).toContain('params={"limit": 1}');
});

test('a number that a script would round is sent as it was entered', () => {
  const large = { ...request.parameters[1]!, value: '9007199254740993' };
  const sample = (language: 'JavaScript' | 'Python') =>
    renderSample(language, { ...request, parameters: [large] });
  expect(sample('JavaScript')).toContain("query: { limit: '9007199254740993' }");
  expect(sample('Python')).toContain('params={"limit": "9007199254740993"}');
});

test('a sample of a write has its method, the credential from the environment, and the body', () => {
  expect(renderSample('curl', write)).toBe(
    `curl -X PATCH 'https://host.example/things/a%2Fb' \\
  -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"on":true,"note":"it'\\''s","none":null}'`,
  );
  expect(renderSample('JavaScript', write)).toContain('token: process.env.TOKEN');
  expect(renderSample('Python', write)).toContain('json={"on": True, "note": "it\'s", "none": None}');
});

test('a value of a parameter changes no other part of the target', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => !/^\.{1,2}$/.test(one));
  fc.assert(
    fc.property(text, text, (inPath, inQuery) => {
      const [type, limit] = request.parameters;
      const target = buildTarget({
        ...request,
        parameters: [
          { ...type!, value: inPath },
          { ...limit!, value: inQuery },
        ],
      });
      const url = new URL(target, request.origin);
      expect(url.origin).toBe(request.origin);
      expect(url.pathname.split('/').slice(1).map(decodeURIComponent)).toEqual([
        'api',
        'adaptors',
        inPath,
        'events',
      ]);
      expect([...url.searchParams]).toEqual([['limit', inQuery]]);
    }),
  );
});

test('a shell takes any value of a sample as one word', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const sample = renderSample('curl', { ...write, body: value });
      const [, quoted] = /-d ('[\s\S]*')$/.exec(sample)!;
      expect(quoted!.slice(1, -1).split(`'\\''`).join("'")).toBe(value);
      expect(quoted!.slice(1, -1).replaceAll(`'\\''`, '')).not.toContain("'");
    }),
  );
});

/** Bodies of all kinds, as a page sends them. */
const bodies = fc.jsonValue({ maxDepth: 3 });

test('a program in JavaScript has the body as a literal of the same value', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const sample = renderSample('JavaScript', { ...write, body: JSON.stringify(body) });
      const [, argument] = /updateThing\((\{[\s\S]*\})\);\nconsole/.exec(sample)!;
      expect(JSON.stringify(vm.runInNewContext(`(${argument})`).body)).toBe(JSON.stringify(body));
    }),
  );
});

test('a program in Python has the body with strings as in JSON, and the constants of Python', () => {
  const constants: Record<string, string> = { True: 'true', False: 'false', None: 'null' };
  fc.assert(
    fc.property(bodies, (body) => {
      const sample = renderSample('Python', { ...write, body: JSON.stringify(body) });
      const [, literal] = /\n {4}json=([\s\S]*),\n\)\nresponse/.exec(sample)!;
      // A string, a comma before the end of a list or an object, or a word.
      const json = literal!.replace(
        /("(?:[^"\\\n]|\\.)*")|,(?=\n *[\]}])|[A-Za-z]{4,}/g,
        (found, text?: string) => text ?? constants[found] ?? (found === ',' ? '' : `unknown ${found}`),
      );
      expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(body));
    }),
  );
});
