import { Transaction } from '@mysten/sui/transactions';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import type { AgentOptions } from '../../services/agent/index.ts';
import {
  type AgentWallet,
  type AgentWorld,
  readSteps,
  shop,
  startAgentWorld,
  startTestAgent,
  type TestAgent,
} from '../support/agent-world.ts';
import { coinType } from '../support/wallet-packages.ts';

/*
 * The set-up of a test file of the agent service. The hooks that a file registers here assign these variables before its
 * tests: files of one process run one after the other.
 */

/** The network, the database and the tool service of the test file. */
export let world: AgentWorld;
/** The agent service of the test file, if it calls `useAgent`. */
export let agent: TestAgent;
/** A new wallet for each test. */
export let wallet: AgentWallet;

/** Registers a world for the test file. After each test its tool service is honest and its node behaves again. */
export function useAgentWorld(): void {
  beforeAll(async () => {
    const started = await startAgentWorld();
    world = started;
    return () => started.close();
  });
  beforeEach(async () => {
    wallet = await world.wallet();
  });
  afterEach(() => {
    world.tools.draft = world.honest;
    behave();
  });
}

/** Registers a world and one agent service for the test file. */
export function useAgent(
  readOptions: () => Partial<AgentOptions> | Promise<Partial<AgentOptions>> = () => ({}),
): void {
  useAgentWorld();
  beforeAll(async () => {
    const started = await startTestAgent(world, await readOptions());
    agent = started;
    return () => started.close();
  });
}

/** Transfers the cap of a wallet from the agent's address for it to the recipient. The owner pays the gas. */
export async function giveCap(
  { walletId, capId }: Pick<AgentWallet, 'walletId' | 'capId'>,
  recipient: string,
): Promise<void> {
  const { owner, client } = world.network;
  const holder = deriveWalletKeypair(world.agent.keypair, 'testnet', walletId);
  const transaction = new Transaction();
  transaction.setSender(holder.toSuiAddress());
  transaction.setGasOwner(owner.address);
  transaction.transferObjects([capId], recipient);
  const bytes = await transaction.build({ client });
  const signed = await Promise.all([holder, owner.keypair].map((keypair) => keypair.signTransaction(bytes)));
  const signatures = signed.map(({ signature }) => signature);
  const result = await client.executeTransaction({ transaction: bytes, signatures });
  expect(result.$kind).toBe('Transaction');
}

/** Ends what a test made the node do wrong. */
export function behave(): void {
  world.network.localnet.misbehaviour.set({ loseAnswers: null, failCalls: null });
}

/** The fields of a request that name a wallet; by default the one of the test. */
export const nameWallet = ({ walletId }: Pick<AgentWallet, 'walletId'> = wallet) => ({
  owner: world.network.owner.address,
  walletId,
  network: 'testnet',
});

/** A request to pay the shop 10 base units; by default from the wallet of the test. */
export const spend = (more: Record<string, unknown> = {}, from?: Pick<AgentWallet, 'walletId'>) => ({
  ...nameWallet(from),
  coinType,
  amount: '10',
  recipient: shop,
  ...more,
});

export const readRefusal = async (answer: Response) => [answer.status, (await answer.json()).code];

/** Returns the last line of a finished stream. */
export const readLast = async (answer: Response | Promise<Response>) =>
  (await readSteps(await answer)).at(-1)!;

/** Returns the row of a wallet's latest run; undefined if it has none. */
export async function readRun({ walletId }: Pick<AgentWallet, 'walletId'> = wallet) {
  const latest = 'select * from agent_runs where wallet_id = $1 order by id desc limit 1';
  return (await world.db.pool.query(latest, [walletId])).rows[0];
}
