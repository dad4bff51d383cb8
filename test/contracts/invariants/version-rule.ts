import { changed, type Step } from './step.ts';
import type { View, WalletView } from './view.ts';

/** Returns changes of objects whose version is not that of the code. */
export function checkVersions(step: Step): string[] {
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
