import { describe, expect, test } from 'vitest';
import type { Policy } from '../../../db/queries/wallets/policies.ts';
import type { BearerCap, ScopedCap } from '../../../lib/chain/caps.ts';
import { address } from '../../../test/support/read-model.ts';
import { type CapFacts, describeCap } from './delegations.ts';

const walletPackageId = address(0xaa);
const allowlistRule = `${address(0xbb)}::rule::RecipientAllowlist`;
const capAuth = `${walletPackageId}::cap_auth::CapAuth`;
const scopedAuth = `${walletPackageId}::sub_delegate::ScopedAuth`;
const scopedBudget = `${walletPackageId}::sub_delegate::ScopedBudget`;
const walletId = `0x12ab${'0'.repeat(56)}34cd`;

const bearer: BearerCap = { kind: 'bearer', id: address(1), walletId, policyVersion: 2 };
const scoped: ScopedCap = {
  kind: 'scoped',
  id: address(3),
  walletId,
  policyVersion: 2,
  coin: `${address(2)}::sui::SUI`,
  remaining: '12500000000',
  depth: 1,
  maxDepth: 3,
  parent: address(4),
  ancestors: [address(5), address(4)],
};

type Rule = [kind: 'auth' | 'caveat', rule: string, forAuth?: string];

function policy(rules: Rule[], changed: Partial<Policy> = {}): Policy {
  return {
    walletId,
    version: 2,
    spendInto: false,
    walletPaused: false,
    rules: rules.map(([kind, rule, forAuth = null]) => ({ kind, rule, forAuth })),
    allowlist: null,
    ...changed,
  };
}

const facts = (changed: Partial<CapFacts>): CapFacts => ({
  walletPackageId,
  allowlistRule,
  guards: { caveatsRequired: true, spendIntoGuarded: true },
  policy: policy([
    ['auth', scopedAuth],
    ['caveat', scopedBudget, scopedAuth],
    ['auth', capAuth],
    ['caveat', allowlistRule],
  ]),
  revokedCaps: new Set(),
  unit: { decimals: 9, symbol: 'SUI' },
  ...changed,
});

const allowlist = (count: number) => ({
  allowlistId: address(7),
  recipients: Array.from({ length: count }, (_, n) => address(0x70 + n)),
});

describe('a scoped cap', () => {
  test('says what is left of it, to whom, and how far it can be split', () => {
    const rules: Rule[] = [
      ['auth', scopedAuth],
      ['caveat', scopedBudget, scopedAuth],
      ['caveat', allowlistRule],
    ];
    const found = describeCap(scoped, facts({ policy: policy(rules, { allowlist: allowlist(3) }) }));
    expect(found).toEqual({
      capId: scoped.id,
      kind: 'scoped',
      walletId,
      revoked: false,
      policyVersion: 2,
      vaultVersion: 2,
      coin: scoped.coin,
      remaining: '12500000000',
      remainingHuman: '12.5',
      depth: 1,
      maxDepth: 3,
      canSubdelegate: true,
      conditions: [
        'At most 12.5 SUI may be spent.',
        "Money may go only to the 3 recipients on the owner's list.",
      ],
      allowlist: allowlist(3).recipients,
      allowlistId: address(7),
      enforcesAllowlist: true,
      summary:
        'Its holder may spend at most 12.5 SUI from wallet 0x12ab…34cd. ' +
        "Money may go only to the 3 recipients on the owner's list. " +
        'Parts of it may be given to others, 2 levels deep.',
    });
  });

  test('of an unknown coin is shown in base units', () => {
    const free = policy([
      ['auth', scopedAuth],
      ['caveat', scopedBudget],
    ]);
    const found = describeCap(scoped, facts({ unit: undefined, policy: free }));
    expect(found).not.toHaveProperty('remainingHuman');
    expect(found.conditions).toEqual([
      'At most 12500000000 base units of SUI may be spent.',
      'Money may go to anyone.',
    ]);
  });

  test('that is spent, or at its greatest depth, cannot be split', () => {
    const free = policy([
      ['auth', scopedAuth],
      ['caveat', scopedBudget],
    ]);
    expect(describeCap({ ...scoped, remaining: '0' }, facts({ policy: free }))).toMatchObject({
      canSubdelegate: false,
      conditions: ['Nothing may be spent because the budget is used up.'],
      summary: 'Opens nothing in wallet 0x12ab…34cd now. Nothing may be spent because the budget is used up.',
    });
    expect(describeCap({ ...scoped, depth: 3 }, facts({})).canSubdelegate).toBe(false);
    expect(describeCap({ ...scoped, depth: 2 }, facts({})).summary).toContain('1 level deep');
  });
});

describe('a bearer cap', () => {
  test('has no budget to show', () => {
    const found = describeCap(bearer, facts({}));
    for (const field of ['coin', 'remaining', 'remainingHuman', 'depth', 'maxDepth']) {
      expect(found).not.toHaveProperty(field);
    }
    expect(found).toMatchObject({ kind: 'bearer', canSubdelegate: false, revoked: false });
    const free = policy([
      ['auth', capAuth],
      ['caveat', `${address(9)}::guards::OraclePriceGuard`],
    ]);
    expect(describeCap(bearer, facts({ policy: free })).summary).toBe(
      'Its holder may spend any amount of any coin from wallet 0x12ab…34cd. ' +
        'The rule "Oracle price guard" must agree to each spend.',
    );
  });

  test('opens nothing where the policy asks all caps for a budget', () => {
    const rules: Rule[] = [
      ['auth', capAuth],
      ['caveat', scopedBudget],
    ];
    expect(describeCap(bearer, facts({ policy: policy(rules) })).conditions).toEqual([
      'Nothing may be spent because the policy asks for a budget, which only scoped caps have.',
    ]);
  });

  test('without any caveat opens nothing, or everything, as the wallet package has it', () => {
    const bare = policy([['auth', capAuth]]);
    expect(describeCap(bearer, facts({ policy: bare })).conditions).toEqual([
      'Nothing may be spent before the owner sets a condition for bearer caps.',
    ]);
    const deployed = { caveatsRequired: false, spendIntoGuarded: false };
    expect(describeCap(bearer, facts({ policy: bare, guards: deployed })).conditions).toEqual([
      'Money may go to anyone.',
      'It may also be used within the same transaction.',
    ]);
  });

  test("is not bound by another auth rule's caveats", () => {
    const rules: Rule[] = [
      ['auth', capAuth],
      ['auth', scopedAuth],
      ['caveat', allowlistRule, scopedAuth],
      ['caveat', `${address(9)}::guards::OraclePriceGuard`, capAuth],
    ];
    const found = describeCap(bearer, facts({ policy: policy(rules, { allowlist: allowlist(1) }) }));
    expect(found.conditions).toEqual(['The rule "Oracle price guard" must agree to each spend.']);
    expect(found.enforcesAllowlist).toBe(false);
  });
});

describe('a cap is revoked', () => {
  test.each<[string, Partial<CapFacts>, string]>([
    ['by a new version of the policy', { policy: policy([], { version: 3 }) }, 'every cap of the wallet'],
    ['by its own id', { revokedCaps: new Set([scoped.id]) }, 'revoked this cap'],
    ['by its parent', { revokedCaps: new Set([address(4)]) }, 'was split from'],
    ["by its parent's parent", { revokedCaps: new Set([address(5)]) }, 'was split from'],
    ['by the loss of trust in its kind', { policy: policy([['auth', capAuth]]) }, 'trusts no scoped caps'],
  ])('%s', (_, changed, reason) => {
    const found = describeCap(scoped, facts(changed));
    expect([found.revoked, found.canSubdelegate]).toEqual([true, false]);
    expect(found.summary).toMatch(/^Revoked: .*\.$/);
    expect(found.summary).toContain(reason);
    expect(found.conditions).toEqual([expect.stringMatching(/^Nothing may be spent because .*\.$/)]);
  });

  test('by its parent also where the package names no other ancestors', () => {
    const { ancestors: _, ...foreign } = scoped;
    expect(describeCap(foreign, facts({ revokedCaps: new Set([address(4)]) })).revoked).toBe(true);
  });

  test('not because the index is behind the chain', () => {
    expect(describeCap({ ...bearer, policyVersion: 3 }, facts({})).revoked).toBe(false);
    const unknown = describeCap(bearer, facts({ policy: undefined }));
    expect(unknown).toMatchObject({ revoked: false, vaultVersion: 0, allowlist: null });
    expect(unknown.conditions).toEqual([expect.stringContaining('not known yet')]);
  });
});

describe('a list of recipients', () => {
  const rules: Rule[] = [
    ['auth', capAuth],
    ['caveat', allowlistRule],
  ];
  test.each<[Partial<Policy>, string]>([
    [{ allowlist: allowlist(1) }, "Money may go only to the one recipient on the owner's list."],
    [{ allowlist: allowlist(0) }, "Nothing may be spent because the owner's list of recipients is empty."],
    [{ allowlist: null }, 'Nothing may be spent before the owner makes a list of recipients.'],
  ])('%o is described as it is', (changed, condition) => {
    const found = describeCap(bearer, facts({ policy: policy(rules, changed) }));
    expect([found.conditions, found.enforcesAllowlist]).toEqual([[condition], true]);
  });

  test('is not enforced where spends may go into the transaction', () => {
    const loose = policy(rules, { allowlist: allowlist(2), spendInto: true });
    const found = describeCap(bearer, facts({ policy: loose }));
    expect(found.enforcesAllowlist).toBe(false);
    expect(found.conditions.at(-1)).toContain('no recipient is checked');
  });
});

test('is never enforced on a wallet package whose confirm_spend_into is always open', () => {
  const listed = policy(
    [
      ['auth', capAuth],
      ['auth', scopedAuth],
      ['caveat', allowlistRule],
    ],
    { allowlist: allowlist(2) },
  );
  const guards = { caveatsRequired: false, spendIntoGuarded: false };
  for (const cap of [bearer, scoped]) {
    const found = describeCap(cap, facts({ policy: listed, guards }));
    expect(found).toMatchObject({ enforcesAllowlist: false, allowlist: allowlist(2).recipients });
    expect(found.conditions.at(-1)).toContain('no recipient is checked');
    expect(found.summary).toContain('no recipient is checked');
  }
});

test('a paused wallet pays nobody, and its caps say so', () => {
  const paused = policy(
    [
      ['auth', capAuth],
      ['caveat', allowlistRule],
    ],
    { walletPaused: true, allowlist: allowlist(1) },
  );
  expect(describeCap(bearer, facts({ policy: paused })).conditions).toEqual([
    'Nothing may be spent while the owner has the wallet paused.',
  ]);
});
