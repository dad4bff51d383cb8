import { expect, test } from 'vitest';
import { extractProse } from './prose.ts';
import { findWords, judge, rules } from './words.ts';

const found = (path: string, text: string) =>
  findWords(path, text).map(({ line, words }) => `${line}: ${words}`);

test('comments and texts of TypeScript are read, names, paths and code are not', () => {
  const source = [
    "import { lane } from './lane.ts';",
    '/** The caller, whoever it is. `whoever` is a name here. */',
    'const lanes = "lane" + names.lane; // Read anew.',
    "const title = 'The stream ceased';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
    'const text = `All of ${names.map((name) => `${name} bears`)} are told ${lane} anew`;',
    'const pattern = /[/"] anew/.test(text) ? 1 / 2 : 2; // cease to divide',
  ].join('\n');
  expect(found('a.ts', source)).toEqual([
    '2: whoever',
    '3: anew',
    '4: ceased',
    '5: anew',
    '5: bears',
    '5: are told',
    '6: cease',
  ]);
});

test('a phrase is found across the lines of one comment, and not across two texts', () => {
  expect(found('a.ts', '/**\n * The client is\n * told of it.\n */')).toEqual(['2: is told', '3: told of']);
  expect(found('a.ts', '// It is\n// told twice.')).toEqual(['1: is told']);
  expect(found('a.ts', "f('what is', 'told here');")).toEqual([]);
});

test('Markdown is read without code, quoted code and addresses', () => {
  const text = 'Read `anew`.\n\n```sh\nlane --anew\n```\n\nSee [the lane](docs/lane-anew.md), read\nanew.';
  expect(found('a.md', text)).toEqual(['7: lane', '8: anew']);
});

test('comments of Move, SQL and YAML are read, their code is not', () => {
  expect(found('a.move', '/// Read anew.\nfun anew() { lane() }')).toEqual(['1: anew']);
  expect(
    found('a.sql', "select anew; -- anew\ncomment on x is 'Where nothing happens at present.';"),
  ).toEqual(['1: anew', '2: at present']);
  expect(found('a.yml', 'anew: lane # anew\n')).toEqual(['1: anew']);
});

test('lines and offsets stay those of the file', () => {
  const text = "const a = 'é anew';\r\n\n// anew";
  const prose = extractProse('a.ts', text);
  expect(prose.length).toBe(text.length);
  expect(prose.split('\n').length).toBe(3);
});

test.each([
  ['The key is used no more.', 'no more'],
  ['A job that is no more', 'is no more'],
  ['The publisher is no address', 'is no address'],
  ['Nobody is signed in', 'nobody'],
  ['The process tells its metrics', 'tells its'],
  ['what amount is to be', 'is to be'],
  ['It broke off', 'broke off'],
])('%j is refused', (text, words) => {
  expect(findWords('a.md', text).map((finding) => finding.words)).toContain(words);
});

test.each([
  'It takes no more than its limit, and no more coins.',
  'There is no command of this name; it is no longer served.',
  'Authorization: a bearer token.',
  'The planes and bearers of the ceasefire.',
  'A package that nobody has called',
])('%j is right', (text) => expect(findWords('a.md', text)).toEqual([]));

test('an entry of the allow list allows its words in its file, and is refused if it allows nothing', () => {
  const findings = findWords('docs/a.md', 'The lane, anew.');
  const entry = { path: 'docs/a.md', words: ['lane'], reason: 'a road' };
  expect(judge(findings, [entry]).refused.map(({ words }) => words)).toEqual(['anew']);
  expect(judge(findings, [{ path: 'docs/', reason: 'all' }])).toEqual({ refused: [], unused: [] });
  expect(judge(findings, [{ path: 'docs/b.md', reason: 'gone' }]).unused).toHaveLength(1);
});

test('each rule names better words', () => {
  for (const { better } of rules) expect(better.length).toBeGreaterThan(3);
});
