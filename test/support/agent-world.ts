import { policy, scopedCap } from '@adaptor-marketplace/adaptor/transactions';
import type { Account } from '@adaptor-marketplace/localnet/account';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { ActionRequest } from '../../lib/actions/request.ts';
import type { TransactionDraftRequest } from '../../lib/actions/tools-api.ts';
import type { RunStep } from '../../lib/agent/shapes.ts';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { type AgentOptions, startAgent } from '../../services/agent/index.ts';
import { createLocalSigner } from '../../services/agent/key/signer.ts';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { buildRequest } from './build-request.ts';
import { openTestDatabase } from './database.ts';
import { agentOptions, fastTiming } from './host-limits.ts';
import { asAdmin } from './keys.ts';
import { buildDraft, startToolDouble, type ToolDouble } from './tool-double.ts';
import { coinType, newWallet, startWalletPackages, type WalletPackages } from './wallet-packages.ts';
import { walletRows } from './wallet-rows.ts';

export const internalSecret = 'the-internal-secret-of-the-tests';
/** The network has no registry. Listings are rows of the read model. */
const noRegistry = `0x${'f'.repeat(64)}`;
/** Recipient of the tests' payments. */
export const shop = `0x${'5'.repeat(64)}`;

/** A wallet of the owner's that the read model contains. Its agent has a scoped cap for the whole balance. */
export interface AgentWallet {
  walletId: string;
  capId: string;
}

/** A network, an agent's key and a tool service that drafts spends. Tests start the agent service themselves. */
export interface AgentWorld {
  network: WalletPackages;
  agent: Account;
  db: Database;
  tools: ToolDouble;
  /** Drafts a request as an honest tool service does. */
  honest: ToolDouble['draft'];
  options: Omit<AgentOptions, 'metrics'>;
  wallet(): Promise<AgentWallet>;
  /** Returns a wallet's balance of `coinType`, in base units. */
  balance(walletId: string): Promise<bigint>;
  close(): Promise<void>;
}

export async function startAgentWorld(): Promise<AgentWorld> {
  await using starting = new AsyncDisposableStack();
  const network = await startWalletPackages();
  starting.defer(() => network.close());
  const agent = await network.newAccount();
  const db = await openTestDatabase();
  starting.defer(() => db.close());
  const caps = new Map<string, string>();
  const honest = (asked: TransactionDraftRequest) =>
    buildDraft(asked, network.client, (tx, request) => {
      const { amount, recipient, coinType } = request as Extract<ActionRequest, { action: 'spend' }>;
      const wallet = { packageId: network.packages.wallet, wallet: request.walletId };
      const spend = policy.beginSpend(tx, wallet, { coinType, amount: BigInt(amount), recipient });
      scopedCap.spend(tx, network.packages.wallet, { capId: caps.get(request.walletId)!, request: spend });
      policy.confirmSpend(tx, wallet, { coinType, request: spend });
    });
  const tools = await startToolDouble(honest);
  starting.defer(() => tools.close());
  const signer = await createLocalSigner({ secretKey: agent.keypair.getSecretKey() });
  const rows = walletRows(db);
  const { wallet: walletPackageId, rules: rulesPackageId } = network.packages;
  const settings = { network: 'testnet' as const, rpcUrl: network.localnet.rpcUrl };
  const running = starting.move();
  return {
    network,
    agent,
    db,
    tools,
    honest,
    options: {
      ...agentOptions,
      db,
      signer,
      internalSecret,
      toolsUrl: tools.url,
      networks: [{ ...settings, walletPackageId, rulesPackageId, registryPackageId: noRegistry }],
    },
    async wallet() {
      const { walletId, wallet } = await newWallet(network);
      const recipient = deriveWalletKeypair(agent.keypair, 'testnet', walletId).toSuiAddress();
      const made = await network.run(network.owner, (tx) => {
        scopedCap.mintRoot(tx, wallet, { coinType, budget: 1000n, maxDepth: 0, recipient });
      });
      await rows.wallet(network.owner.address, { walletId, identity: walletId });
      const capId = findCreatedObject(made, '::sub_delegate::ScopedCap');
      caps.set(walletId, capId);
      return { walletId, capId };
    },
    async balance(walletId) {
      const parentId = walletId;
      const { dynamicFields } = await network.client.listDynamicFields({ parentId });
      const name = dynamicFields.find(({ type }) => type.includes('::wallet::BalanceKey<'))!.name;
      const { dynamicField } = await network.client.getDynamicField({ parentId, name });
      return Buffer.from(dynamicField.value.bcs).readBigUInt64LE();
    },
    close: () => running.disposeAsync(),
  };
}

/** A running agent service, and requests to it. */
export interface TestAgent {
  url: string;
  metrics: Registry;
  /** Sends a run. `as` are the caller's headers; by default those of an internal service. */
  post(body: unknown, as?: Record<string, string>): Promise<Response>;
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export const asInternal = { 'x-svc-internal-agent': internalSecret };

export async function startTestAgent(
  { options }: AgentWorld,
  more: Partial<AgentOptions> = {},
): Promise<TestAgent> {
  const metrics = new Registry();
  const { url, close } = await startAgent({ ...options, metrics, ...fastTiming, ...more });
  const ask = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init);
  const post = (body: unknown, as: Record<string, string> = asInternal) =>
    ask('/api/agent/run', buildRequest(body, as));
  return { url, metrics, post, ask, close };
}

/** Lines of a finished stream. Each of its events must be a progress event. */
export async function readSteps(answer: Response): Promise<RunStep[]> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Issues an executor key for a wallet with these bounds. `as` are the caller's headers; by default the admin's. */
export async function issueExecutorKey(
  { ask }: Pick<TestAgent, 'ask'>,
  walletId: string,
  bounds: object = {},
  as: Record<string, string> = asAdmin,
): Promise<{ id: string; key: string }> {
  const answer = await ask('/api/agent/keys', buildRequest({ network: 'testnet', walletId, ...bounds }, as));
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

/** An executor key for a wallet, as a header. */
export async function executorKey(
  ...asked: Parameters<typeof issueExecutorKey>
): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await issueExecutorKey(...asked)).key}` };
}

/** Sends an action of a wallet. */
export const postAction = (
  { ask }: Pick<TestAgent, 'ask'>,
  path: 'run' | 'simulate',
  { owner, walletId }: { owner: { address: string }; walletId: string },
  fields: object,
  headers: Record<string, string>,
) =>
  ask(
    `/api/agent/${path}`,
    buildRequest({ owner: owner.address, walletId, network: 'testnet', ...fields }, headers),
  );
