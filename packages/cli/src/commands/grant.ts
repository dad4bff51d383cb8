import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { coinUnits, describeAmount } from '@adaptor-marketplace/adaptor/chain';
import {
  type CoinAmount,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Transaction } from '@mysten/sui/transactions';
import { catalogAnswer, parseResponse, searchTextMax } from '../api.ts';
import { readWalletPackage } from '../calling/guard.ts';
import { type Io, say } from '../io.ts';
import { formatEntryLine } from '../listing.ts';
import {
  addExamples,
  addressArgument,
  allowanceArgument,
  answer,
  byCoinType,
  collectDistinct,
  collectValues,
  serviceArgument,
  typeArgument,
} from '../options.ts';
import {
  createTransactionCommand,
  type Session,
  type SigningOptions,
  signAndExecute,
  withSession,
} from '../signing.ts';

interface Options extends SigningOptions {
  wallet: string;
}

/** `grant`: sets what a service may take of a wallet of the signer. */
export function createGrantCommand(io: Io) {
  const command = serviceCommand(
    'grant',
    'Lets a service take coins of your wallet, up to an amount of each. An amount replaces what it may still take of the coin.',
  )
    .argument(
      '<coin=units...>',
      'the most that it may take of a coin, in base units, or coin=unlimited',
      collectDistinct(allowanceArgument, byCoinType),
    )
    .action(async (service: string, allowances: CoinAmount[], options: Options) => {
      const { wallet: walletId } = options;
      const digest = await withSession(io, options, async (session) => {
        const units = await coinUnits(session.client).read(allowances.map(({ coinType }) => coinType));
        const lines = allowances.map(({ coinType, amount }) => {
          const most =
            amount === unlimitedAllowance
              ? 'any amount, now and later'
              : `at most ${describeAmount(coinType, String(amount), units.get(coinType))} in all`;
          return `takes    ${most}, coin ${coinType}`;
        });
        return await changeGrants(session, { service, walletId, what: 'grants', lines }, (tx, target) => {
          for (const { coinType, amount: allowance } of allowances) {
            wallets.grantServiceCoin(tx, target, { service, coinType, allowance });
          }
        });
      });
      const granted = allowances.map(({ coinType, amount }) => ({ coinType, amount: String(amount) }));
      answer(io, options, { walletId, serviceType: service, granted, digest }, () => [`granted  ${digest}`]);
    });
  return addExamples(
    command,
    'grant 0xbfc9...::nest_egg::NestEgg 0x2::sui::SUI=2000000000 --wallet 0xb2...',
    'grant 0xbfc9...::nest_egg::NestEgg 0x2::sui::SUI=2000000000 --wallet 0xb2... --ptb --signer 0x41...',
  );
}

/** `revoke`: ends what a service may take of a wallet of the signer. */
export function createRevokeCommand(io: Io) {
  const command = serviceCommand(
    'revoke',
    'Ends what a service may take of your wallet: all of it, or that of the named coins.',
  )
    .argument(
      '[coin...]',
      'type of a coin whose grant ends; all grants without it',
      collectValues(typeArgument),
    )
    .action(async (service: string, given: string[], options: Options) => {
      const { wallet: walletId } = options;
      const coins = [...new Set(given)];
      const digest = await withSession(io, options, async (session) => {
        const lines =
          coins.length === 0
            ? ['takes    nothing, of any coin']
            : coins.map((coin) => `takes    nothing, coin ${coin}`);
        return await changeGrants(
          session,
          { service, walletId, what: 'end of grants', lines },
          (tx, target) => {
            if (coins.length === 0) wallets.revokeService(tx, target, service);
            for (const coinType of coins) {
              wallets.grantServiceCoin(tx, target, { service, coinType, allowance: 0n });
            }
          },
        );
      });
      const revoked = coins.length === 0 ? null : coins;
      answer(io, options, { walletId, serviceType: service, coins: revoked, digest }, () => [
        `revoked  ${digest}`,
      ]);
    });
  return addExamples(
    command,
    'revoke 0xbfc9...::nest_egg::NestEgg --wallet 0xb2...',
    'revoke 0xbfc9...::nest_egg::NestEgg 0x2::sui::SUI --wallet 0xb2...',
  );
}

/** A command that changes what a service may take of a wallet of the signer. */
const serviceCommand = (name: string, summary: string) =>
  createTransactionCommand(name, summary)
    .requiredOption('--wallet <id>', 'your wallet, as "whoami" lists it', addressArgument)
    .argument(
      '<service-type>',
      '0x...::module::Witness, as "catalog" and "wallet" print it',
      serviceArgument,
    );

interface Change {
  service: string;
  walletId: string;
  /** Noun for the line about signing. */
  what: string;
  /** Lines about each coin. */
  lines: readonly string[];
}

/** Prints all that the transaction changes, and signs it. */
async function changeGrants(
  session: Session,
  { service, walletId, what, lines }: Change,
  append: (tx: Transaction, target: WalletTarget) => void,
): Promise<string> {
  const [walletPackage, listing] = await Promise.all([
    readWalletPackage(session, walletId),
    describeListing(session, service),
  ]);
  say(session.io.err, [`wallet   ${walletId}`, `service  ${service}`, listing, ...lines]);
  const target = { packageId: walletPackage.calledId, wallet: walletId };
  const executed = await signAndExecute({ ...session, walletPackage }, `the ${what} of ${service}`, (tx) =>
    append(tx, target),
  );
  return executed.digest;
}

/** The line about the service's listing in the catalog. */
async function describeListing({ market, network }: Session, service: string): Promise<string> {
  const query = { network, q: service.slice(0, searchTextMax), include: 'unverified' as const };
  const { adaptors } = parseResponse(catalogAnswer, await market.api.listAdaptors({ query }));
  const found = adaptors.filter(({ serviceType }) => serviceType === service);
  const entry = found.find(({ publisherVerified }) => publisherVerified) ?? found[0];
  if (!entry) return `warning  The catalog of ${network} does not list this service. Check its type.`;
  return formatEntryLine(entry);
}
