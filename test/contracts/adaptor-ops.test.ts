import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { isExecutable } from '@adaptor-marketplace/adaptor/manifest';
import {
  appendOp,
  delegate as delegates,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { beforeAll, expect, test } from 'vitest';
import type { AdaptorName } from '../../services/demo/deploy.ts';
import { dollars, findCreatedObject, mintDollars, SUI } from '../../services/demo/publish.ts';
import { addDelegate } from '../../services/demo/wallets.ts';
import { startAdaptorNetwork } from '../support/adaptor-network.ts';
import { cases } from '../support/adaptor-uses/all.ts';
import { type Coin, sui, type Use } from '../support/adaptor-uses/case.ts';
import { useForFile } from '../support/use-for-file.ts';

let owner: Account;
let delegate: Account;
let stranger: Account;
/** A wallet of the owner's that grants nothing. */
let closed: string;

const network = useForFile(startAdaptorNetwork);
beforeAll(async () => {
  const { newAccount } = network;
  [owner, delegate, stranger] = await Promise.all([newAccount(), newAccount(), newAccount()]);
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, network.walletPackage);
    wallets.deposit(tx, wallet, { coinType: SUI, coin: tx.splitCoins(tx.gas, [sui(1)]) });
    wallets.share(tx, wallet);
  });
  closed = findCreatedObject(made, '::wallet::Wallet');
});

const toCoinType = (coin: Coin) => (coin === 'sui' ? SUI : network.coins.types[coin]);

/** A wallet that grants the service a part of its coins, and lets the delegate spend a part of that. */
async function newWallet(serviceType: string): Promise<string> {
  const { keeper, coins, walletPackage } = network;
  const { dollar, ...shareCoins } = coins.types;
  const shared = Object.values(shareCoins).map((coinType) => ({ coinType, amount: unlimitedAllowance }));
  const granted = [{ coinType: SUI, amount: sui(5) }, { coinType: dollar, amount: dollars(50) }, ...shared];
  const budgets = [{ coinType: SUI, amount: sui(4) }, { coinType: dollar, amount: dollars(40) }, ...shared];
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, walletPackage);
    wallets.deposit(tx, wallet, { coinType: SUI, coin: tx.splitCoins(tx.gas, [sui(10)]) });
    for (const { coinType, amount: allowance } of granted) {
      wallets.grantServiceCoin(tx, wallet, { service: serviceType, coinType, allowance });
    }
    delegates.initialize(tx, wallet);
    const services = [{ serviceType, amount: unlimitedAllowance }];
    addDelegate(tx, wallet, { address: delegate.address, services, coins: budgets });
    wallets.share(tx, wallet);
  });
  const wallet = findCreatedObject(made, '::wallet::Wallet');
  await execute(keeper, (tx) => {
    const coin = mintDollars(tx, coins, dollars(100));
    wallets.deposit(tx, { packageId: walletPackage, wallet }, { coinType: dollar, coin });
  });
  return wallet;
}

function call(
  sender: Account,
  name: AdaptorName,
  wallet: string,
  { entry, inputs }: Pick<Use, 'entry' | 'inputs'>,
) {
  const { coinIn, coinOut, ...rest } = inputs;
  const { manifest, packageId } = network.adaptors[name];
  const op = manifest.ops.find((one) => one.entry === entry)!;
  return execute(sender, (tx) =>
    appendOp(tx, packageId, op, {
      wallet,
      ...rest,
      ...(coinIn && { coinIn: toCoinType(coinIn) }),
      ...(coinOut && { coinOut: toCoinType(coinOut) }),
    }),
  );
}

const aborts = (module: string, code: string) =>
  expect.objectContaining({
    message: expect.stringMatching(new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::${module}::`)),
  });

const getModule = (name: AdaptorName) => network.adaptors[name].manifest.ops[0]!.module;

test.each(Object.keys(cases) as AdaptorName[])(
  '%s: a delegate executes every op by its call spec, each moves what it should, and the chain bounds it',
  async (name) => {
    const { manifest, serviceType } = network.adaptors[name];
    const { uses, refusals } = cases[name];
    const callable = manifest.ops.filter(isExecutable).map(({ entry }) => entry);
    expect([...new Set(uses.map(({ entry }) => entry))].sort()).toEqual(callable.sort());

    const wallet = await newWallet(serviceType);
    const coins: Coin[] = ['sui', ...(Object.keys(network.coins.types) as Coin[])];
    const types = coins.map(toCoinType);
    const read = () => network.balances(wallet, types);
    const refused = async (
      sender: Account,
      target: string,
      use: Pick<Use, 'entry' | 'inputs'>,
      abort: unknown,
    ) => {
      const before = await read();
      await expect(call(sender, name, target, use)).rejects.toEqual(abort);
      expect(await read()).toEqual(before);
    };

    for (const use of uses) {
      await refused(stranger, wallet, use, aborts(`(?:delegate|${getModule(name)})`, '[019]'));
      const before = await read();
      const executed = await call(delegate, name, wallet, use);
      const after = await read();
      for (const [index, coin] of coins.entries()) {
        const change = use.changes[coin] ?? 0n;
        const [least, most] = typeof change === 'bigint' ? [change, change] : change;
        const changed = after[index]! - before[index]!;
        const holds = least <= changed && changed <= most;
        expect(holds, `${use.entry} changed ${coin} by ${changed}, not by ${least}..${most}`).toBe(true);
      }
      await use.afterwards?.(network, executed);
    }
    for (const { abort, by, ...what } of refusals) {
      const [module, code] = abort;
      await refused(by === 'owner' ? owner : delegate, wallet, what, aborts(module, String(code)));
    }
    // Without a grant, the service refuses even the owner.
    await refused(owner, closed, uses[0]!, aborts('(?:wallet|intent)', '\\d+'));
  },
);
