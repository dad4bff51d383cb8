import { boundAction } from './action-rule.ts';
import { checkJob } from './job-rule.ts';
import { type Check, changed, sum, text } from './step.ts';
import { checkVersions } from './version-rule.ts';
import type { View } from './view.ts';
import { walletRules } from './wallet-rules.ts';

/** Rules that hold for each transaction, by the promise that they keep. */
export const invariants: Readonly<Record<string, Check>> = {
  'coins are conserved': ({ before, after }) =>
    ['A', 'B'].flatMap((coin) => {
      const [had, has] = [countCoins(before, coin), countCoins(after, coin)];
      return had === has ? [] : [`there were ${had} of ${coin}, and are ${has}`];
    }),

  ...walletRules,

  'a wallet that a transaction does not name stays as it is': ({ program, before, after }) =>
    [...before.wallets].flatMap(([id, wallet]) => {
      const isNamed = program.inputs.some((input) => input.kind === 'object' && input.object.id === id);
      return isNamed ? [] : changed(id, wallet, after.wallets.get(id));
    }),

  'an action takes and brings what it says': boundAction,

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
