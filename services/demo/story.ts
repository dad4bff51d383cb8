import {
  bearerCap as bearerCaps,
  policy,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { walletKeypair } from '../../lib/agent/wallet-key.ts';
import type { Cast } from './cast.ts';
import { type Coins, milliSui, SUI } from './coins.ts';
import type { Adaptors } from './deploy.ts';
import { hire, type Jobs, letJobExpire } from './jobs.ts';
import type { Core } from './publish.ts';
import { agentRounds, ownerRounds, takeOut, tip, useAdaptors, useVenues } from './usage.ts';
import {
  addDelegate,
  agentAsDelegate,
  allow,
  capsOf,
  type Delegate,
  type DemoWallet,
  depositDollars,
  grantServices,
  openWallet,
  revokePolicy,
  revokeScopedCap,
  type SetUp,
  scoutAsDelegate,
  setUpPolicy,
  spendThroughCaps,
} from './wallets.ts';

/** The owner's part of the story, for `demo.json`. */
interface Story {
  wallet: DemoWallet;
  /** The host's address that acts for the wallet. */
  managed: Pick<Account, 'address' | 'keypair'>;
  allowlist: string;
  jobs: Jobs;
}

/** The packages and coins that the story uses. */
interface Stage {
  core: Core;
  coins: Coins;
  adaptors: Adaptors;
}

/**
 * Grants to the address by which the host acts for the wallet: budgets as those of `delegate`, a cap of each kind. It is
 * known only once the wallet has its id.
 */
async function grantToHost(
  { host }: Cast,
  wallet: DemoWallet,
  delegate: Delegate,
): Promise<Story['managed']> {
  const keypair = walletKeypair(host.keypair, 'testnet', wallet.walletId);
  const address = keypair.toSuiAddress();
  await execute(wallet.owner, (tx) => {
    addDelegate(tx, wallet.target, { ...delegate, address });
    bearerCaps.mint(tx, wallet.target, address);
    const root = { coinType: SUI, budget: milliSui(5_000), maxDepth: 3, recipient: address };
    scopedCaps.mintRoot(tx, wallet.target, root);
  });
  return { address, keypair };
}

/**
 * Five wallets of five owners, and what happens with them: the owners and their delegates use the adaptors, caps
 * are delegated, spent from and revoked, work is hired.
 */
export async function tellStory(cast: Cast, { core, coins, adaptors }: Stage): Promise<Story> {
  const { owner, ana, ben, cleo, dan, agent, scout, provider, harbour } = cast;
  const agentActs = agentAsDelegate(cast, coins, adaptors);
  const scoutActs = scoutAsDelegate(cast, adaptors);
  const caps =
    (budget: number, scopedCapFor: string): SetUp =>
    (tx, wallet) => {
      const root = { coinType: SUI, budget: milliSui(budget), maxDepth: 3, recipient: scopedCapFor };
      bearerCaps.mint(tx, wallet, agent.address);
      scopedCaps.mintRoot(tx, wallet, root);
    };
  const ownersCaps: SetUp = (tx, wallet) => {
    caps(5_000, agent.address)(tx, wallet);
    policy.setSpendInto(tx, wallet, true);
  };
  const grants: SetUp = (tx, wallet) => grantServices(tx, wallet, adaptors, coins);
  const open = (who: typeof owner, acting: Delegate[], ...setUp: SetUp[]) =>
    openWallet(who, core.wallet, { acting, setUp: [grants, ...setUp] });

  const [owners, anas, bens, cleos, dans] = await Promise.all([
    open(owner, [agentActs, scoutActs], setUpPolicy(core, ownersCaps)),
    open(ana, [agentActs], setUpPolicy(core, caps(1_000, scout.address))),
    open(ben, [agentActs, scoutActs], setUpPolicy(core, caps(1_000, agent.address))),
    open(cleo, [agentActs]),
    open(dan, []),
  ]);
  const all = [owners, anas, bens, cleos, dans];
  await depositDollars(cast.keeper, coins, all);
  const managed = await grantToHost(cast, owners, agentActs);

  const expiring = letJobExpire(cast, core, owners);
  const hiring = hire(cast, core, owners);
  const spending = Promise.all([
    allow(owners, core, [provider.address, harbour.address]).then(() => spendThroughCaps(cast, core, owners)),
    allow(anas, core, [provider.address]),
    revokeScopedCap(anas),
    revokePolicy(cast, core, bens),
  ]);
  const using = Promise.all([
    ...all.map((wallet) =>
      useAdaptors(wallet.owner, coins, adaptors, {
        wallets: [wallet],
        rounds: ownerRounds,
        from: agentRounds,
      }),
    ),
    useAdaptors(agent, coins, adaptors, {
      wallets: [owners, anas, bens, cleos],
      rounds: agentRounds,
      from: 0,
    }),
    useVenues(agent, { coins, adaptors }, { wallets: [owners, anas, bens], ending: bens }),
    tip(scout, owners, adaptors),
    tip(scout, bens, adaptors),
  ]).then(() => Promise.all([owners, dans].map((wallet) => takeOut(wallet, coins, adaptors))));
  const [jobs] = await Promise.all([hiring, expiring, spending, using]);

  await Promise.all([
    execute(ana, (tx) => wallets.revokeService(tx, anas.target, adaptors.termSavings.serviceType)),
    execute(cleo, (tx) => wallets.setPaused(tx, cleos.target, true)),
    execute(dan, (tx) => wallets.takeCoin(tx, dans.target, { coinType: SUI, amount: milliSui(1_000) })),
  ]);
  return { wallet: owners, managed, allowlist: capsOf(owners).allowlist, jobs };
}
