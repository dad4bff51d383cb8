import { bcs } from '@mysten/sui/bcs';
import { type Check, changed, grown, least, mapValue, type Step, sum } from './step.ts';
import type { View, WalletView } from './view.ts';

const unlimited = 2n ** 64n - 1n;
/** Larger than the sum of all coins. */
const noLimit = 2n ** 70n;
/** Rules for the money, the rights and the assets of a wallet. */
export const walletRules: Readonly<Record<string, Check>> = {
  'only what was granted leaves a wallet': (step) =>
    strangersTo(step).flatMap(([before, after]) =>
      [...before.balances].flatMap(([coin, balance]) => {
        const out = balance - mapValue(after.balances, coin, 0n);
        if (out <= 0n) return [];
        if (before.paused) return [`a paused wallet paid ${out}`];
        const services = sum(
          [...before.allowances.keys()].map((key) => boundByGrant(step, before, after, key, coin)),
        );
        const bound = services + boundByPolicy(step, before, coin);
        return out <= bound ? [] : [`${out} left, at most ${bound} was granted`];
      }),
    ),

  'a spend goes to an allowed recipient': (step) =>
    strangersTo(step).flatMap(([before]) =>
      listSpends(step, before.id).flatMap(({ auth, recipient }) => {
        const list = step.before.lists.get(
          mapEntry(before.policy?.ruleObjects, '::rule::RecipientAllowlist') ?? '',
        );
        const isBound = listCaveats(before, auth).some((rule) => rule.endsWith('::RecipientAllowlist'));
        if (!isBound || (list?.version === 1 && list.allowed.includes(recipient))) return [];
        return [`${recipient} is not on the list`];
      }),
    ),

  'only the owner changes rights': (step) =>
    strangersTo(step).flatMap(([before, after]) => [
      ...grown('grant', before.allowances, after.allowances),
      ...grown('pull', before.pulls, after.pulls),
      ...grown('budget', before.budgets, after.budgets),
      ...grown('cap', authority(step.before, before), authority(step.after, after)),
      ...changed('grants', [...before.allowances.keys()], [...after.allowances.keys()]),
      ...changed('expiries', before.expiries, after.expiries),
      ...changed('policy', before.policy?.settings, after.policy?.settings),
      ...changed('revoked caps', before.policy?.revoked, after.policy?.revoked),
      ...changed('lists', findLists(step.before, before.id), findLists(step.after, before.id)),
      ...changed(
        'state',
        [before.owner, before.offeredTo, before.paused, before.version],
        [after.owner, after.offeredTo, after.paused, after.version],
      ),
      ...[...after.bindings]
        .filter((binding) => !before.bindings.has(binding) && !isByGrantee(before, binding))
        .map((binding) => `${binding} was bound without a grant`),
    ]),

  'an asset leaves only to its owner or its service': (step) =>
    strangersTo(step).flatMap(([before, after]) =>
      [...before.assets].flatMap(([id, { service }]) => {
        if (after.assets.has(id)) return [];
        if (service !== null && isByGrantee(before, service)) return [];
        return [`${id} of ${service ?? 'the owner'} left`];
      }),
    ),

  'an expired delegate spends nothing': (step) =>
    strangersTo(step).flatMap(([before, after]) =>
      [...before.budgets].flatMap(([key, budget]) => {
        const expiry = before.expiries.get(key.split(' ')[0]!);
        const isOver = typeof expiry === 'bigint' && expiry <= step.nowMs;
        return isOver && after.budgets.get(key) !== budget ? [`the budget ${key} was spent`] : [];
      }),
    ),

  'the ownership goes only where it was offered': ({ program: { sender }, before, after }) =>
    [...before.wallets.values()].flatMap(({ id, owner, offeredTo }) => {
      const now = after.wallets.get(id)!.owner;
      return now === owner || (now === sender && now === offeredTo) ? [] : [`${id} went to ${now}`];
    }),
};

/** Wallets before and after, of which the sender is not the owner and does not become it. */
function strangersTo({ program: { sender }, before, after }: Step): [WalletView, WalletView][] {
  return [...before.wallets.values()].flatMap((wallet): [WalletView, WalletView][] => {
    const now = after.wallets.get(wallet.id);
    if (now === undefined) throw new Error('a wallet is gone');
    return wallet.owner === sender || now.owner === sender ? [] : [[wallet, now]];
  });
}

/** The most of `coin` that one grant explains: what it lost, by the sender's budgets or by the service's pull. */
function boundByGrant(
  { program: { sender }, nowMs }: Step,
  before: WalletView,
  after: WalletView,
  key: string,
  coin: string,
): bigint {
  const [service, granted] = key.split(' ') as [string, string];
  if (granted !== coin || before.version !== 1) return 0n;
  const expiry = before.expiries.get(sender);
  const isOver = expiry === undefined || (expiry !== null && expiry <= nowMs);
  const lost = (fields: 'allowances' | 'pulls' | 'budgets', name: string) => {
    const had = mapValue(before[fields], name, 0n);
    return had === unlimited ? noLimit : had - mapValue(after[fields], name, 0n);
  };
  const own = isOver
    ? 0n
    : least(lost('budgets', `${sender} service ${service}`), lost('budgets', `${sender} coin ${coin}`));
  return least(lost('allowances', key), own + lost('pulls', key));
}

/** The most of `coin` that the policy explains: what scoped caps lost, or no limit if a rule needs no scoped cap. */
function boundByPolicy(step: Step, wallet: WalletView, coin: string): bigint {
  const { policy } = wallet;
  if (policy === undefined || wallet.version !== 1) return 0n;
  const { program, before, after } = step;
  const brought = program.inputs.flatMap((input) => {
    const cap = input.kind === 'object' ? before.caps.get(input.object.id) : undefined;
    return cap?.walletId === wallet.id ? [cap] : [];
  });
  const current = brought.filter(
    ({ id, policyVersion, scoped }) =>
      policyVersion === policy.version &&
      ![id, ...(scoped?.ancestors ?? [])].some((each) => policy.revoked.has(each)),
  );
  const scoped = current.filter((cap) => cap.scoped?.coin === coin);
  const now = after.wallets.get(wallet.id)!;
  const lost =
    scoped.length === 0
      ? 0n
      : mapValue(authority(before, wallet), coin, 0n) - mapValue(authority(after, now), coin, 0n);
  const bounds = [...policy.authRules.keys()].map((rule) => {
    const isProven = rule.endsWith('::CapAuth')
      ? current.some((cap) => cap.scoped === undefined)
      : !rule.endsWith('::ScopedAuth') || scoped.length > 0;
    const caveats = listCaveats(wallet, rule);
    if (!isProven || caveats.length === 0) return 0n;
    return caveats.some((caveat) => caveat.endsWith('::ScopedBudget')) || rule.endsWith('::ScopedAuth')
      ? lost
      : noLimit;
  });
  const spent = sum(listSpends(step, wallet.id).map((spend) => (spend.coin === coin ? spend.amount : 0n)));
  return least(
    spent,
    bounds.reduce((most, each) => (each > most ? each : most), 0n),
  );
}

/** Adds up the budgets of a wallet's scoped caps and the refunds that wait for them, by coin. */
function authority({ caps }: View, { id: walletId, policy }: WalletView): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  for (const { id, walletId: of, scoped } of caps.values()) {
    if (of !== walletId || scoped === undefined) continue;
    const more = scoped.remaining + (policy ? mapValue(policy.refunds, id, 0n) : 0n);
    total.set(scoped.coin, mapValue(total, scoped.coin, 0n) + more);
  }
  return total;
}

function listCaveats({ policy }: WalletView, rule: string): readonly string[] {
  return [...(policy?.caveatRules ?? []), ...(policy?.authRules.get(rule) ?? [])];
}

const findLists = ({ lists }: View, walletId: string) =>
  [...lists].filter(([, list]) => list.walletId === walletId);

const mapEntry = (map: ReadonlyMap<string, string> | undefined, suffix: string) =>
  [...(map ?? [])].find(([key]) => key.endsWith(suffix))?.[1];

/** Returns true if a text names a service that has a grant, and the wallet serves now. */
function isByGrantee({ allowances, paused, version }: WalletView, name: string): boolean {
  if (paused || version !== 1) return false;
  return [...allowances.keys()].some((key) => name.includes(key.split(' ')[0]!));
}

const confirmed = bcs.struct('SpendConfirmed', {
  walletId: bcs.Address,
  coin: bcs.string(),
  amount: bcs.u64(),
  recipient: bcs.Address,
  policyVersion: bcs.u64(),
  sender: bcs.Address,
  auth: bcs.string(),
});

interface Spend {
  auth: string;
  coin: string;
  amount: bigint;
  recipient: string;
}

function listSpends({ events }: Step, walletId: string): Spend[] {
  return events.flatMap(({ type, contents }) => {
    if (!type.endsWith('::policy::SpendConfirmed')) return [];
    const spend = confirmed.parse(contents);
    if (spend.walletId !== walletId) return [];
    const { auth, coin, amount, recipient } = spend;
    return [{ auth: `0x${auth}`, coin: `0x${coin}`, amount: BigInt(amount), recipient }];
  });
}
