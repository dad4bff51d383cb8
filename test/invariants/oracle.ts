import type { EmittedEvent } from '@adaptor-marketplace/localnet/execution/types';
import { bcs } from '@mysten/sui/bcs';
import type { Program } from './program.ts';
import type { JobView, View, WalletView } from './view.ts';

/** A transaction that succeeded, with all that the chain held before and after. */
export interface Step {
  program: Program;
  before: View;
  after: View;
  events: readonly EmittedEvent[];
  nowMs: bigint;
}

const unlimited = 2n ** 64n - 1n;
/** More than all coins there are. */
const noLimit = 2n ** 70n;
const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n);
const least = (...amounts: bigint[]) => amounts.reduce((one, other) => (one < other ? one : other));
const mapValue = <Value>(fields: ReadonlyMap<string, Value>, name: string, absent: Value) =>
  fields.get(name) ?? absent;
const text = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return String(one);
    return one instanceof Map || one instanceof Set ? [...one] : one;
  });

type Check = (step: Step) => string[];

/** Rules that hold for each transaction, by the promise that they keep. Each returns what breaks it. */
export const invariants: Readonly<Record<string, Check>> = {
  'coins are conserved': ({ before, after }) =>
    ['A', 'B'].flatMap((coin) => {
      const [had, has] = [countCoins(before, coin), countCoins(after, coin)];
      return had === has ? [] : [`there were ${had} of ${coin}, and are ${has}`];
    }),

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
        const isBound = caveatsOf(before, auth).some((rule) => rule.endsWith('::RecipientAllowlist'));
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
      ...changed('lists', listsOf(step.before, before.id), listsOf(step.after, before.id)),
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

  'a wallet that a transaction does not name stays as it is': ({ program, before, after }) =>
    [...before.wallets].flatMap(([id, wallet]) => {
      const isNamed = program.inputs.some((input) => input.kind === 'object' && input.object.id === id);
      return isNamed ? [] : changed(id, wallet, after.wallets.get(id));
    }),

  'an action takes no more than it may': boundActions,

  'no wallet stays locked': ({ after }) =>
    [...after.wallets.values()].flatMap(({ id, locked }) => (locked ? [`${id} is locked`] : [])),

  'escrow pays once, and whom it should': (step) =>
    [...step.before.jobs.values()].flatMap((job) => checkJob(step, job)),

  'a job holds its amount while it is funded': ({ after }) =>
    [...after.jobs.values()].flatMap(({ id, state, funds, amount }) => {
      const due = state === 1 || state === 2 ? amount : 0n;
      return funds === due ? [] : [`${id} in state ${state} holds ${funds} of ${due}`];
    }),

  'only its publisher changes an entry': (step) =>
    [...new Set([...step.before.entries.keys(), ...step.after.entries.keys()])].flatMap((key) => {
      const [before, after] = [step.before.entries.get(key), step.after.entries.get(key)];
      if (after === undefined) return [`${key} is gone`];
      if (text(before) === text(after)) return [];
      if (after.publisher !== step.program.sender) return [`${key} was changed by ${step.program.sender}`];
      if (before && after.version < before.version) return [`${key} has version ${after.version} again`];
      const isNew = before === undefined || (!before.live && after.live);
      if (isNew && before && after.version === before.version) return [`${key} has its old version`];
      return [];
    }),

  'a closed version changes nothing': checkVersions,
};

// === Wallets ===

/** Wallets before and after, of which the sender is not the owner and does not become it by an offer. */
function strangersTo({ program: { sender }, before, after }: Step): [WalletView, WalletView][] {
  return [...before.wallets.values()].flatMap((wallet): [WalletView, WalletView][] => {
    const now = after.wallets.get(wallet.id);
    if (now === undefined) throw new Error('a wallet is gone');
    return wallet.owner === sender || wallet.offeredTo === sender ? [] : [[wallet, now]];
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
    const caveats = caveatsOf(wallet, rule);
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

/** What the scoped caps of a wallet may spend in total, with the refunds that wait for them; by coin. */
function authority({ caps }: View, { id: walletId, policy }: WalletView): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  for (const { id, walletId: of, scoped } of caps.values()) {
    if (of !== walletId || scoped === undefined) continue;
    const more = scoped.remaining + (policy ? mapValue(policy.refunds, id, 0n) : 0n);
    total.set(scoped.coin, mapValue(total, scoped.coin, 0n) + more);
  }
  return total;
}

function caveatsOf({ policy }: WalletView, rule: string): readonly string[] {
  return [...(policy?.caveatRules ?? []), ...(policy?.authRules.get(rule) ?? [])];
}

const listsOf = ({ lists }: View, walletId: string) =>
  [...lists].filter(([, list]) => list.walletId === walletId);

const mapEntry = (map: ReadonlyMap<string, string> | undefined, suffix: string) =>
  [...(map ?? [])].find(([key]) => key.endsWith(suffix))?.[1];

/** Whether a text names a service that has a grant and that the wallet serves. */
function isByGrantee({ allowances, paused, version }: WalletView, name: string): boolean {
  if (paused || version !== 1) return false;
  return [...allowances.keys()].some((key) => name.includes(key.split(' ')[0]!));
}

function grown(
  what: string,
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
): string[] {
  return [...after].flatMap(([name, amount]) =>
    amount <= mapValue(before, name, 0n) ? [] : [`the ${what} ${name} grew to ${amount}`],
  );
}

function changed(what: string, before: unknown, after: unknown): string[] {
  const [had, has] = [text(before), text(after)];
  return had === has ? [] : [`${what} changed from ${had} to ${has}`];
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

/** Bounds a transaction that is one action of one wallet and nothing else that takes money from it. */
function boundActions({ program, before, after }: Step): string[] {
  const { called, commands, inputs } = program;
  const names = called.filter((name) => name !== undefined);
  const allowed = /^wallet::(action|intent)::|^wallet::delegate::spend$/;
  const isWhole = names[0] === 'wallet::action::begin' && names.at(-1) === 'wallet::action::end';
  if (!isWhole || !names.every((name) => allowed.test(name))) return [];
  const limits = new Map<string, bigint>();
  commands.forEach((command, at) => {
    if (called[at] !== 'wallet::action::may_take' || command.$kind !== 'MoveCall') return;
    const limit = command.MoveCall.arguments[2]!;
    const input = limit.$kind === 'Input' ? inputs[limit.Input] : undefined;
    if (input?.kind !== 'pure') return;
    const coin = command.MoveCall.typeArguments[0]!;
    limits.set(coin, Buffer.from(input.bytes).readBigUInt64LE());
  });
  const named = inputs.flatMap((input) => (input.kind === 'object' ? [input.object.id] : []));
  return [...before.wallets.values()].flatMap((wallet) => {
    if (!named.includes(wallet.id)) return [];
    return [...wallet.balances].flatMap(([coin, balance]) => {
      const out = balance - after.wallets.get(wallet.id)!.balances.get(coin)!;
      const limit = mapValue(limits, coin, 0n);
      return out <= limit ? [] : [`an action took ${out} and may take ${limit}`];
    });
  });
}

// === Coins ===

function countCoins({ coins, wallets, jobs }: View, name: string): bigint {
  const fits = (type: string) => type.endsWith(`::market::${name}`);
  return (
    sum([...coins.values()].filter(({ coin }) => fits(coin)).map(({ amount }) => amount)) +
    sum(
      [...wallets.values()].flatMap(({ balances }) =>
        [...balances].map(([coin, n]) => (fits(coin) ? n : 0n)),
      ),
    ) +
    sum([...jobs.values()].map(({ coin, funds }) => (fits(coin) ? funds : 0n)))
  );
}

// === Jobs ===

function checkJob(step: Step, job: JobView): string[] {
  const { program, before, after, nowMs } = step;
  const { sender } = program;
  const wallet = before.wallets.get(job.walletId)!;
  const isOwner = wallet.owner === sender || wallet.offeredTo === sender;
  const now = after.jobs.get(job.id);
  if (now === undefined) return isOwner ? [] : [`${job.id} was deleted by a stranger`];
  const terms = ({ walletId, payer, provider, assessorType, amount, deadlineMs, brief, reviewMs }: JobView) =>
    text([walletId, payer, provider, assessorType, amount, deadlineMs, brief, reviewMs]);
  const faults: string[] = changed('the terms', terms(job), terms(now));
  if (job.state === now.state && job.state > 0) {
    faults.push(...changed('the job', { ...job, version: '' }, { ...now, version: '' }));
  }
  if (job.assessor !== now.assessor && (job.assessor !== null || !isOwner || job.state !== 0)) {
    faults.push('the assessor changed');
  }
  const holders = [...after.assessors.values()].filter(({ jobId }) => jobId === job.id);
  if (holders.length > 1) faults.push('there are two assessors');
  if (job.state === now.state) return faults;
  if (now.state < job.state || job.state >= 3) return [...faults, `state ${job.state} became ${now.state}`];
  const isJudge =
    !job.assessorType.endsWith('::CapAssessor') ||
    program.inputs.some(
      (input) => input.kind === 'object' && before.assessors.get(input.object.id)?.jobId === job.id,
    );
  const isSubmitted = job.state === 2 || (job.provider === sender && nowMs < BigInt(job.deadlineMs));
  const reviewMs = job.state === 2 ? BigInt(job.reviewMs) : 0n;
  const isLate = nowMs >= BigInt(job.deadlineMs) + reviewMs;
  if (now.state === 2 && !isSubmitted) faults.push('a stranger submitted, or too late');
  if (now.state === 3 && !(isJudge && isSubmitted)) faults.push('released without a verdict');
  if (now.state === 4 && !((isOwner && job.state < 2) || isLate || (isJudge && isSubmitted))) {
    faults.push('refunded too early, or by a stranger');
  }
  if (job.state === 0 && now.refundTo !== sender && ![job.walletId, job.refundTo].includes(now.refundTo)) {
    faults.push(`a refund goes to ${now.refundTo}`);
  }
  const due = now.state === 3 ? job.provider : now.refundTo;
  const wasFunded = job.funds > 0n || program.called.some((name) => /::job::fund/.test(name ?? ''));
  if (now.state < 3 || (now.state === 4 && !wasFunded)) return faults;
  const isPaid = [...after.coins].some(
    ([id, { coin, amount, owner }]) =>
      !before.coins.has(id) && coin === job.coin && amount === job.amount && owner === due,
  );
  return isPaid || job.funds === 0n ? faults : [...faults, `${due} got nothing`];
}

// === Versions ===

function checkVersions(step: Step): string[] {
  const { before, after, program } = step;
  const faults: string[] = [];
  for (const [id, version] of before.registries) {
    if (version === 1n || after.registries.get(id) !== version) continue;
    const of = ({ entries }: View) => [...entries].filter(([key]) => key.startsWith(id));
    faults.push(...changed('a closed registry', of(before), of(after)));
  }
  for (const wallet of before.wallets.values()) {
    const now = after.wallets.get(wallet.id)!;
    if (wallet.version === 1 || now.version !== wallet.version) continue;
    const rights = ({ balances: _, assets: __, ...rest }: WalletView) => rest;
    faults.push(...changed('a closed wallet', rights(wallet), rights(now)));
    const left =
      [...wallet.balances].some(([coin, amount]) => now.balances.get(coin)! < amount) ||
      [...wallet.assets.keys()].some((asset) => !now.assets.has(asset));
    if (left && wallet.owner !== program.sender) faults.push('a closed wallet paid');
  }
  for (const [id, list] of before.lists) {
    const now = after.lists.get(id);
    if (list.version !== 1 && now?.version === list.version)
      faults.push(...changed('a closed list', list, now));
  }
  for (const job of before.jobs.values()) {
    const now = after.jobs.get(job.id);
    if (String(job.version) === '1' || now?.version !== job.version || now.state === 4) continue;
    faults.push(...changed('a closed job', job, now));
  }
  return faults;
}
