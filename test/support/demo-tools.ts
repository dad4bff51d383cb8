import { join } from 'node:path';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Account } from '@adaptor-marketplace/localnet/account';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import {
  type DraftAnswer,
  draftAnswer,
  internalAgentHeader,
  protocolsAnswer,
} from '../../lib/actions/tools-api.ts';
import { walletKeypair } from '../../lib/agent/wallet-key.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import type { DemoFile } from '../../services/demo/file.ts';
import { startDemoNetwork } from '../../services/demo/network.ts';
import { settingsOf } from '../../services/demo/settings.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { startTools } from '../../services/tools/start.ts';
import { eventually } from './eventually.ts';
import { openTestDatabase } from './indexing.ts';
import { createDataDir } from './service.ts';

/** The demo's network and marketplace, an index of it, and the tool service over both. */
export interface DemoTools {
  demo: DemoFile;
  settings: NetworkSettings;
  db: Database;
  client: ChainClient;
  owner: Account;
  /** The host, whose managed key pays the gas. */
  host: Account;
  /** The address of the host's that acts for a wallet, for whom the tool service drafts. */
  actor(walletId: string): Account;
  url: string;
  /** Asks the tool service, as the agent service does. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Asks it, or the tool service at another url, for a draft: for the owner's wallet, or another of the owner's. */
  post(request: Record<string, unknown>, at?: { url?: string }): Promise<Response>;
  /** The draft for the owner's wallet, or another of the owner's. @throws Error where there is none */
  draft(request: Record<string, unknown>): Promise<DraftAnswer>;
  /** Resolves when the index has read all that the chain's owners did so far. */
  knowsAll(): Promise<void>;
  close(): Promise<void>;
}

/** By which the agent service of this network would prove itself. */
export const internalSecret = 'tools-and-agent-of-a-test';

export async function startDemoTools(): Promise<DemoTools> {
  await using starting = new AsyncDisposableStack();
  const { dir, remove } = await createDataDir();
  starting.defer(remove);
  const host = '127.0.0.1';
  const options = { dataDir: join(dir, 'demo'), host, publicHost: host, port: 0, log: silentLogger };
  const network = await startDemoNetwork(options);
  starting.defer(() => network.close());
  const { demo } = network;
  const settings = settingsOf(demo);
  const client = createChainClient({ url: demo.rpcUrl });
  starting.defer(() => client.close());
  const db = await openTestDatabase();
  starting.defer(() => db.drop());
  // The blob store is the network's own.
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  starting.defer(() => outbound.close());
  const indexer = startIndexer({ db, networks: [settings], outbound, log: silentLogger });
  starting.defer(() => indexer.close());
  const tools = await startTools({
    ...{ db, host, port: 0, networks: [settings], internalSecret },
    ...{ log: silentLogger, metrics: new Registry() },
  });
  starting.defer(() => tools.close());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(tools.url + path, { ...init, headers: { [internalAgentHeader]: internalSecret, ...init.headers } });
  // Manifests and publishers are judged after the events that name them are stored.
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
    account(walletKeypair(payer.keypair, demo.network, walletId).getSecretKey());
  const common = { owner: owner.address, walletId: demo.owner.walletId, network: demo.network };
  const post: DemoTools['post'] = (fields, { url = tools.url } = {}) => {
    const request = { ...common, ...fields };
    return fetch(`${url}/draft`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [internalAgentHeader]: internalSecret },
      body: JSON.stringify({ sender: actor(request.walletId).address, request }),
    });
  };
  const running = starting.move();
  return {
    ...{ demo, settings, db, client, owner, actor, host: payer, url: tools.url, ask, knowsAll },
    post,
    async draft(request) {
      const answer = await post(request);
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      return draftAnswer.parse(await answer.json());
    },
    close: () => running.disposeAsync(),
  };
}
