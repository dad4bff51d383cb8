import fc from 'fast-check';
import { makeArchives } from './archives.ts';
import type { DescribedOperation, Parameter } from './description.ts';
import { createRequestDoor, type Door, listSecrets } from './door.ts';
import { encodeBody, type FuzzRequest } from './exchange.ts';
import { credentialHeaders, oddHeaders, sender } from './headers.ts';
import type { Host } from './host.ts';
import { judgeAny, judgeDescribed } from './judge.ts';
import { makeTransactions } from './transactions.ts';
import { hostileText, nearly, nearlyJson } from './values.ts';

/** A body, in base64. */
interface Body {
  mediaType: string | undefined;
  bytes: string;
}

/** Bodies that do not follow from the description of an operation, by its id. */
type OwnBodies = ReadonlyMap<string, fc.Arbitrary<Body>>;

/** Requests of every operation of the OpenAPI document, from valid ones to nonsense. */
export async function openRestDoor(host: Host): Promise<Door<FuzzRequest>> {
  const archives = await makeArchives();
  const transaction = fc.record({ transaction: makeTransactions(host) });
  const ownBodies: OwnBodies = new Map([
    ['createSourceOffer', archives.map((bytes) => ({ mediaType: 'application/zip', bytes }))],
    ['explainTransaction', nearlyJson(nearly(transaction)).map(encodeBody).map(toJsonBody)],
  ]);
  const inputs = fc.oneof(
    ...host.api.operations.map((described) => makeRequests(host, described, ownBodies)),
  );
  const secrets = listSecrets(host);
  return createRequestDoor(host, { name: 'rest', batchSize: 500, inputs }, (request, response) => {
    const path = request.target.split('?')[0]!;
    const described = host.api.match(request.method, path);
    const route = described ? `${described.method} ${described.path}` : 'no operation';
    judgeAny(request, response, { route: described?.path ?? route, secrets });
    if (described) judgeDescribed(host.api, described, request, response);
  });
}

function makeRequests(
  host: Host,
  described: DescribedOperation,
  ownBodies: OwnBodies,
): fc.Arbitrary<FuzzRequest> {
  const parameters = host.api.listParameters(described);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const segments = fc.tuple(...inPath.map((parameter) => makeText(host, parameter)));
  const path = segments.map((values) =>
    inPath.reduce(
      (made, { name }, at) => made.replace(`{${name}}`, () => encode(values[at]!)),
      described.path,
    ),
  );
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(described.method.toUpperCase()) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH'),
    },
  );
  return fc
    .record({
      method,
      path,
      query: makeQuery(host, parameters),
      headers: makeHeaders(host, described),
      body: makeBody(host, described, ownBodies),
    })
    .map(({ method: used, path: to, query, headers, body }) => ({
      method: used,
      target: query === '' ? to : `${to}?${query}`,
      headers: body?.mediaType === undefined ? headers : [['content-type', body.mediaType], ...headers],
      ...(body && { body: body.bytes }),
    }));
}

/** Encodes a text for a url. One with half of a surrogate pair gets bytes that are not UTF-8. */
const encode = (text: string): string =>
  text.isWellFormed() ? encodeURIComponent(text) : `${encodeURIComponent(text.toWellFormed())}%ED%A0%80`;

function makeText(host: Host, { name, schema, example }: Parameter): fc.Arbitrary<string> {
  const known = host.values.findWords(name);
  const examples = known.length > 0 ? known : example === undefined ? [] : [example];
  const accepted = host.values.accepted(schema, name).map(String);
  return fc.oneof(
    { weight: 4, arbitrary: examples.length > 0 ? fc.constantFrom(...examples) : accepted },
    { weight: 2, arbitrary: accepted },
    { weight: 2, arbitrary: hostileText },
    { weight: 1, arbitrary: mutate(examples.length > 0 ? fc.constantFrom(...examples) : accepted) },
  );
}

/** Texts of the arbitrary with one character changed, removed or added. */
const mutate = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      texts,
      fc.nat(200),
      fc.constantFrom('', '0', 'Z', '.', '~', '=', ' ', '\0', 'é', '-'),
      fc.boolean(),
    )
    .map(([text, at, put, keeps]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(keeps ? place : place + 1);
    });

const strayPairs = fc.constantFrom(
  '_=1',
  'unknown=1',
  '=',
  '&',
  '%',
  '%ZZ=1',
  'limit=1&limit=2',
  'a[]=1',
  '__proto__=1',
);

function makeQuery(host: Host, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const pairs = inQuery.map((parameter) => {
    const pair = makeText(host, parameter).map((value) => `${parameter.name}=${encode(value)}`);
    return fc.option(pair, { freq: parameter.required ? 20 : 2, nil: undefined });
  });
  return fc
    .tuple(fc.tuple(...pairs), fc.option(strayPairs, { freq: 1, nil: undefined }), fc.nat(30))
    .map(([own, stray, repeat]) => {
      const made = [...own, repeat < 3 ? stray : undefined].filter((pair) => pair !== undefined);
      return (repeat === 5 ? [...made, ...made.slice(0, 1)] : made).join('&');
    });
}

function makeHeaders(host: Host, described: DescribedOperation): fc.Arbitrary<FuzzRequest['headers']> {
  const own = host.api.listParameters(described).filter((parameter) => parameter.in === 'header');
  const named = own.map((parameter) =>
    fc.option(
      makeText(host, parameter).map(
        (value) => [parameter.name, value.replaceAll(/[^\x20-\x7e]/g, '')] as const,
      ),
      { freq: 1, nil: undefined },
    ),
  );
  return fc
    .tuple(credentialHeaders(host), sender, oddHeaders, fc.tuple(...named), fc.nat(9))
    .map(([credentials, from, odd, chosen, how]) => {
      return [
        ...credentials,
        from,
        ...(how < 2 ? odd : []),
        ...chosen.filter((header) => header !== undefined),
      ];
    });
}

const toJsonBody = (bytes: string): Body => ({ mediaType: 'application/json', bytes });

function makeBody(
  host: Host,
  { operation }: DescribedOperation,
  ownBodies: OwnBodies,
): fc.Arbitrary<Body | undefined> {
  const content = operation.requestBody?.content['application/json'];
  if (!content) {
    return fc.oneof(
      { weight: 30, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant({ mediaType: undefined, bytes: 'e30=' }) },
    );
  }
  const accepted = host.values.accepted(content.schema);
  const described = fc
    .oneof(
      { weight: 2, arbitrary: nearlyJson(accepted).map(encodeBody) },
      { weight: 4, arbitrary: nearlyJson(nearly(accepted)).map(encodeBody) },
      {
        weight: 1,
        arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      },
    )
    .map(toJsonBody);
  const own = ownBodies.get(operation.operationId);
  return own ? fc.oneof(own, described) : described;
}
