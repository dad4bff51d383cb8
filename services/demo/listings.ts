import { canonicalJson, manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import {
  allowlistRule,
  attest,
  type RegistryIds,
  register,
  rules as ruleCalls,
  unlist,
  update,
  walletRules,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { getGlobalDispatcher } from 'undici';
import { storeBlob } from '../../lib/walrus/blobs.ts';
import type { Cast } from './cast.ts';
import type { Adaptors, ListedAdaptor } from './deploy.ts';
import { type Core, type Deployed, publish } from './publish.ts';

export interface StoredManifest {
  manifestUri: string;
  manifestHash: string;
}

/** Stores a manifest; its uri leads there. */
type Store = (manifest: unknown) => Promise<StoredManifest>;

const timeoutMs = 60_000;

/** Puts a text into the blob store through Walrus' publisher API. Returns its uri. */
async function storeText(blobStoreUrl: string, text: string): Promise<string> {
  const blobId = await storeBlob(getGlobalDispatcher(), blobStoreUrl, Buffer.from(text), { timeoutMs });
  return `walrus://${blobId}`;
}

/** Stores the manifest as canonical JSON. */
export async function storeManifest(blobStoreUrl: string, manifest: unknown): Promise<StoredManifest> {
  const manifestUri = await storeText(blobStoreUrl, canonicalJson(manifest));
  return { manifestUri, manifestHash: manifestHash(manifest) };
}

/** Listings that the catalog leaves out. */
interface UnlistedAdaptors {
  withdrawn: Deployed;
  mismatched: Deployed;
}

/**
 * Four publishers list the adaptors and two more: one is updated, one unlisted, and one has a manifest that does not
 * match its hash. A squatter lists the jar with a fee of their own.
 */
export async function makeListings(
  { harbour, lagoon, reef, anchor, squatter }: Cast,
  { registry, wallet }: Core,
  adaptors: Adaptors,
  { vaultPackage, store }: { vaultPackage: string; store: Store },
): Promise<UnlistedAdaptors> {
  async function list(publisher: Account, ...listed: ListedAdaptor[]) {
    const stored = await Promise.all(listed.map(({ manifest }) => store(manifest)));
    await execute(publisher, (tx) => {
      for (const [index, one] of listed.entries()) register(tx, registry, { ...one, ...stored[index]! });
    });
  }

  async function squat({ manifest, ...jar }: ListedAdaptor) {
    const stored = await store({ ...manifest, feeBps: 500, feeRecipient: squatter.address });
    await execute(squatter, (tx) => register(tx, registry, { ...jar, ...stored }));
  }

  /** Another package of an adaptor, under another name. */
  async function copy(of: ListedAdaptor, folder: string, name: string): Promise<ListedAdaptor> {
    const { packageId } = await publish(reef, `adaptors/${folder}`, { wallet, vault: vaultPackage });
    const serviceType = of.serviceType.replace(of.packageId, packageId);
    return { packageId, serviceType, manifest: { ...of.manifest, name, packageId, serviceType } };
  }

  async function listReefs(): Promise<UnlistedAdaptors> {
    const { shareVault, flashLending, liquidStaking, tipJar } = adaptors;
    const [withdrawn, mismatched] = await Promise.all([
      copy(tipJar, 'tip_jar', 'Reef Tips'),
      copy(shareVault, 'share_vault', 'Old Reef Vault'),
    ]);
    const draft = { ...shareVault, manifest: { ...shareVault.manifest, summary: 'A vault.' } };
    await list(reef, draft, withdrawn, flashLending, liquidStaking);
    const [old, dearer, final] = await Promise.all([
      store(mismatched.manifest),
      store({ ...mismatched.manifest, feeBps: 9_000 }),
      store(shareVault.manifest),
    ]);
    await execute(reef, (tx) => {
      register(tx, registry, { ...mismatched, ...dearer, manifestHash: old.manifestHash });
      unlist(tx, registry, withdrawn.serviceType);
      update(tx, registry, { ...shareVault, ...final });
    });
    return { withdrawn, mismatched };
  }

  const { tipJar, termSavings, marketSupply } = adaptors;
  const { poolSwap, relaySwap, concentratedLiquidity, perpetualTrading } = adaptors;
  const [outcasts] = await Promise.all([
    listReefs(),
    list(harbour, tipJar, termSavings, marketSupply),
    list(lagoon, poolSwap, relaySwap, concentratedLiquidity, perpetualTrading),
    list(anchor, adaptors.creditLending, adaptors.accountLending, adaptors.stablecoinAccount),
    squat(tipJar),
  ]);
  return outcasts;
}

/** The publisher of two adaptors that make the same trade deprecates the one that takes more calls. */
export async function deprecateRelay(
  { lagoon }: Cast,
  registry: RegistryIds,
  { relaySwap, poolSwap }: Adaptors,
  store: Store,
): Promise<void> {
  const stored = await store({
    ...relaySwap.manifest,
    deprecated: 'Lagoon Swap makes the same trade in one call.',
    successor: poolSwap.serviceType,
  });
  await execute(lagoon, (tx) => update(tx, registry, { ...relaySwap, ...stored }));
}

/** Lists the rules that the wallet and the rules package bring. */
export async function listRules({ operator }: Cast, core: Core, store: Store): Promise<void> {
  const { capAuth, scopedAuth, scopedBudget } = walletRules(core.wallet);
  const rule = (kind: keyof typeof ruleCalls.ruleKinds, ruleType: string, name: string, summary: string) => ({
    kind,
    ruleType,
    name,
    summary,
    packageId: ruleType.slice(0, ruleType.indexOf('::')),
  });
  const rules = [
    rule('auth', capAuth, 'Bearer cap', 'The holder of the cap may request a spend.'),
    rule('auth', scopedAuth, 'Scoped cap', 'The holder of the cap may spend its budget of one coin.'),
    rule('caveat', scopedBudget, 'Scoped budget', 'The spend was deducted from the budget of a scoped cap.'),
    rule(
      'caveat',
      allowlistRule(core.rules.packageId),
      'Recipient allowlist',
      'Only listed recipients are paid.',
    ),
  ];
  const stored = await Promise.all(rules.map((manifest) => store(manifest)));
  await execute(operator, (tx) => {
    rules.forEach(({ kind, ruleType, packageId }, index) => {
      ruleCalls.register(tx, core.rules, { kind, ruleType, packageId, ...stored[index]! });
    });
  });
}

type Opinion = readonly [of: Deployed, score: number, commentUri?: string];

/** The account rates adaptors, in one transaction. */
export const rate = (account: Account, registry: RegistryIds, opinions: readonly Opinion[]) =>
  execute(account, (tx) => {
    for (const [{ serviceType }, score, commentUri = ''] of opinions) {
      attest(tx, registry, { serviceType, score, commentUri });
    }
  });

/** Text of a review. */
const swapWords =
  'The trade went through, but the price was 2 % worse than the page of the pool said.\nCompare both before you sign.';

/** Users review adaptors that they used, one of them twice; the critic reviews without having used any. */
export async function reviewAdaptors(
  { ana, ben, cleo, critic }: Cast,
  registry: RegistryIds,
  adaptors: Adaptors,
  blobStoreUrl: string,
): Promise<void> {
  const swapUri = await storeText(blobStoreUrl, swapWords);
  const { tipJar, termSavings, poolSwap, shareVault, liquidStaking, perpetualTrading } = adaptors;
  const review = (account: Account, opinions: readonly Opinion[]) => rate(account, registry, opinions);
  await Promise.all([
    review(ana, [
      [tipJar, 5],
      [shareVault, 4],
      [liquidStaking, 5],
    ]),
    review(ben, [
      [tipJar, 3],
      [termSavings, 5],
      [perpetualTrading, 3],
    ]),
    review(ben, [[tipJar, 4]]),
    review(cleo, [
      [poolSwap, 2, swapUri],
      [shareVault, 5],
    ]),
    review(critic, [
      [poolSwap, 1],
      [termSavings, 2],
    ]),
  ]);
}
