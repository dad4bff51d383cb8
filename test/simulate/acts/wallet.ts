import { delegate as delegates, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { findCreatedObject, SUI } from '../../../services/demo/publish.ts';
import type { Market } from '../market/market.ts';
import type { Acts } from './act.ts';

const unlimited = 2n ** 64n - 1n;

export const walletActs: Acts = {
  'open a wallet': {
    weight: 1,
    prepare({ random, wallets: own }, { market: { demo } }) {
      const amount = BigInt(1 + random.integer(1_000_000));
      return {
        append(tx) {
          const wallet = wallets.create(tx, demo.packages.wallet);
          const [coin] = tx.splitCoins(tx.gas, [amount]);
          wallets.deposit(tx, wallet, { coinType: SUI, coin });
          wallets.share(tx, wallet);
        },
        succeeded: (executed) => own.push(findCreatedObject(executed, '::wallet::Wallet')),
      };
    },
  },
  grant: {
    weight: 4,
    prepare({ random, wallets: own, granted }, { market, packages }) {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const allowance = random.pick([0n, 1n, unlimited, BigInt(random.integer(1_000_000))]);
      const service = random.pick(random.pick(packages).serviceTypes);
      granted.push({ wallet: target.wallet, service });
      return {
        append: (tx) => wallets.grantServiceCoin(tx, target, { service, coinType: SUI, allowance }),
      };
    },
  },
  revoke: {
    weight: 2,
    prepare({ random, granted }, { market }) {
      if (granted.length === 0) return undefined;
      const { wallet, service } = random.pick(granted);
      return { append: (tx) => wallets.revokeService(tx, toWallet(market, wallet), service) };
    },
  },
  spend: {
    weight: 8,
    prepare({ random, granted, account }, { addresses }) {
      if (granted.length === 0) return undefined;
      const { wallet, service } = random.pick(granted);
      const amount = BigInt(random.integer(20));
      const recipient = random.chance(0.5) ? account.address : random.pick(addresses);
      return {
        append(tx) {
          tx.moveCall({
            target: service.replace(/::\w+$/, '::run'),
            typeArguments: [SUI],
            arguments: [
              tx.object(wallet),
              tx.pure.u64(amount),
              tx.pure.address(recipient),
              tx.object.clock(),
            ],
          });
        },
      };
    },
  },
  'add a delegate': {
    weight: 1,
    prepare({ random, wallets: own, delegates: added }, { market, addresses }) {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const address = random.pick(addresses);
      const isFirst = !added.some(({ wallet }) => wallet === target.wallet);
      added.push({ wallet: target.wallet, delegate: address });
      return {
        append(tx) {
          if (isFirst) delegates.initialize(tx, target);
          delegates.add(tx, target, address);
        },
      };
    },
  },
  'remove a delegate': {
    weight: 1,
    prepare({ random, delegates: added }, { market }) {
      if (added.length === 0) return undefined;
      const { wallet, delegate } = random.pick(added);
      return { append: (tx) => delegates.remove(tx, toWallet(market, wallet), delegate) };
    },
  },
  pause: {
    weight: 1,
    prepare({ random, wallets: own }, { market }) {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const paused = random.chance(0.5);
      return { append: (tx) => wallets.setPaused(tx, target, paused) };
    },
  },
};

const toWallet = ({ demo }: Market, wallet: string) => ({ packageId: demo.packages.wallet, wallet });
