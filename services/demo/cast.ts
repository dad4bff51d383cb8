import { type Account, createAccount, createAccounts } from '@adaptor-marketplace/localnet/account';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { milliSui } from './coins.ts';
import { withExecutor } from './executor.ts';

/** Who acts in the marketplace besides those with coins from the faucet. */
const people = [
  // Publishers.
  'harbour',
  'lagoon',
  'reef',
  'anchor',
  'squatter',
  // Owners of wallets.
  'ana',
  'ben',
  'cleo',
  'dan',
  // The host of the service, whose managed key this is.
  'host',
  // Who spends for them: an agent of its own key, whom it hands a part on to, and whom they hand a part on to.
  'agent',
  'scout',
  'runner',
  // Hired work and its judge.
  'provider',
  'arbiter',
  // Has an opinion on what it never used.
  'critic',
] as const;
type Person = (typeof people)[number];

/** All who act. The operator runs the network's own contracts, the keeper the protocols, the owner is the reader. */
export type Cast = Record<'operator' | 'keeper' | 'owner' | Person, Account>;

/** New keys with coins for everyone. */
export async function assembleCast(client: SuiGrpcClient, faucetUrl: string): Promise<Cast> {
  const known = new Map<string, unknown>();
  const fromFaucet = async () => withExecutor(await createAccount(client, faucetUrl), known);
  const [operator, keeper, owner] = await Promise.all([fromFaucet(), fromFaucet(), fromFaucet()]);
  const accounts = await createAccounts(operator, people.length, milliSui(60_000));
  const rest = people.map((name, index) => [name, withExecutor(accounts[index]!, known)] as const);
  return { operator, keeper, owner, ...(Object.fromEntries(rest) as Record<Person, Account>) };
}
