/** A request to the API, as a reader sends it. */
export interface ApiRequest {
  /** Scheme and host of the API. */
  origin: string;
  operationId: string;
  /** In upper case. */
  method: string;
  /** Path with `{name}` for its parameters. */
  path: string;
  /** Values by part of the request. Empty ones are not sent. */
  parameters: readonly RequestParameter[];
  /** Header of the required credential. */
  credential?: 'x-api-key' | 'authorization' | undefined;
  /** JSON text. */
  body?: string | undefined;
  /** `true` if the response is a stream of lines. */
  isStream: boolean;
}

interface RequestParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  value: string;
  isNumber: boolean;
}

/** Data that the page passes to its script: the request, and the examples of its body by name. */
export interface RequestData {
  request: ApiRequest;
  examples: Readonly<Record<string, unknown>>;
}

export const sampleLanguages = ['curl', 'JavaScript', 'Python'] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

const selectParameters = ({ parameters }: ApiRequest, part: RequestParameter['in']) =>
  parameters.filter((one) => one.in === part && (part === 'path' || one.value !== ''));

/** Encodes a value for a path. Colons stay, because types are easier to read with them. */
const encodeSegment = (value: string) => encodeURIComponent(value).replaceAll('%3A', ':');

/** Returns the path and the query of a request. A parameter of the path without a value keeps its name in braces. */
export function buildTarget(request: ApiRequest): string {
  const values = new Map(selectParameters(request, 'path').map(({ name, value }) => [name, value]));
  const path = request.path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    values.get(name) ? encodeSegment(values.get(name)!) : whole,
  );
  const query = selectParameters(request, 'query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeSegment(value)}`)
    .join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** Renders a request as a program in one of the languages. */
export function renderSample(language: SampleLanguage, request: ApiRequest): string {
  if (language === 'curl') return renderCurl(request);
  return language === 'JavaScript' ? renderJavaScript(request) : renderPython(request);
}

const quoteShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function renderCurl(request: ApiRequest): string {
  const { origin, method, credential, body, isStream } = request;
  const options = `${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`}`;
  return [
    `curl${options} ${quoteShell(origin + buildTarget(request))}`,
    ...(credential === 'x-api-key' ? ['-H "x-api-key: $API_KEY"'] : []),
    ...(credential === 'authorization' ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...selectParameters(request, 'header').map(({ name, value }) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoteShell(body)}`]),
  ].join(' \\\n  ');
}

/** Methods of the SDK that read streams, by operation. */
const streamMethods: Readonly<Record<string, string>> = {
  runAction: 'runAction',
  streamEvents: 'events',
  streamServiceEvents: 'serviceEvents',
};

function renderJavaScript(request: ApiRequest): string {
  const { origin, operationId, credential, isStream } = request;
  const stream = streamMethods[operationId];
  if (isStream && stream === undefined) return renderFetch(request);
  const secret =
    credential === undefined
      ? ''
      : `, ${credential === 'x-api-key' ? 'apiKey: process.env.API_KEY' : 'token: process.env.TOKEN'}`;
  const body = parseBody(request);
  const head = `import { createMarketplace } from '@adaptor-marketplace/sdk';

const market = createMarketplace({ baseUrl: ${quoteScript(origin)}${secret} });\n`;
  if (stream !== undefined) {
    const given = body ?? Object.fromEntries(selectParameters(request, 'query').map(pickValue));
    const argument = Object.keys(given as object).length === 0 ? '' : printLiteral(given, script);
    return `${head}for await (const item of market.${stream}(${argument})) console.log(item);\n`;
  }
  const parts = {
    ...Object.fromEntries(
      (['path', 'query', 'header'] as const).flatMap((part) => {
        const values = selectParameters(request, part).map(pickValue);
        return values.length === 0
          ? []
          : [[part === 'header' ? 'headers' : part, Object.fromEntries(values)]];
      }),
    ),
    ...(body !== undefined && { body }),
  };
  const argument = Object.keys(parts).length === 0 ? '' : printLiteral(parts, script);
  return `${head}const answer = await market.api.${operationId}(${argument});\nconsole.log(answer);\n`;
}

/** Renders the read of a stream that the SDK has no method for. All of these are GET requests without a body. */
function renderFetch(request: ApiRequest): string {
  const secrets = {
    'x-api-key': `{ 'x-api-key': process.env.API_KEY }`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the sample.
    authorization: '{ authorization: `Bearer ${process.env.TOKEN}` }',
  };
  const options = request.credential === undefined ? '' : `, { headers: ${secrets[request.credential]} }`;
  return `const response = await fetch(${quoteScript(request.origin + buildTarget(request))}${options});
for await (const part of response.body ?? []) process.stdout.write(part);\n`;
}

function renderPython(request: ApiRequest): string {
  const { method, credential, isStream } = request;
  const values = new Map(selectParameters(request, 'query').map(pickValue));
  const path = buildTarget({ ...request, parameters: request.parameters.filter((one) => one.in === 'path') });
  const headers = [
    ...(credential === 'x-api-key' ? [`"x-api-key": os.environ["API_KEY"]`] : []),
    ...(credential === 'authorization' ? [`"authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...selectParameters(request, 'header').map(
      ({ name, value }) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    ),
  ];
  const body = parseBody(request);
  const lines = [
    `requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(request.origin + path)},`,
    ...(values.size === 0 ? [] : [`    params=${printLiteral(Object.fromEntries(values), python, 1)},`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body === undefined ? [] : [`    json=${printLiteral(body, python, 1)},`]),
    ...(isStream ? ['    stream=True,'] : []),
    ')',
  ];
  const imports = credential === undefined ? 'import requests' : 'import os\nimport requests';
  const end = isStream
    ? 'for line in response.iter_lines():\n    print(line.decode())'
    : 'print(response.status_code, response.text)';
  return `${imports}\n\nresponse = ${lines.join('\n')}\nresponse.raise_for_status()\n${end}\n`;
}

/** Returns the name and the value. A number that a script would round stays a text. */
const pickValue = ({ name, value, isNumber }: RequestParameter): [string, unknown] => [
  name,
  isNumber && /^-?\d+$/.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value,
];

/** Parses the body. A text that is not JSON stays a text. */
function parseBody({ body }: ApiRequest): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Spelling of values in a language. */
interface Spelling {
  indent: string;
  quote(text: string): string;
  key(name: string): string;
  constants: Readonly<Record<string, string>>;
}

const quoteScript = (text: string) =>
  text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`;

const script: Spelling = {
  indent: '  ',
  quote: quoteScript,
  key(name) {
    // In a literal, this name sets the prototype unless it is computed.
    if (name === '__proto__') return `['__proto__']`;
    return /^[A-Za-z_]\w*$/.test(name) ? name : quoteScript(name);
  },
  constants: {},
};
const python: Spelling = {
  indent: '    ',
  quote: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  constants: { true: 'True', false: 'False', null: 'None' },
};

/** Characters of an object or array on one line. */
const lineMax = 60;

/** Prints a JSON value as a literal of a language. Short objects and arrays are on one line. */
function printLiteral(value: unknown, spelling: Spelling, level = 0): string {
  if (typeof value === 'string') return spelling.quote(value);
  if (typeof value !== 'object' || value === null)
    return spelling.constants[String(value)] ?? JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([name, one]) => {
    const printed = printLiteral(one, spelling, level + 1);
    return isList ? printed : `${spelling.key(name)}: ${printed}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  const line = items.join(', ');
  const space = isList || spelling === python ? '' : ' ';
  if (line.length <= lineMax && !line.includes('\n')) return `${open}${space}${line}${space}${close}`;
  const margin = spelling.indent.repeat(level);
  return `${open}\n${items.map((item) => `${margin}${spelling.indent}${item},\n`).join('')}${margin}${close}`;
}
