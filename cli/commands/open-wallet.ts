import type { CoinAmount } from '../../lib/actions/ops/choose.ts';
import * as wallets from '../../lib/chain/calls/wallet.ts';
import { amountArgument, coinAmountArgument, several, typeArgument } from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../io.ts';
import { answer } from '../options.ts';
import { signAndExecute } from '../signing/execute.ts';
import { type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions {
  deposit?: bigint;
  service?: string;
  grant?: CoinAmount[];
}

const sui = '0x2::sui::SUI';

/** A wallet to try an adaptor with. */
export function openWalletCommand(io: Io) {
  return signingCommand('open-wallet', 'Opens a wallet of yours, to try an adaptor with.')
    .option('--deposit <mist>', 'what it holds of SUI at first', amountArgument)
    .option('--service <type>', 'whom the grants are for', typeArgument)
    .option(
      '--grant <coin=amount>',
      'what the service may take of a coin; may be repeated',
      several(coinAmountArgument),
    )
    .action(async (options: Options) => {
      const { deposit, service, grant: grants = [] } = options;
      if (grants.length > 0 && service === undefined)
        throw new UsageError('Say with --service whom the grants are for.');
      const opened = await withSession(io, options, async (session) => {
        const { walletPackage } = session;
        if (!walletPackage) throw new Refusal('The marketplace follows no wallet package on this network.');
        const { digest, created } = await signAndExecute(session, 'a new wallet', (tx) => {
          const wallet = wallets.create(tx, walletPackage.calledId);
          if (deposit) {
            wallets.deposit(tx, wallet, { coinType: sui, coin: tx.splitCoins(tx.gas, [deposit]) });
          }
          for (const { coinType, amount: allowance } of grants) {
            wallets.grantServiceCoin(tx, wallet, { service: service!, coinType, allowance });
          }
          wallets.share(tx, wallet);
        });
        const walletId = created.find(
          ({ type }) => type === `${walletPackage.originalId}::wallet::Wallet`,
        )?.id;
        return { walletId, digest };
      });
      answer(io, options, opened, () => [`wallet  ${opened.walletId}`, `digest  ${opened.digest}`]);
    });
}
