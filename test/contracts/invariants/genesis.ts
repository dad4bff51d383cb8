import { bcs } from '@mysten/sui/bcs';
import { actors } from './actors.ts';
import { type Call, type Executor, executeCall } from './call.ts';
import { clockId, readClock } from './clock.ts';

const u64 = (value: bigint) => bcs.u64().serialize(value).toBytes();
const address = (value: string) => bcs.Address.serialize(value).toBytes();
const coinsOfActor = 1_000_000n;
const coinsOfWallet = 1_000n;
const jobMs = 3_600_000n;
/** Sequences and probes have smaller numbers. */
const firstNumber = 2_000_000;

/**
 * Mints the coins, and gives the first two actors a wallet: with coins, a grant to a service, a delegate, a policy, a
 * scoped cap, a bearer cap, a list of recipients, and jobs: two whose work is submitted, one open.
 */
export function populate(world: Executor): void {
  const { chain, packages } = world;
  const text = (value: string) => bcs.string().serialize(value).toBytes();
  const [alice, bob, delegate, bearer] = actors as [string, string, string, string];
  const assessor = actors.at(-1)!;
  const [service, coin] = [`${packages.market}::market::S`, `${packages.market}::market::A`];
  const paid = `${packages.market}::market::B`;
  const scoped = `${packages.wallet}::sub_delegate::ScopedAuth`;
  const budget = `${packages.wallet}::sub_delegate::ScopedBudget`;
  const cap = `${packages.wallet}::cap_auth::CapAuth`;
  const allowlist = `${packages.rules}::rule::RecipientAllowlist`;
  let number = firstNumber;
  const call = (
    sender: string,
    target: string,
    typeArguments: Call['typeArguments'],
    ...given: (string | Uint8Array)[]
  ): string[] => {
    number += 1;
    const outcome = executeCall(world, { sender, target, typeArguments, given, number });
    if (outcome.failure) throw new Error(`${target}: ${outcome.failure.reason.kind}`);
    return outcome.writes.flatMap((write) =>
      write.change === 'created' && write.owner.kind === 'shared' ? [write.id] : [],
    );
  };
  for (const amount of [coinsOfActor, coinsOfWallet, coinsOfWallet]) {
    call(alice, 'market::market::mint', [], u64(amount), bcs.vector(bcs.Address).serialize(actors).toBytes());
  }
  for (const owner of [alice, bob]) {
    const [wallet] = call(owner, 'wallet::wallet::create_and_share', []) as [string];
    call(owner, 'wallet::wallet::deposit', [coin], wallet, findCoin(owner, coin));
    call(owner, 'wallet::wallet::grant_service_coin', [service, coin], wallet, u64(300n));
    call(owner, 'wallet::wallet::grant_service_pull', [service, coin], wallet, u64(100n));
    call(owner, 'wallet::delegate::initialize', [], wallet);
    call(owner, 'wallet::delegate::add', [], wallet, address(delegate));
    const limit = [wallet, address(delegate), u64(200n)];
    call(owner, 'wallet::delegate::set_service_allowance', [service], ...limit);
    call(owner, 'wallet::delegate::set_coin_allowance', [coin], ...limit);
    const end = bcs
      .option(bcs.u64())
      .serialize(readClock(chain.objects) + 2n * jobMs)
      .toBytes();
    if (owner === alice) call(owner, 'wallet::delegate::set_expiry', [], wallet, address(delegate), end);
    call(owner, 'wallet::policy::initialize', [], wallet);
    for (const [rule, caveat] of [
      [scoped, budget],
      [cap, allowlist],
    ] as const) {
      call(owner, 'wallet::policy::add_auth_rule', [rule], wallet);
      call(owner, 'wallet::policy::add_caveat_rule_for', [rule, caveat], wallet);
    }
    const [list] = call(owner, 'rules::rule::create_and_share', [], wallet) as [string];
    call(owner, 'rules::rule::allow', [], list, address(bob), wallet);
    const given = [u64(200n), Uint8Array.of(2), address(delegate)];
    call(owner, 'wallet::sub_delegate::mint_root_and_transfer', [coin], wallet, ...given);
    call(owner, 'wallet::cap_auth::mint_and_transfer', [], wallet, address(bearer));
    call(owner, 'wallet::policy::set_spend_into', [], wallet, Uint8Array.of(1));

    const by = [u64(readClock(chain.objects) + jobMs), text('x'), clockId];
    const create = (type: string, judge: string, amount: bigint) =>
      call(
        owner,
        'escrow::job::create_and_share',
        [type, judge],
        ...[wallet, address(delegate), u64(amount), ...by],
      )[0]!;
    const cases = [`${packages.escrow}::cap_assessor::CapAssessor`, service].map((judge) => ({
      judge,
      job: create(paid, judge, coinsOfWallet),
    }));
    call(owner, 'escrow::cap_assessor::mint_and_transfer', [paid], cases[0]!.job, address(assessor), wallet);
    for (const { job } of cases) {
      call(owner, 'escrow::job::fund', [paid], job, findCoin(owner, paid));
      call(delegate, 'escrow::job::submit', [paid], job, text('y'), clockId);
    }
    create(coin, service, 10n);
  }

  function findCoin(owner: string, coin: string): string {
    const found = [...chain.objects.values()].find(
      (object) =>
        object.kind === 'move' &&
        object.type.endsWith(`Coin<${coin}>`) &&
        object.owner.kind === 'address' &&
        object.owner.address === owner &&
        Buffer.from(object.contents).readBigUInt64LE(32) === coinsOfWallet,
    );
    if (found === undefined) throw new Error(`${owner} has no coin to deposit`);
    return found.id;
  }
}
