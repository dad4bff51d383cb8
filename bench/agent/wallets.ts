import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  policy,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { RunStep } from '../../lib/agent/shapes.ts';
import type { DemoFile } from '../../services/demo/file.ts';
import { findCreatedObject, SUI } from '../../services/demo/publish.ts';

const walletCount = 10;

/** A marketplace with the demo, at the url of its HTTP API. */
interface Marketplace {
  demo: DemoFile;
  url: string;
  adminSecret: string;
}

/**
 * Creates wallets of the demo owner, each with a cap of its own agent address. Returns a function for each that spends
 * from it, over the url of another gateway if it is given.
 */
export async function openWallets(
  { demo, url, adminSecret }: Marketplace,
  client: ChainClient,
): Promise<((gateway?: string) => Promise<void>)[]> {
  const { owner, packages, network, provider } = demo;
  const account = {
    address: owner.address,
    client,
    keypair: Ed25519Keypair.fromSecretKey(owner.secretKey),
  };
  const { scopedAuth, scopedBudget } = policy.walletRules(packages.wallet);
  const json = { 'content-type': 'application/json' };
  const spends: ((gateway?: string) => Promise<void>)[] = [];
  for (let nth = 0; nth < walletCount; nth += 1) {
    const made = await execute(account, (tx) => {
      const wallet = wallets.create(tx, packages.wallet);
      const [coin] = tx.splitCoins(tx.gas, [1_000_000n]);
      wallets.deposit(tx, wallet, { coinType: SUI, coin });
      policy.initialize(tx, wallet);
      policy.addAuthRule(tx, wallet, scopedAuth);
      policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
      wallets.share(tx, wallet);
    });
    const walletId = findCreatedObject(made, '::wallet::Wallet');
    const answer = await fetch(`${url}/api/agent/address?network=${network}&walletId=${walletId}`);
    const { address: recipient } = (await answer.json()) as { address: string };
    await execute(account, (tx) => {
      const wallet = { packageId: packages.wallet, wallet: walletId };
      scopedCaps.mintRoot(tx, wallet, { coinType: SUI, budget: 1_000_000n, maxDepth: 0, recipient });
    });
    const key = await issueKey();
    const headers = { authorization: `Bearer ${key}`, ...json };
    const body = JSON.stringify({
      owner: owner.address,
      walletId,
      network,
      action: 'spend',
      coinType: SUI,
      amount: '1',
      recipient: provider.address,
    });
    await isIndexed();
    spends.push(async (gateway = url) => {
      const response = await fetch(`${gateway}/api/agent/run`, { method: 'POST', headers, body });
      await followSteps(response, performance.now(), new Map());
    });

    /** Issues an executor key. The operator can issue one before the wallet is indexed. */
    async function issueKey(): Promise<string> {
      const issued = await fetch(`${url}/api/agent/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminSecret}`, ...json },
        body: JSON.stringify({ network, walletId }),
      });
      if (issued.ok) return ((await issued.json()) as { key: string }).key;
      throw new Error(`no key was issued: ${await issued.text()}`);
    }

    /** Resolves when the wallet and its cap are indexed. @throws Error if a spend would fail for another reason */
    async function isIndexed(): Promise<void> {
      for (;;) {
        const answer = await fetch(`${url}/api/agent/simulate`, { method: 'POST', headers, body });
        const { wouldSucceed, code, detail } = (await answer.json()) as {
          wouldSucceed?: boolean;
          code?: string;
          detail?: string;
        };
        if (wouldSucceed) return;
        if (code !== 'wallet_not_found' && code !== 'cap_missing') throw new Error(`${code}: ${detail}`);
        await delay(100);
      }
    }
  }
  return spends;
}

/**
 * Records the duration of each step, and the time before the first line as `request`.
 * @throws Error when the run fails
 */
export async function followSteps(
  { status, body }: Response,
  started: number,
  took: Map<string, number>,
): Promise<string> {
  if (status !== 200 || !body) throw new Error(`the run was answered with ${status}`);
  let since = started;
  let last: RunStep | undefined;
  for await (const line of createInterface({ input: Readable.from(body) })) {
    const now = performance.now();
    if (!last) took.set('request', now - since);
    last = JSON.parse(line) as RunStep;
    if (last.status !== 'active') took.set(last.step, now - since);
    since = now;
  }
  if (last?.status !== 'done' || !last.digest) throw new Error(JSON.stringify(last));
  return last.digest;
}
