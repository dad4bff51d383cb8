import {
  allowlist,
  delegate as delegates,
  policy as policies,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Transaction } from '@mysten/sui/transactions';
import { type Actor, clock, listCreated, onlyCreated, run, sharedInput } from './actor.ts';
import type { SetUp } from './case.ts';
import { type Coin, coins, type Service, services, type World } from './world.ts';

/** A wallet and the objects that belong to it. */
export interface Guarded {
  walletId: string;
  listId: string | undefined;
  jobId: string;
  /** Id of the entry in the bank's table that holds the wallet's balance. */
  bankEntryId: string;
  /** A coin that was sent to the wallet's address. */
  waitingId: string;
  /** The agent's own caps; undefined without a policy. */
  scopedCapId: string | undefined;
  bearerCapId: string | undefined;
}

const deadlineMs = 300n * 24n * 3_600_000n;
/** Amounts of a job, of each cap's budget and of the bank's balance. */
const jobAmount = 100n;
const capBudget = 400n;
const banked = 300n;
/** Amount of coin A that was sent to a wallet's address. */
export const waitingAmount = 70n;

/**
 * Creates and shares the wallet in a transaction of the owner's.
 * @param boardId the board that receives the attacker's caps
 */
export async function setUpWallet(
  world: World,
  owner: Actor,
  setUp: SetUp,
  boardId: string,
): Promise<Guarded> {
  const { network, packages, types, shared, cast } = world;
  const { ledger } = network;
  const made = await run(ledger, owner, (tx) => {
    const board = tx.object(sharedInput(ledger, boardId));
    const people = [cast.owner, cast.agent, cast.attacker, cast.friend, cast.stranger, cast.host];
    const addresses = tx.pure.vector(
      'address',
      people.map(({ address }) => address),
    );
    tx.moveCall({ target: `${packages.money_guard}::board::clear`, arguments: [board, addresses] });
    const wallet = wallets.create(tx, packages.wallet);
    fill(tx, world, wallet, setUp);
    grantAll(tx, world, wallet, setUp);
    addDelegates(tx, world, wallet, setUp, network.passTime(0));
    keepThings(tx, world, wallet, setUp);
    if (setUp.policy) addPolicy(tx, world, wallet, board, setUp.policy);
    addJob(tx, world, wallet, setUp, network.passTime(0));
    tx.moveCall({
      target: `${packages.money_guard}::bank::pay_in`,
      arguments: [tx.object(sharedInput(ledger, shared.bank)), wallet.wallet, tx.pure.u64(banked)],
    });
    const identity = tx.moveCall({
      target: `${packages.wallet}::wallet::identity`,
      arguments: [wallet.wallet],
    });
    tx.moveCall({ target: `${packages.money_guard}::board::add_person`, arguments: [board, identity] });
    const waiting = mint(tx, world, 'A', waitingAmount);
    tx.moveCall({
      target: '0x2::transfer::public_transfer',
      typeArguments: [`0x2::coin::Coin<${types.coins.A}>`],
      arguments: [waiting, identity],
    });
    const offered = { nobody: undefined, attacker: cast.attacker, sender: cast[setUp.sender] }[
      setUp.offeredTo
    ];
    if (offered && offered !== owner) {
      const args = [wallet.wallet, tx.pure.address(offered.address)];
      tx.moveCall({ target: `${packages.wallet}::wallet::offer_ownership`, arguments: args });
    }
    if (setUp.paused) wallets.setPaused(tx, wallet, true);
    wallets.share(tx, wallet);
  });
  const owned = (suffix: string) =>
    listCreated(made, suffix).find((id) => {
      const object = ledger.getObject(id);
      return (
        object?.kind === 'move' &&
        object.owner.kind === 'address' &&
        object.owner.address === cast.agent.address
      );
    });
  const guarded = {
    walletId: onlyCreated(made, '::wallet::Wallet'),
    listId: listCreated(made, '::rule::Allowlist')[0],
    jobId: onlyCreated(made, '::job::Job'),
    bankEntryId: made.objects.find(
      ({ type, change }) => change === 'created' && /::Field<[^<]*::object::ID,u64>$/.test(type),
    )!.id,
    waitingId: listCreated(made, '::coin::Coin')[0]!,
    scopedCapId: owned('::sub_delegate::ScopedCap'),
    bearerCapId: owned('::cap_auth::DelegateCap'),
  };
  if (guarded.listId !== undefined && setUp.policy?.listed) {
    await run(ledger, owner, (tx) => {
      const list = { rulesPackageId: packages.rules, wallet: sharedInput(ledger, guarded.walletId) };
      const listId = sharedInput(ledger, guarded.listId!);
      tx.moveCall({
        target: `${list.rulesPackageId}::rule::allow`,
        arguments: [tx.object(listId), tx.pure.address(cast.friend.address), tx.object(list.wallet)],
      });
    });
  }
  if (setUp.job.state === 'submitted') {
    await run(ledger, cast.friend, (tx) => {
      tx.moveCall({
        target: `${packages.escrow}::job::submit`,
        typeArguments: [types.coins.A],
        arguments: [
          tx.object(sharedInput(ledger, guarded.jobId)),
          tx.pure.string('Done.'),
          tx.object(clock(ledger)),
        ],
      });
    });
  }
  return guarded;
}

function mint(tx: Transaction, { network, packages, types, shared }: World, coin: Coin, amount: bigint) {
  const balance = tx.moveCall({
    target: `${packages.money_guard}::coins::mint_${coin.toLowerCase()}`,
    arguments: [tx.object(sharedInput(network.ledger, shared.mint)), tx.pure.u64(amount)],
  });
  return tx.moveCall({
    target: '0x2::coin::from_balance',
    typeArguments: [types.coins[coin]],
    arguments: [balance],
  });
}

function fill(tx: Transaction, world: World, wallet: WalletTarget, { balances }: SetUp): void {
  for (const coin of coins) {
    if (balances[coin] === 0n) continue;
    wallets.deposit(tx, wallet, {
      coinType: world.types.coins[coin],
      coin: mint(tx, world, coin, balances[coin]),
    });
  }
}

function grantAll(
  tx: Transaction,
  { packages, types }: World,
  wallet: WalletTarget,
  { grants }: SetUp,
): void {
  for (const service of services) {
    for (const coin of coins) {
      const { allowance, pull } = grants[service][coin];
      if (allowance === 0n) continue;
      const [serviceType, coinType] = [types.services[service], types.coins[coin]];
      wallets.grantServiceCoin(tx, wallet, { service: serviceType, coinType, allowance });
      if (pull === 0n) continue;
      tx.moveCall({
        target: `${packages.wallet}::wallet::grant_service_pull`,
        typeArguments: [serviceType, coinType],
        arguments: [tx.object(wallet.wallet), tx.pure.u64(pull)],
      });
    }
  }
}

function addDelegates(
  tx: Transaction,
  { types, cast }: World,
  wallet: WalletTarget,
  { budgets, expiry }: SetUp,
  nowMs: number,
): void {
  delegates.initialize(tx, wallet);
  const unlimited = 2n ** 64n - 1n;
  for (const { address: delegate } of [cast.agent, cast.friend]) {
    const agents = delegate === cast.agent.address;
    delegates.add(tx, wallet, delegate);
    for (const service of services) {
      const amount = agents ? budgets.services[service] : unlimited;
      if (amount > 0n) {
        delegates.setServiceAllowance(tx, wallet, { delegate, service: types.services[service], amount });
      }
    }
    for (const coin of coins) {
      const amount = agents ? budgets.coins[coin] : unlimited;
      if (amount > 0n)
        delegates.setCoinAllowance(tx, wallet, { delegate, coinType: types.coins[coin], amount });
    }
  }
  if (expiry === 'none') return;
  const expiresAtMs = expiry === 'over' ? 1n : BigInt(nowMs) + deadlineMs;
  delegates.setExpiry(tx, wallet, { delegate: cast.agent.address, expiresAtMs });
}

const holdsGrant = ({ grants }: SetUp, service: Service) =>
  coins.some((coin) => grants[service][coin].allowance > 0n);

/**
 * Adds an asset of the owner's and one for each service with a grant, under names that programs use. Binds an account
 * for each such service.
 */
function keepThings(
  tx: Transaction,
  { packages, types, cast, mixed }: World,
  { wallet }: WalletTarget,
  setUp: SetUp,
): void {
  const guard = packages.money_guard;
  const thing = `${guard}::bank::Thing`;
  const make = () => tx.moveCall({ target: `${guard}::bank::make` });
  const on = tx.object(wallet);
  tx.moveCall({
    target: `${packages.wallet}::wallet::add_asset`,
    typeArguments: [thing],
    arguments: [on, make(), tx.pure.string('a')],
  });
  const account = tx.pure.address(cast.friend.address);
  for (const service of services) {
    if (!holdsGrant(setUp, service)) continue;
    if (service === 'T') {
      const witness = tx.moveCall({ target: `${guard}::ally::witness` });
      tx.moveCall({
        target: `${packages.wallet}::wallet::receive_asset_from_service`,
        typeArguments: [types.services.T, thing],
        arguments: [on, make(), tx.pure.string('a'), witness],
      });
    } else if (!mixed) {
      // A module that calls the wallet by itself must be linked to the wallet's version.
      const target = `${guard}::${service === 'S' ? 'service' : 'bank'}::lend`;
      tx.moveCall({ target, arguments: [on, tx.pure.string('a')] });
    }
    tx.moveCall({
      target: `${packages.wallet}::wallet::bind_external_account`,
      typeArguments: [types.services[service]],
      arguments: [on, account],
    });
  }
}

function addPolicy(
  tx: Transaction,
  { packages, originalWallet, types, cast, mixed }: World,
  wallet: WalletTarget,
  board: ReturnType<Transaction['object']>,
  { trustsService, trustsBearer, listed, spendInto }: NonNullable<SetUp['policy']>,
): void {
  const { capAuth, scopedAuth, scopedBudget } = policies.walletRules(originalWallet);
  const on = tx.object(wallet.wallet);
  policies.initialize(tx, wallet);
  if (trustsService) {
    policies.addAuthRule(tx, wallet, types.services.S);
    policies.addCaveatRule(tx, wallet, { rule: types.services.S, auth: types.services.S });
  }
  if (!mixed) allowlist.createAllowlist(tx, { rulesPackageId: packages.rules, wallet: wallet.wallet });
  if (trustsBearer) {
    policies.addAuthRule(tx, wallet, capAuth);
    const rule = listed && !mixed ? allowlist.allowlistRule(packages.rules) : types.services.T;
    policies.addCaveatRule(tx, wallet, { rule, auth: capAuth });
  }
  policies.addAuthRule(tx, wallet, scopedAuth);
  policies.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
  policies.setSpendInto(tx, wallet, spendInto);
  const coinType = types.coins.A;
  tx.moveCall({
    target: `${packages.wallet}::sub_delegate::mint_root_and_transfer`,
    typeArguments: [coinType],
    arguments: [on, tx.pure.u64(capBudget), tx.pure.u8(2), tx.pure.address(cast.agent.address)],
  });
  tx.moveCall({
    target: `${packages.wallet}::cap_auth::mint_and_transfer`,
    arguments: [on, tx.pure.address(cast.agent.address)],
  });
  const scoped = tx.moveCall({
    target: `${packages.wallet}::sub_delegate::mint_root`,
    typeArguments: [coinType],
    arguments: [on, tx.pure.u64(capBudget), tx.pure.u8(2)],
  });
  tx.moveCall({ target: `${packages.money_guard}::board::add_scoped`, arguments: [board, scoped] });
  const bearer = tx.moveCall({ target: `${packages.wallet}::cap_auth::mint`, arguments: [on] });
  tx.moveCall({ target: `${packages.money_guard}::board::add_bearer`, arguments: [board, bearer] });
}

function addJob(
  tx: Transaction,
  world: World,
  { wallet }: WalletTarget,
  { job: { state, assessor } }: SetUp,
  nowMs: number,
): void {
  const { packages, types, cast } = world;
  const assessors = {
    service: types.services.S,
    bank: types.services.Bank,
    cap: `${packages.escrow}::cap_assessor::CapAssessor`,
  };
  const typeArguments = [types.coins.A];
  const job = tx.moveCall({
    target: `${packages.escrow}::job::create`,
    typeArguments: [...typeArguments, assessors[assessor]],
    arguments: [
      ...[tx.object(wallet), tx.pure.address(cast.friend.address), tx.pure.u64(jobAmount)],
      ...[
        tx.pure.u64(BigInt(nowMs) + deadlineMs),
        tx.pure.string('Work.'),
        tx.object(clock(world.network.ledger)),
      ],
    ],
  });
  // A job with an assessor's cap gets the cap before it is funded.
  if (assessor === 'cap' && state !== 'open') {
    tx.moveCall({
      target: `${packages.escrow}::cap_assessor::mint_and_transfer`,
      typeArguments,
      arguments: [job, tx.pure.address(cast.stranger.address), tx.object(wallet)],
    });
  }
  if (state !== 'open') {
    const funds = mint(tx, world, 'A', jobAmount);
    tx.moveCall({ target: `${packages.escrow}::job::fund`, typeArguments, arguments: [job, funds] });
  }
  tx.moveCall({ target: `${packages.escrow}::job::share`, typeArguments, arguments: [job] });
}
