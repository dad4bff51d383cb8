import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { appendAction, delegate as delegates, scopedCap } from '@adaptor-marketplace/adaptor/transactions';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { Transaction } from '@mysten/sui/transactions';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../../db/client.ts';
import type { TransactionDraft, TransactionDraftRequest } from '../../../lib/actions/tools-api.ts';
import { deriveWalletKeypair } from '../../../lib/agent/wallet-key.ts';
import { startAgent } from '../../../services/agent/index.ts';
import { createLocalSigner } from '../../../services/agent/key/signer.ts';
import { buildRequest } from '../../support/build-request.ts';
import { openTestDatabase } from '../../support/database.ts';
import { agentOptions } from '../../support/host-limits.ts';
import { readModelBuilder } from '../../support/read-model.ts';
import { createTesterClient } from '../../support/tester-client.ts';
import { startToolDouble, type ToolDouble } from '../../support/tool-double.ts';
import { walletRows } from '../../support/wallet-rows.ts';
import { type Actor, type FixedActor, listCreated, onlyCreated, run, sharedInput } from './actor.ts';
import type { SetUp } from './case.ts';
import type { Scene } from './round.ts';
import { type Guarded, setUpWallet } from './set-up.ts';
import { encodeProgram, type Step } from './steps.ts';
import { adaptorDir, type GuardNetwork, upgradePackage, type World, worldOn } from './world.ts';

const network = 'testnet';
const internalSecret = 'the-internal-secret-of-the-guard';

/** The real agent service on a network with the hostile adaptor. The attacker publishes the adaptor's listing. */
export interface AgentGuard {
  world: World;
  client: ChainClient;
  boardId: string;
  /**
   * Creates a wallet of the owner's. Its agent has the budgets of the set-up, and a scoped cap if there is a policy.
   */
  wallet(setUp: SetUp): Promise<{ scene: Scene; capId: string | undefined }>;
  /** Lists the adaptor with these ops, and returns its service type. */
  list(ops: Manifest['ops']): Promise<string>;
  /** Sets the drafts of the tool service: steps, each with its number of calls. `build` may put a lock around them. */
  draft(build: (tx: Transaction, request: TransactionDraftRequest) => DraftedStep[]): void;
  /** Sets a callback that runs after the simulation and before the signature. */
  beforeSigning(act: () => Promise<void>): void;
  /** Upgrades the adaptor to a version whose lending ops have `instead` in place of `code`. */
  upgradeAdaptor(code: string, instead: string): Promise<void>;
  /** Runs a request. Returns the last line or the refusal. */
  run(request: Record<string, unknown>): Promise<{ status: string; detail?: string; digest?: string }>;
  close(): Promise<void>;
}

interface DraftedStep {
  action: string;
  targets: number;
}

export async function startAgentGuard(): Promise<AgentGuard> {
  await using starting = new AsyncDisposableStack();
  const localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  starting.defer(() => localnet.close());
  const { ledger } = localnet;
  const real: GuardNetwork = { ledger, passTime: () => Date.now() };
  const world = await worldOn(real);
  const { packages, cast, shared } = world;
  const client = createTesterClient(localnet.rpcUrl);
  starting.defer(() => client.close());
  const db: Database = await openTestDatabase();
  starting.defer(() => db.close());
  const rows = { wallets: walletRows(db), model: readModelBuilder(db) };
  const tools: ToolDouble = await startToolDouble(() =>
    Promise.reject(new Error('a draft was not expected')),
  );
  starting.defer(() => tools.close());

  const host = (cast.host as FixedActor).keypair;
  const managed = await createLocalSigner({ secretKey: host.getSecretKey() });
  let meanwhile = async () => {};
  const signer = {
    ...managed,
    sign: async (bytes: Uint8Array) => {
      await meanwhile();
      return await managed.sign(bytes);
    },
  };
  const opened = await run(ledger, cast.attacker, (tx) => {
    const target = `${packages.money_guard}::board::open`;
    tx.moveCall({ target, arguments: [tx.object(sharedInput(ledger, shared.mint))] });
  });
  const boardId = onlyCreated(opened, '::board::Board');
  const slots = { lendingA: { serviceType: world.types.services.S } };
  const agent = await startAgent({
    ...agentOptions,
    db,
    signer,
    internalSecret,
    toolsUrl: tools.url,
    networks: [
      {
        network,
        rpcUrl: localnet.rpcUrl,
        slots,
        walletPackageId: packages.wallet,
        rulesPackageId: packages.rules,
        agentsPackageId: packages.agents,
        escrowPackageId: packages.escrow,
        registryPackageId: packages.adaptor_registry,
      },
    ],
    metrics: new Registry(),
  });
  starting.defer(() => agent.close());

  const actorFor = (walletId: string): Actor => {
    const address = deriveWalletKeypair(host, network, walletId).toSuiAddress();
    const sign = () => {
      throw new Error('only the agent service signs for it');
    };
    return { name: 'agent', address, sign };
  };

  const wallet: AgentGuard['wallet'] = async (setUp) => {
    const guarded = await setUpWallet(world, cast.owner, setUp, boardId);
    const actor = actorFor(guarded.walletId);
    const made = await delegateTo(world, guarded, actor, setUp);
    const [capId] = listCreated(made, '::sub_delegate::ScopedCap');
    await rows.wallets.wallet(cast.owner.address, { walletId: guarded.walletId, identity: guarded.walletId });
    const scene: Scene = {
      world: { ...world, cast: { ...cast, agent: actor } },
      boardId,
      sender: 'agent',
      guarded: { ...guarded, scopedCapId: capId },
      others: [],
    };
    return { scene, capId };
  };

  const running = starting.move();
  return {
    world,
    client,
    boardId,
    wallet,
    async list(ops) {
      await db.pool.query('truncate listings, catalog_entries');
      const { serviceType } = await rows.model.listing({
        serviceType: world.types.services.S,
        publisher: cast.attacker.address,
        manifest: { ops, supportedCoins: ['*'] },
      });
      return serviceType;
    },
    draft(build) {
      tools.draft = async (asked): Promise<TransactionDraft> => {
        const tx = new Transaction();
        tx.setSender(asked.sender);
        const steps = build(tx, asked);
        const kind = await tx.build({ client, onlyTransactionKind: true });
        const targets = tx.getData().commands.map(({ MoveCall: call }) => String(call?.function));
        const common = { summary: 'A draft.', slot: null, adaptor: null, recipient: null, capId: null };
        let from = 0;
        return {
          network,
          walletId: asked.request.walletId,
          sender: asked.sender,
          summary: 'A draft.',
          transactionKind: Buffer.from(kind).toString('base64'),
          spends: [],
          receivesAtLeast: [],
          steps: steps.map(({ action, targets: count }) => {
            const own = targets.slice(from, from + count);
            from += count;
            return { ...common, action, targets: own, spends: [], receivesAtLeast: [] };
          }),
        };
      };
    },
    beforeSigning(act) {
      meanwhile = act;
    },
    async upgradeAdaptor(code, instead) {
      const files = await readPackage(adaptorDir);
      const file = 'sources/lending.move';
      const text = files[file]!.replaceAll(code, instead);
      if (text === files[file]) throw new Error(`${code} is not in ${file}`);
      // The published first version determines the ids in the sources.
      const compiled = await compileSources(
        { ...files, [file]: text },
        { base: adaptorDir, published: packages },
      );
      await upgradePackage(ledger, cast.attacker, {
        packageId: packages.money_guard,
        compiled,
        capId: findUpgradeCap(world, packages.money_guard),
      });
    },
    async run(request) {
      const answer = await fetch(
        `${agent.url}/api/agent/run`,
        buildRequest(
          { owner: cast.owner.address, network, ...request },
          { 'x-svc-internal-agent': internalSecret },
        ),
      );
      const text = await answer.text();
      const lines = text.trim().split('\n');
      return JSON.parse(lines.at(-1)!);
    },
    close: () => running.disposeAsync(),
  };
}

/** The attacker's UpgradeCap of a package. */
function findUpgradeCap({ network: { ledger }, cast }: World, packageId: string): string {
  const type = '0x2::package::UpgradeCap';
  const { items } = ledger.listOwnedObjects(cast.attacker.address, { limit: 100, type });
  // The first field after the cap's id is the package id.
  const found = items.find(
    ({ contents }) => Buffer.from(contents.subarray(32, 64)).toString('hex') === packageId.slice(2),
  );
  if (!found) throw new Error(`nobody can upgrade ${packageId}`);
  return found.id;
}

/** Gives the agent's address its budgets and, if there is a policy, a scoped cap. The owner signs. */
function delegateTo(
  { network: { ledger }, packages, types, cast }: World,
  { walletId }: Guarded,
  { address }: Actor,
  { budgets, policy }: SetUp,
) {
  return run(ledger, cast.owner, (tx) => {
    const target = { packageId: packages.wallet, wallet: sharedInput(ledger, walletId) };
    delegates.add(tx, target, address);
    const service = types.services.S;
    delegates.setServiceAllowance(tx, target, { delegate: address, service, amount: budgets.services.S });
    const coinType = types.coins.A;
    delegates.setCoinAllowance(tx, target, { delegate: address, coinType, amount: budgets.coins.A });
    if (policy) scopedCap.mintRoot(tx, target, { coinType, budget: 400n, maxDepth: 2, recipient: address });
  });
}

/** Appends the op's call within an action. */
export function lockedDeposit(
  tx: Transaction,
  { world, guarded }: Scene,
  { amount, append }: { amount: bigint; append: (wallet: ReturnType<Transaction['object']>) => void },
): void {
  const target = { packageId: world.packages.wallet, wallet: guarded.walletId };
  const takes = [{ coinType: world.types.coins.A, amount }];
  appendAction(tx, target, { service: world.types.services.S, takes, brings: [] }, () =>
    append(tx.object(guarded.walletId)),
  );
}

/** Writes the only program of the board. */
export function writeProgram(
  { network: { ledger }, packages, cast }: World,
  boardId: string,
  harmless: Step[],
  hostile: Step[],
) {
  return run(ledger, cast.attacker, (tx) => {
    const board = tx.object(sharedInput(ledger, boardId));
    tx.moveCall({ target: `${packages.money_guard}::board::wipe`, arguments: [board] });
    const programs = [harmless, hostile].map((steps) => tx.pure.vector('u8', encodeProgram(steps)));
    tx.moveCall({ target: `${packages.money_guard}::board::add`, arguments: [board, ...programs] });
  });
}
