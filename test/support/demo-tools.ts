import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  allowlist,
  allowlistRule,
  bearerCap as bearerCaps,
  delegate as delegates,
  policy,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { slots } from '../../lib/actions/slots.ts';
import {
  internalAgentHeader,
  protocolsAnswer,
  type TransactionDraft,
  transactionDraft,
} from '../../lib/actions/tools-api.ts';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createPhases } from '../../lib/log/phases.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { type AgentOptions, startAgent } from '../../services/agent/index.ts';
import { createLocalSigner } from '../../services/agent/key/signer.ts';
import { type DemoFile, toSettings } from '../../services/demo/file.ts';
import { startDemoNetwork } from '../../services/demo/network.ts';
import { SUI } from '../../services/demo/publish.ts';
import { addDelegate, type DemoWallet, openWallet, type SetUp } from '../../services/demo/wallets.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { type IndexerOptions, startIndexer } from '../../services/indexer/index.ts';
import { startTools } from '../../services/tools/start.ts';
import type { TestAgent } from './agent-world.ts';
import { buildRequest } from './build-request.ts';
import { readChain } from './chain-reads.ts';
import { openTestDatabase } from './database.ts';
import { createDemoDir } from './demo-dir.ts';
import { eventually } from './eventually.ts';
import { hostLimits, publicUrl } from './host-limits.ts';
import { adminSecret } from './keys.ts';
import { createTesterClient } from './tester-client.ts';

/** The demo's network and marketplace, an index of it, and the tool service over both. */
export interface DemoTools {
  demo: DemoFile;
  settings: NetworkSettings;
  db: Database;
  client: ChainClient;
  owner: Account;
  /** The account of the managed key, which pays the gas. */
  host: Account;
  /** The managed address that acts for a wallet. The tool service drafts for it. */
  actor(walletId: string): Account;
  url: string;
  /** Sends a request to the tool service, as the agent service does. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Requests a draft for the owner's wallet, or for another one of the owner's. `url` names another tool service. */
  post(request: Record<string, unknown>, at?: { url?: string }): Promise<Response>;
  /** Returns the draft for the owner's wallet, or for another one of the owner's. @throws Error if it is refused */
  draft(request: Record<string, unknown>): Promise<TransactionDraft>;
  /** Resolves when the index has read everything that the owners of the chain have done so far. */
  knowsAll(): Promise<void>;
  close(): Promise<void>;
}

/** Secret with which the agent service of this network authenticates itself. */
export const internalSecret = 'tools-and-agent-of-a-test';

/** @param lookAgainMs milliseconds after which a worker of the indexer looks for work that nobody reported */
export async function startDemoTools({
  lookAgainMs,
}: Pick<IndexerOptions, 'lookAgainMs'> = {}): Promise<DemoTools> {
  await using starting = new AsyncDisposableStack();
  const { dir, remove } = await createDemoDir();
  starting.defer(remove);
  const host = '127.0.0.1';
  const { during } = createPhases(silentLogger);
  const options = { dataDir: dir, host, publicHost: host, port: 0, log: silentLogger, during };
  // A source without events reports its progress every 25 checkpoints. `knowsAll` waits for that.
  const network = await startDemoNetwork({ ...options, checkpointIntervalMs: 20 });
  starting.defer(() => network.close());
  const { demo } = network;
  const settings = toSettings(demo);
  const client = createTesterClient(demo.rpcUrl);
  starting.defer(() => client.close());
  const db = await openTestDatabase();
  starting.defer(() => db.close());
  // The blob store is the network's own.
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  starting.defer(() => outbound.close());
  const indexer = startIndexer({ db, networks: [settings], outbound, log: silentLogger, lookAgainMs });
  starting.defer(() => indexer.close());
  const tools = await startTools({
    db,
    host,
    port: 0,
    networks: [settings],
    internalSecret,
    log: silentLogger,
    metrics: new Registry(),
  });
  starting.defer(() => tools.close());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(tools.url + path, { ...init, headers: { [internalAgentHeader]: internalSecret, ...init.headers } });
  // Manifests and publishers are checked after the events that name them are stored.
  await eventually(async () => {
    const { protocols } = protocolsAnswer.parse(await (await ask('/protocols?network=testnet')).json());
    const missing = protocols.filter(({ status }) => status !== 'ready');
    if (missing.length > 0) throw new Error(JSON.stringify(missing));
  });
  const knowsAll = async () => {
    const { response } = await client.ledgerService.getServiceInfo({});
    await eventually(async () => {
      const { rows } = await db.pool.query('select name from sources where checkpoint < $1', [
        String(response.checkpointHeight),
      ]);
      if (rows.length > 0) throw new Error(`not read yet: ${rows.map(({ name }) => name)}`);
    });
  };
  const account = (secretKey: string): Account => {
    const keypair = Ed25519Keypair.fromSecretKey(secretKey);
    return { address: keypair.toSuiAddress(), keypair, client };
  };
  const [owner, payer] = [account(demo.owner.secretKey), account(demo.host.secretKey)];
  const actor = (walletId: string) =>
    account(deriveWalletKeypair(payer.keypair, demo.network, walletId).getSecretKey());
  const common = { owner: owner.address, walletId: demo.owner.walletId, network: demo.network };
  const post: DemoTools['post'] = (fields, { url = tools.url } = {}) => {
    const request = { ...common, ...fields };
    return fetch(
      `${url}/draft`,
      buildRequest(
        { sender: actor(request.walletId).address, request },
        { [internalAgentHeader]: internalSecret },
      ),
    );
  };
  const running = starting.move();
  return {
    demo,
    settings,
    db,
    client,
    owner,
    actor,
    host: payer,
    url: tools.url,
    ask,
    knowsAll,
    post,
    async draft(request) {
      const answer = await post(request);
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      return transactionDraft.parse(await answer.json());
    },
    close: () => running.disposeAsync(),
  };
}

/** All coins that the adaptors of the slots move. */
export function listSlotCoins({ demo }: DemoTools): string[] {
  return [...new Set([SUI, ...slots.flatMap((slot) => Object.values(demo.venues[slot].coins))])];
}

/** A wallet of the owner's with 30 SUI. Its agent may use the adaptor of every slot without a limit. */
export async function walletForAgent(world: DemoTools, ...more: SetUp[]): Promise<DemoWallet> {
  const services = [...new Set(slots.map((slot) => world.demo.venues[slot].serviceType))];
  const coins = listSlotCoins(world);
  const grants: SetUp = (tx, wallet) => {
    for (const service of services) {
      for (const coinType of coins) {
        wallets.grantServiceCoin(tx, wallet, { service, coinType, allowance: unlimitedAllowance });
      }
    }
  };
  const wallet = await openWallet(world.owner, world.demo.packages.wallet, { acting: [], setUp: [grants] });
  const delegate = {
    address: world.actor(wallet.walletId).address,
    services: services.map((serviceType) => ({ serviceType, amount: unlimitedAllowance })),
    coins: coins.map((coinType) => ({ coinType, amount: unlimitedAllowance })),
  };
  const granted = await execute(world.owner, (tx) => {
    delegates.initialize(tx, wallet.target);
    addDelegate(tx, wallet.target, delegate);
    for (const append of more) append(tx, wallet.target);
  });
  return { ...wallet, made: { ...granted, created: [...wallet.made.created, ...granted.created] } };
}

/**
 * Gives a wallet a policy, and its agent a cap of each kind. Scoped caps spend their budget, here `budget` of SUI.
 * Bearer caps pay the recipients on the wallet's allowlist, which is still empty.
 */
export const capsForAgent =
  ({ demo, actor }: DemoTools, budget: bigint): SetUp =>
  (tx, wallet) => {
    const agent = actor(String(wallet.wallet));
    const { capAuth, scopedAuth, scopedBudget } = policy.walletRules(demo.packages.wallet);
    const rulesPackageId = demo.packages.rules;
    policy.initialize(tx, wallet);
    policy.addAuthRule(tx, wallet, capAuth);
    policy.addCaveatRule(tx, wallet, { rule: allowlistRule(rulesPackageId), auth: capAuth });
    policy.addAuthRule(tx, wallet, scopedAuth);
    policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
    allowlist.createAllowlist(tx, { rulesPackageId, wallet: wallet.wallet });
    bearerCaps.mint(tx, wallet, agent.address);
    scopedCaps.mintRoot(tx, wallet, { coinType: SUI, budget, maxDepth: 0, recipient: agent.address });
  };

/** Reads a wallet's balances from the chain, in base units by coin type. */
export async function readBalances(
  { client, demo, owner }: DemoTools,
  walletId: string,
  coinTypes: readonly string[],
): Promise<Map<string, bigint>> {
  const target = `${demo.packages.wallet}::wallet::balance`;
  const reads = coinTypes.map((coinType) => ({ target, typeArguments: [coinType], arguments: [walletId] }));
  const balances = await readChain(client, owner.address, reads);
  return new Map(coinTypes.map((coinType, place) => [coinType, balances[place]![0]!]));
}

/** Moves `amount` of dollars from the owner's first wallet to another one. */
export async function moveDollars(
  { client, demo, owner }: DemoTools,
  { target }: DemoWallet,
  amount: bigint,
): Promise<void> {
  const coinType = demo.venues.swap.coins.b!;
  const from = { packageId: demo.packages.wallet, wallet: demo.owner.walletId };
  await execute(owner, (tx) => wallets.takeCoin(tx, from, { coinType, amount }));
  const { objects } = await client.listCoins({ owner: owner.address, coinType });
  await execute(owner, (tx) => {
    wallets.deposit(tx, target, { coinType, coin: tx.object(objects[0]!.objectId) });
  });
}

/**
 * An agent service with the managed key, behind a gateway. It serves the demo's network or another one.
 * @param toolsUrl URL of its tool service; by default the demo's own
 * @param more options that differ from the defaults
 */
export async function startDemoAgent(
  { db, settings, host, url }: Pick<DemoTools, 'db' | 'settings' | 'host' | 'url'>,
  toolsUrl = url,
  more: Partial<AgentOptions> = {},
): Promise<Pick<TestAgent, 'ask' | 'close'>> {
  await using starting = new AsyncDisposableStack();
  const common = {
    db,
    networks: [settings],
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    defaultNetwork: 'testnet' as const,
  };
  const signer = await createLocalSigner({ secretKey: host.keypair.getSecretKey() });
  const service = await startAgent({
    ...common,
    signer,
    toolsUrl,
    internalSecret,
    adminSecret,
    ...hostLimits,
    publicUrl,
    metrics: new Registry(),
    ...more,
  });
  starting.defer(() => service.close());
  const gateway = await startGateway({
    ...common,
    maxLagSeconds: 3_600,
    agentUrl: service.url,
    metrics: new Registry(),
  });
  starting.defer(() => gateway.close());
  const running = starting.move();
  return {
    ask: (path, init = {}) => fetch(gateway.url + path, init),
    close: () => running.disposeAsync(),
  };
}

/** A gas budget that suffices for any action, in MIST. */
const gasBudget = 100_000_000n;

/**
 * Signs a drafted transaction as the address that acts for the wallet, and executes it without a simulation. The owner
 * pays the gas: an agent would freeze the wallet of a transaction that its own coins paid for and that it has no run of.
 * @param transactionKind base64
 */
export async function sendSponsored(
  { client, owner, actor }: Pick<DemoTools, 'client' | 'owner' | 'actor'>,
  walletId: string,
  transactionKind: string,
) {
  const sender = actor(walletId);
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender.address);
  transaction.setGasOwner(owner.address);
  // All gas fields are set, so the client sends no request to the node before it signs.
  const { objects } = await client.listCoins({ owner: owner.address, coinType: SUI });
  transaction.setGasPayment(objects.slice(0, 10));
  transaction.setGasBudget(gasBudget);
  transaction.setGasPrice((await client.getReferenceGasPrice()).referenceGasPrice);
  const bytes = await transaction.build({ client });
  const signed = await Promise.all([sender, owner].map(({ keypair }) => keypair.signTransaction(bytes)));
  const signatures = signed.map(({ signature }) => signature);
  const done = await client.executeTransaction({ transaction: bytes, signatures });
  const { digest } = done.$kind === 'Transaction' ? done.Transaction : done.FailedTransaction;
  await client.waitForTransaction({ digest });
  return done;
}
