import { type CoinAmount, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { describeSui, readBalance, sui } from '../coins.ts';
import { CommandFailedError, type Io, UsageError } from '../io.ts';
import {
  addExamples,
  amountArgument,
  answer,
  byCoinType,
  coinAmountArgument,
  collectDistinct,
  serviceArgument,
} from '../options.ts';
import {
  createTransactionCommand,
  type Session,
  type SigningOptions,
  signAndExecute,
  TransactionRejectedError,
  withSession,
} from '../signing.ts';

interface OpenOptions extends SigningOptions {
  deposit?: bigint;
  service?: string;
  grant?: CoinAmount[];
}

/** `open-wallet`: opens a wallet to try an adaptor with. */
export function createOpenWalletCommand(io: Io) {
  const command = createTransactionCommand(
    'open-wallet',
    'Opens a wallet that you own, to try an adaptor with.',
  )
    .option('--deposit <mist>', 'initial balance in MIST', amountArgument)
    .option('--service <type>', 'service that the grants are for', serviceArgument)
    .option(
      '--grant <coin=amount>',
      'amount of a coin that the service may take, in base units; may be repeated',
      collectDistinct(coinAmountArgument, byCoinType),
    )
    .action(async (options: OpenOptions) => {
      const { deposit, service, grant: grants = [] } = options;
      if (grants.length > 0 && service === undefined)
        throw new UsageError(
          '--grant needs --service, the type of the service that it is for, for example 0xbfc9...::nest_egg::NestEgg.',
        );
      const opened = await withSession(io, options, async (session) => {
        const { walletPackage } = session;
        if (!walletPackage)
          throw new CommandFailedError('The marketplace follows no wallet package on this network.');
        const { digest, created } = await signAndExecute(session, 'a new wallet', (tx) => {
          const wallet = wallets.create(tx, walletPackage.calledId);
          if (deposit) {
            wallets.deposit(tx, wallet, { coinType: sui, coin: tx.splitCoins(tx.gas, [deposit]) });
          }
          for (const { coinType, amount: allowance } of grants) {
            wallets.grantServiceCoin(tx, wallet, { service: service!, coinType, allowance });
          }
          wallets.share(tx, wallet);
        }).catch(async (error: unknown) => {
          if (error instanceof TransactionRejectedError) await requireBalance(session, deposit);
          throw error;
        });
        const walletId = created.find(
          ({ type }) => type === `${walletPackage.originalId}::wallet::Wallet`,
        )?.id;
        return { walletId, digest };
      });
      answer(io, options, opened, () => [`wallet  ${opened.walletId}`, `digest  ${opened.digest}`]);
    });
  return addExamples(
    command,
    'open-wallet --deposit 5000000000',
    'open-wallet --deposit 5000000000 --service 0xbfc9...::nest_egg::NestEgg --grant 0x2::sui::SUI=2000000000',
  );
}

async function requireBalance({ client, address }: Session, deposit: bigint | undefined): Promise<void> {
  const held = deposit ? await readBalance(client, address) : undefined;
  if (held === undefined || held > deposit!) return;
  throw new CommandFailedError(
    `--deposit: ${address} has ${describeSui(held)}, not enough for ${describeSui(deposit!)} and gas. Deposit less, ` +
      'or request more from the faucet: adaptor-marketplace fund',
  );
}
