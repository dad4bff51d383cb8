import { expect, test } from 'vitest';
import { render } from '../components/html.ts';
import type { Operation } from '../words/operation.ts';
import type { CertifiedFunction } from './adaptor-data.ts';
import { codeCanDo } from './certificate-part.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;

const operation = (label: string): Operation => ({
  kind: 'pay',
  module: 'jar',
  entry: 'tip',
  label,
  executable: true,
  reason: null,
  coinIn: null,
  coinOut: null,
  call: null,
  calls: null,
});

const sentence = (text: string, kind = 'takes', verdict = 'may') => ({
  kind,
  verdict,
  text,
  path: [],
  callsBefore: 0,
});

const certified = (change: Partial<CertifiedFunction> = {}): CertifiedFunction => ({
  packageId: id('a'),
  module: 'jar',
  name: 'tip',
  parameters: [],
  operations: [0],
  state: 'COMPUTED',
  reason: null,
  sentences: [sentence('Takes all.')],
  sentenceCount: 1,
  packages: [],
  ...change,
});

function show(functions: CertifiedFunction[], labels = ['Tip'], hasSource = false): string {
  const certificate = { state: 'COMPUTED', reason: null, functions, hasMoreFunctions: false };
  const listing = {
    serviceType: `${id('a')}::jar::Jar`,
    packageId: id('a'),
    operations: labels.map(operation),
    certificate,
  };
  return render(codeCanDo(listing, { network: 'testnet', publisher: id('c'), hasSource }));
}
/** Text of the page, without its tags. */
const toText = (page: string) => page.replace(/<[^>]*>/g, '');

test('the first three names of the publisher are shown, and the others are counted', () => {
  const labels = ['Tip', 'Give', 'Donate', 'Send', 'Pay'];
  const shown = (count: number) =>
    toText(show([certified({ operations: labels.keys().toArray().slice(0, count) })], labels));
  expect(shown(5)).toContain("Called by the publisher's operations “Tip”, “Give”, “Donate” and 2 more");
  expect(shown(3)).toContain("Called by the publisher's operations “Tip”, “Give”, “Donate”");
  expect(shown(3)).not.toContain('more');
  expect(shown(1)).toContain("Called by the publisher's operation “Tip”");
});

test('a heading has no words of the publisher, which are shown as text', () => {
  const page = show([certified()], ['<b>Takes nothing</b>\u202e at all']);
  expect(page.match(/<h3>.*?<\/h3>/)![0]).toBe('<h3><code><bdi>jar::tip</bdi></code></h3>');
  expect(page).toContain('&lt;b>Takes nothing&lt;/b>');
  expect(page).toContain('[U+202E]');
});

test('the claims about a function lead to its lines in verified source, if the source is of its package', () => {
  const functions = [certified(), certified({ packageId: id('b'), name: 'other' })];
  const links = (hasSource: boolean) =>
    [...show(functions, ['Tip'], hasSource).matchAll(/<h3><a href="([^"]*)">/g)].map(([, href]) => href);
  expect(links(true)).toEqual([
    `/a/testnet/${id('a')}::jar::Jar/source?publisher=${id('c')}&amp;function=jar%3A%3Atip`,
  ]);
  expect(links(false)).toEqual([]);
});

test('a function and a step of another package are not shown as those of the listing', () => {
  const step = { function: `${id('b')}::jar::tip`, instruction: 4 };
  const page = show([
    certified(),
    certified({ packageId: id('b'), sentences: [{ ...sentence('Takes all.'), path: [step] }] }),
  ]);
  const headings = [...page.matchAll(/<h3>.*?<\/h3>/g)].map(([heading]) => toText(heading));
  expect(headings).toEqual(['jar::tip', 'jar::tip of package 0xbbbb…bbbb']);
  expect(toText(page)).toContain('0xbbbb…bbbb::jar::tip, instruction 4');
});

test('with many functions, each still says where money goes before what does not happen', () => {
  const sentences = [
    sentence('Takes all.'),
    sentence('Takes nothing else.', 'takes', 'cannot'),
    sentence('It goes to an address in the code.', 'goesTo', 'always'),
    sentence('Nothing goes elsewhere.', 'goesTo', 'cannot'),
    sentence('Reads a field.', 'touches'),
  ];
  const functions = Array.from({ length: 10 }, () => certified({ sentences, sentenceCount: 5 }));
  const text = toText(show(functions));
  expect(text.split('It goes to an address in the code.')).toHaveLength(11);
  expect(text.split('3 more sentences are in the JSON.')).toHaveLength(11);
});

test('a sentence that excludes something is not negated again, and packages are in the order of their names', () => {
  const names = ['@P10', '@P2'];
  const text = toText(
    show([
      certified({
        sentences: [
          sentence('Nothing goes elsewhere.', 'goesTo', 'cannot'),
          sentence('Takes @P10::a::A, @P2::b::B.'),
        ],
        packages: names.map((name) => ({ name, packageId: id('b') })),
      }),
    ]),
  );
  expect(text).toContain('excluded Nothing goes elsewhere.');
  expect(text).not.toContain('cannot');
  expect(text).toMatch(/@P2 is 0xb+@P10 is/);
});
