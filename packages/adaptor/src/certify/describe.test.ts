import { expect, test } from 'vitest';
import type {
  Authority,
  Bound,
  Certificate,
  Claim,
  PackageVersion,
  Sink,
  Source,
  Writers,
} from './claims.ts';
import { describeCertificate } from './describe.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const version = (originalId: string): PackageVersion => ({ originalId, id: originalId, version: '1' });
const [own, other, system] = [id('a'), id('b'), `0x${'0'.repeat(63)}2`];
const coin = `${system}::coin::Coin<${system}::sui::SUI>`;

const describe = (...claims: Claim[]) => describeWith({}, ...claims);
const describeWith = (
  tables: Partial<Pick<Certificate, 'functions' | 'writers' | 'authorities'>>,
  ...claims: Claim[]
) =>
  describeCertificate({
    functions: [],
    writers: [],
    authorities: [],
    ...tables,
    analysis: 1,
    package: version(own),
    module: 'vault',
    function: 'deposit',
    parameters: [`&mut ${other}::wallet::Wallet`, 'u64'],
    closure: [system, own, other].map(version),
    claims,
  } satisfies Certificate);
const texts = (...claims: Claim[]) => describe(...claims).sentences.map(({ text }) => text);

test('names of the package have no address, those of others a short name that stands for one version', () => {
  const { sentences, packages } = describe({
    kind: 'takes',
    verdict: 'may',
    source: { kind: 'wallet', parameter: 0 },
    type: coin,
    bounds: [
      { kind: 'equal', to: { kind: 'argument', parameter: 1 } },
      { kind: 'unbounded', from: [{ kind: 'state', path: `${own}::vault::Vault.fee` }, { kind: 'time' }] },
    ],
    repeated: true,
    evidence: [],
  });
  expect(packages).toEqual([{ name: '@P1', version: version(other) }]);
  expect(sentences[0]!.text).toBe(
    'Takes 0x2::coin::Coin<0x2::sui::SUI> from the wallet: exactly argument 2 (u64), and an amount computed from ' +
      'vault::Vault.fee, the time, more than once.',
  );
});

test('a module that is named as another package is in short cannot be confused with that package', () => {
  const { packages, sentences } = describe({
    kind: 'touches',
    verdict: 'may',
    access: 'reads',
    path: `${own}::P1::Pool.fees[${other}::P1::Pool]`,
    evidence: [],
  });
  expect(packages[0]!.name).toBe('@P1');
  expect(sentences[0]!.text).toBe('Reads P1::Pool.fees[@P1::P1::Pool].');
});

test('amounts are named as often as they are taken, what takes all first', () => {
  const amount: Bound = { kind: 'equal', to: { kind: 'constant', value: '5' } };
  const [text] = texts({
    kind: 'takes',
    verdict: 'may',
    source: { kind: 'wallet', parameter: 0 },
    type: 'T0',
    bounds: [amount, amount, { kind: 'all' }],
    repeated: false,
    evidence: [],
  });
  expect(text).toBe('Takes T0 from the wallet: all of it, and exactly 5, and exactly 5.');
});

test('an address in the code and a stored one are named in full, wherever the money comes from', () => {
  const goesTo = (verdict: 'always' | 'may', source: Source, sink: Sink): Claim => ({
    kind: 'goesTo',
    verdict,
    source,
    sink,
    type: 'T0',
    decidedBy: [],
    evidence: [],
  });
  const wallet: Source = { kind: 'wallet', parameter: 0 };
  const stored: Sink = { kind: 'storedAddress', path: `${other}::bank::Bank.treasury` };
  expect(
    texts(
      goesTo('may', wallet, { kind: 'constantAddress', address: id('d') }),
      goesTo('always', { kind: 'made' }, stored),
      goesTo('always', wallet, { kind: 'burned' }),
      { ...goesTo('may', wallet, { kind: 'unread' }), decidedBy: [{ kind: 'sender' }] } as Claim,
    ),
  ).toEqual([
    `T0 from the wallet may go to ${id('d')}, an address in the code.`,
    'T0 made in the call always goes to the address that is stored in @P1::bank::Bank.treasury.',
    'T0 from the wallet is always burned.',
    'T0 from the wallet may go to code that was not read, decided by the sender.',
  ]);
});

test('each writer of a field that steers is named with all that it needs', () => {
  const authorities: Authority[] = [
    { kind: 'capability', type: `${own}::vault::AdminCap` },
    { kind: 'sender', path: `${own}::vault::Vault.admin` },
  ];
  const writers: Writers = {
    list: [
      { function: 0, needs: [], evidence: [] },
      {
        function: 1,
        needs: [0, 1],
        evidence: [],
      },
    ],
    others: 'unread',
  };
  const { sentences } = describeWith(
    { functions: [`${own}::vault::open_fee`, `${own}::vault::set_fee`], writers: [writers], authorities },
    {
      kind: 'steers',
      verdict: 'may',
      path: `${own}::vault::Vault.fee`,
      reaches: 'amount',
      writers: 0,
      evidence: [],
    },
  );
  expect(sentences.map(({ text }) => text)).toEqual([
    'vault::Vault.fee decides an amount. vault::open_fee (called by anyone), vault::set_fee (called with vault::AdminCap, ' +
      'called by the address in vault::Vault.admin) may change it. Code that was not read may change it.',
  ]);
});

test('fields that are read share a sentence, and the end of a kind distinguishes nothing from nothing else', () => {
  const touches = (access: 'reads' | 'writes', field: string): Claim => ({
    kind: 'touches',
    verdict: 'may',
    access,
    path: `${own}::vault::Vault.${field}`,
    evidence: [],
  });
  const { sentences } = describe(
    { kind: 'takes', verdict: 'cannot', rest: true },
    touches('reads', 'a'),
    touches('reads', 'b'),
    touches('writes', 'b'),
    { kind: 'touches', verdict: 'cannot', rest: true },
    { kind: 'droppedCheck', verdict: 'unread', rest: true },
  );
  expect(sentences.map(({ text, claims }) => [text, claims.length])).toEqual([
    ['Takes nothing from the wallet or an argument.', 1],
    ['Reads vault::Vault.a, vault::Vault.b.', 2],
    ['Writes vault::Vault.b.', 1],
    ['Reads and writes no other stored data.', 1],
    ['Code that was not read may ignore results of checks.', 1],
  ]);
});

test('rights to upgrade, and code that was not read, are stated', () => {
  const upgrade = (facts: (Claim & { kind: 'upgrade' })['facts'], versionGates: string[] = []): Claim => ({
    kind: 'upgrade',
    verdict: 'may',
    ...(facts && { facts }),
    versionGates,
  });
  expect(
    texts(
      upgrade({ policy: 'compatible', holder: { kind: 'address', id: id('c') }, olderVersions: 2 }),
      upgrade({ policy: 'immutable', olderVersions: 1 }),
      upgrade({ policy: 'immutable', olderVersions: 0 }, [`${own}::vault::Vault.version`]),
      upgrade(undefined),
      { kind: 'notRead', verdict: 'unread', reason: 'native', what: `${own}::vault::odd`, evidence: [] },
      { kind: 'notRead', verdict: 'unread', reason: 'bound', what: 'steps', evidence: [] },
    ),
  ).toEqual([
    `The package may be upgraded (compatible) by the address ${id('c')}. 2 older versions stay callable. No stored version disables this version.`,
    'The package cannot be upgraded. 1 older version stays callable. No stored version disables this version.',
    'The package cannot be upgraded. vault::Vault.version must equal a constant of this version.',
    'The rights to upgrade the package were not read. No stored version disables this version.',
    'Not read: the native vault::odd.',
    'Not read: the analysis reached its bound on steps.',
  ]);
});
