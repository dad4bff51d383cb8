import {
  type AgentActionRequest,
  createMarketplace,
  MarketplaceError,
  pages,
  verifyWebhook,
} from '@adaptor-marketplace/sdk';
import { fundWallet, grant, register, revoke } from '@adaptor-marketplace/sdk/transactions';
import { verifyEntry } from '@adaptor-marketplace/sdk/verify';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';

// The same file runs in each runtime, with the package as it is installed. It uses only APIs that all runtimes have.

/** A running marketplace on a local network, as `demo.json` describes it. */
export interface World {
  /**
   * Name of the runtime. Its webhook and its requests contain the name, so that they differ from those of the other
   * runtimes.
   */
  runtime: string;
  baseUrl: string;
  rpcUrl: string;
  faucetUrl: string;
  registry: { packageId: string; objectId: string };
  walletPackageId: string;
  owner: { address: string; secretKey: string; walletId: string };
  executorKey: string;
  recipient: string;
  adminSecret: string;
  /** URL of the receiver. It stores deliveries to `/<path>`, and returns them to a GET of the same path. */
  receiverUrl: string;
  /** A package to publish: modules in base64, and the ids of its dependencies. */
  package: { modules: string[]; dependencies: string[]; witness: string };
}

export interface Outcome {
  name: string;
  error?: string;
}

const sui = '0x2::sui::SUI';

function must(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  must(one === other, `${what}: ${one} is not ${other}`);
}

async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`it never came: ${what}`);
}

/** Signs and executes as an app does, and waits until the node shows the transaction. */
async function execute(client: SuiGrpcClient, signer: Ed25519Keypair, transaction: Transaction) {
  const include = { effects: true } as const;
  const result = await client.signAndExecuteTransaction({ transaction, signer, include });
  must(result.Transaction, `the transaction failed: ${JSON.stringify(result.FailedTransaction?.status)}`);
  await client.waitForTransaction({ digest: result.Transaction.digest });
  return result.Transaction;
}

/** Checks of the SDK, in the order in which they run. */
export const promises: Record<string, (world: World, client: SuiGrpcClient) => Promise<void>> = {
  async 'lists the catalog, whole and in pages'({ baseUrl }) {
    const market = createMarketplace({ baseUrl: `${baseUrl}/` });
    const all = await Array.fromAsync(market.adaptors({ sort: 'name' }));
    must(all.length > 5, `only ${all.length} entries`);
    const getServiceType = ({ serviceType }: { serviceType: string }) => serviceType;
    const paged = await Array.fromAsync(market.adaptors({ sort: 'name', limit: 2 }));
    same(paged.map(getServiceType), all.map(getServiceType), 'entries of pages');
    const { serviceType } = all[0]!;
    const versions = pages((cursor) =>
      market.api.listAdaptorVersions({
        path: { serviceType },
        query: cursor === undefined ? {} : { cursor },
      }),
    );
    must((await Array.fromAsync(versions)).length === 1, 'the versions have one page');
  },

  async 'searches the catalog'({ baseUrl }) {
    const found = await Array.fromAsync(createMarketplace({ baseUrl }).adaptors({ q: 'reef vault' }));
    same(found[0]?.manifest.name, 'Reef Vault', 'the best match');
  },

  async 'throws an error with the code of the marketplace'({ baseUrl }) {
    const { api } = createMarketplace({ baseUrl });
    const path = { serviceType: `0x${'9'.repeat(64)}::no::No` };
    const error = await api.getAdaptor({ path }).catch((thrown: unknown) => thrown);
    must(error instanceof MarketplaceError, `no MarketplaceError: ${error}`);
    same(
      [error.status, error.code, typeof error.requestId],
      [404, 'listing_not_found', 'string'],
      'the error',
    );
    const away = createMarketplace({ baseUrl: 'http://127.0.0.1:9' });
    const none = await away.api.getStatus().catch((thrown: unknown) => thrown);
    same((none as Error).name, 'ConnectionError', 'the error without a response');
  },

  async 'verifies an entry against the chain, and refuses what was changed or squatted'(world, client) {
    const { baseUrl, registry } = world;
    const market = createMarketplace({ baseUrl });
    const entries = await Array.fromAsync(market.adaptors({ include: 'unverified' }));
    const vault = entries.find(({ manifest }) => manifest.name === 'Reef Vault');
    const squatted = entries.find(({ publisherVerified }) => !publisherVerified);
    must(vault && squatted, 'the demo has a vault, and a listing of a squatter');
    const verdict = await verifyEntry(client, registry, vault);
    must(verdict.verified, JSON.stringify(verdict));
    const failedChecks = async (entry: typeof vault) => {
      const { verified, checks } = await verifyEntry(client, registry, entry);
      must(!verified, 'it is verified');
      return Object.entries(checks).flatMap(([name, { status }]) => (status === 'failed' ? [name] : []));
    };
    const dearer = { ...vault.manifest, feeBps: 9_999 };
    same(await failedChecks({ ...vault, manifest: dearer }), ['manifest'], 'another manifest');
    same(await failedChecks({ ...vault, version: vault.version + 1 }), ['listing'], 'another version');
    same(await failedChecks({ ...vault, manifestHash: '0'.repeat(64) }), ['listing'], 'another hash');
    const stranger = { ...vault, publisher: squatted.publisher };
    must((await failedChecks(stranger)).includes('listing'), 'another publisher');
    same(await failedChecks(squatted), ['publisher'], 'the squatter');
  },

  async 'drafts, signs and registers a listing, and follows it to the catalog'(world, client) {
    const { baseUrl, registry, runtime, faucetUrl } = world;
    const market = createMarketplace({ baseUrl });
    const key = new Ed25519Keypair();
    const sender = key.toSuiAddress();
    await requestSuiFromFaucetV2({ host: faucetUrl, recipient: sender });
    const publish = new Transaction();
    publish.setSender(sender);
    const { dependencies, witness } = world.package;
    const modules = world.package.modules.map((module) => [...fromBase64(module)]);
    publish.transferObjects([publish.publish({ modules, dependencies })], sender);
    const { effects } = await execute(client, key, publish);
    const packageId = effects.changedObjects.find(
      ({ outputState }) => outputState === 'PackageWrite',
    )?.objectId;
    must(packageId, 'publishing made no package');

    const stop = new AbortController();
    const events = market.events({ signal: stop.signal, after: await lastCursor(world) });
    const body = { packageId, name: `Greeter ${runtime}`, summary: 'Hands a coin on.', upload: true };
    // The marketplace's node may be some milliseconds behind the node that executed the transaction.
    const draft = await until('the draft', () =>
      market.api.draftListing({ body }).catch((error: MarketplaceError) => {
        if (error.status !== 422) throw error;
        return undefined;
      }),
    );
    const { serviceType, manifestUri, manifestHash } = draft;
    must(manifestUri, 'the manifest was not stored');
    must(serviceType.endsWith(`::${witness}`), `the draft is for ${serviceType}`);
    await execute(
      client,
      key,
      register(sender, registry, { serviceType, packageId, manifestUri, manifestHash }),
    );
    const event = await first(events, ({ data }) => data?.serviceType === serviceType);
    same([event.event, event.data?.publisher], ['Registered', sender], 'the event');
    const ownEvents = market.serviceEvents({ after: 'svc_0', signal: stop.signal });
    const ownEvent = await first(ownEvents, ({ event: kind, data }) => {
      return kind === 'PublisherVerified' && data.serviceType === serviceType;
    });
    same(ownEvent.data.publisher, sender, 'the event of the service');
    stop.abort();
    const entry = await until('the entry', async () => {
      const found = await Array.fromAsync(market.adaptors({ ids: serviceType }));
      return found[0];
    });
    must((await verifyEntry(client, registry, entry)).verified, 'the own listing is not verified');
  },

  async 'signs transactions of a wallet'({ baseUrl, owner, walletPackageId }, client) {
    const key = Ed25519Keypair.fromSecretKey(owner.secretKey);
    const wallet = { packageId: walletPackageId, walletId: owner.walletId };
    const [tipJar] = await Array.fromAsync(createMarketplace({ baseUrl }).adaptors({ q: 'tip jar' }));
    const service = tipJar!.serviceType;
    await execute(client, key, fundWallet(owner.address, wallet, { coinType: sui, amount: 1_000_000n }));
    await execute(client, key, grant(owner.address, wallet, { service, coinType: sui, allowance: 5n }));
    await execute(client, key, revoke(owner.address, wallet, service));
  },

  async 'receives a webhook and verifies it'({ baseUrl, adminSecret, runtime, receiverUrl }) {
    const admin = createMarketplace({ baseUrl, token: adminSecret });
    const { key } = await admin.api.issueKey({ body: { integrator: runtime, ratePerMin: 600 } });
    const { api } = createMarketplace({ baseUrl, apiKey: key });
    const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
    const url = `${receiverUrl}/${runtime}`;
    const { id } = await api.createWebhook({ body: { url, events: ['Registered'], secret } });
    await api.sendTestEvent({ path: { id } });
    const [delivery] = await until('the test event', async () => {
      const received: { body: string; headers: Record<string, string> }[] = await (await fetch(url)).json();
      return received.length > 0 ? received : undefined;
    });
    must(delivery, 'a delivery came');
    const body = fromBase64(delivery.body);
    const { headers } = delivery;
    const event = await verifyWebhook({ body, headers, secret: ['the-next-secret', secret] });
    same(event.event, 'Test', 'the event');
    same(await verifyWebhook({ body, headers, secret, signature: 'body' }), event, 'the other signature');
    const wrong = await verifyWebhook({ body, headers, secret: 'another-secret' }).catch(
      (error) => error.code,
    );
    same(wrong, 'wrong_signature', 'with another secret');
    await api.deleteWebhook({ path: { id } });
  },

  async 'runs an action, and attaches to its run again'({ baseUrl, executorKey, owner, runtime, recipient }) {
    const market = createMarketplace({ baseUrl, token: executorKey });
    const spend = (amount: string, requestId: string): AgentActionRequest => ({
      action: 'spend',
      owner: owner.address,
      walletId: owner.walletId,
      coinType: sui,
      amount,
      recipient,
      requestId,
    });
    const action = spend('1000', `sdk-${runtime}`);
    const steps = await Array.fromAsync(market.runAction(action));
    same(
      [steps[0]?.step, steps.at(-1)?.step, steps.at(-1)?.status],
      ['validate', 'confirm', 'done'],
      'steps',
    );
    must(steps.at(-1)?.digest, 'the last step has the digest');
    same(await Array.fromAsync(market.runAction(action)), steps, 'the same run');
    const tooMuch = spend('9000000000000000000', `sdk-${runtime}-2`);
    const error = await Array.fromAsync(market.runAction(tooMuch)).catch((thrown) => thrown);
    must(typeof error.code === 'string', `it does not fail with a code: ${error}`);
  },
};

/** Cursor of the newest event. */
async function lastCursor({ baseUrl }: World): Promise<string> {
  const { api } = createMarketplace({ baseUrl });
  const { cursor } = await api.listEvents({ query: { limit: 500 } });
  return cursor ?? '0.0.0';
}

async function first<Each>(events: AsyncIterable<Each>, wanted: (event: Each) => boolean): Promise<Each> {
  for await (const event of events) if (wanted(event)) return event;
  throw new Error('the events ended');
}

/** Runs every check in order. A failure does not stop the next ones. */
export async function runSuite(world: World): Promise<Outcome[]> {
  const client = new SuiGrpcClient({ network: 'testnet', baseUrl: world.rpcUrl });
  const outcomes: Outcome[] = [];
  for (const [name, keep] of Object.entries(promises)) {
    try {
      await keep(world, client);
      outcomes.push({ name });
    } catch (error) {
      const cause = error instanceof Error && error.cause ? `; ${error.cause}` : '';
      const text = error instanceof Error ? `${error.stack ?? error.message}${cause}` : String(error);
      outcomes.push({ name, error: text });
    }
  }
  return outcomes;
}
