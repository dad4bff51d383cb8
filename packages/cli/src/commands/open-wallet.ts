import * as wallets from '@adaptor-marketplace/adaptor/calls/wallet';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { amountArgument, coinAmountArgument, serviceArgument, several } from '../arguments.ts';
import { type Io, Refusal, UsageError } from '../io.ts';
import { balanceOf, sui, suiInWords } from '../network/balance.ts';
import { answer, withExamples } from '../options.ts';
import { signAndExecute } from '../signing/execute.ts';
import { type Session, type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions {
  deposit?: bigint;
  service?: string;
  grant?: CoinAmount[];
}

/** A wallet to try an adaptor with. */
export function openWalletCommand(io: Io) {
  const command = signingCommand('open-wallet', 'Opens a wallet of yours, to try an adaptor with.')
    .option('--deposit <mist>', 'what it holds of SUI at first', amountArgument)
    .option('--service <type>', 'whom the grants are for', serviceArgument)
    .option(
      '--grant <coin=amount>',
      'what the service may take of a coin; may be repeated',
      several(coinAmountArgument),
    )
    .action(async (options: Options) => {
      const { deposit, service, grant: grants = [] } = options;
      if (grants.length > 0 && service === undefined)
        throw new UsageError(
          '--grant needs --service, the type of the service that it is for, for example 0xbfc9...::nest_egg::NestEgg.',
        );
      const opened = await withSession(io, options, async (session) => {
        const { walletPackage } = session;
        if (!walletPackage) throw new Refusal('The marketplace follows no wallet package on this network.');
        await requireHeld(session, deposit);
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
  return withExamples(
    command,
    'open-wallet --deposit 5000000000',
    'open-wallet --deposit 5000000000 --service 0xbfc9...::nest_egg::NestEgg --grant 0x2::sui::SUI=2000000000',
  );
}

async function requireHeld({ client, address }: Session, deposit: bigint | undefined): Promise<void> {
  const held = deposit ? await balanceOf(client, address) : undefined;
  if (held === undefined || held > deposit!) return;
  throw new Refusal(
    `--deposit: ${address} has ${suiInWords(held)}, too little for ${suiInWords(deposit!)} and the gas. Ask for less, ` +
      'or take more from the faucet: adaptor-marketplace fund',
  );
}
