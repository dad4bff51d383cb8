import { SimulationError } from '@mysten/sui/client';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { type Html, html } from '../../components/html.ts';
import { notice } from '../../components/marks.ts';
import { copyButton, decimal, shortened } from '../../components/values.ts';
import { ActionFailedError } from '../api/ask.ts';
import { failureNotice } from '../api/attempts.ts';
import { askGraph, type ChainIds, client, readChainIds } from './chain.ts';
import { getAccount, signTransaction } from './connection.ts';
import { cancelButton, openDialog } from './dialog.ts';
import { explainBytes, notExplained, renderExplaining } from './explained.ts';
import { describeChainRefusal, toRefusal } from './failure.ts';

interface ExecutedTransaction {
  digest: string;
  created: readonly { id: string; type: string }[];
  packageId: string | undefined;
}

/** A transaction for the connected account to sign. */
export interface Request {
  /** Title of the button and the dialog: a verb and a noun, such as `Revoke Coral Swap`. */
  title: string;
  consequence: Html;
  /**
   * Address that the request was made for, read before anything is awaited: the reader may switch accounts meanwhile.
   * Undefined if no wallet was connected.
   */
  signer: string | undefined;
  /** Called for each attempt. @throws ActionFailedError if the transaction is no longer possible */
  append(tx: Transaction, ids: ChainIds): void | Promise<void>;
  /** Text after the execution: what has happened, and what to do next. */
  after: Html;
}

const formatSui = (mist: bigint) => `${decimal(String(mist), 9)} SUI`;

/** Formats MIST as SUI, rounded up to thousandths, so that the cost never exceeds the text. */
const formatRoundedUp = (mist: bigint) => formatSui(((mist + 999_999n) / 1_000_000n) * 1_000_000n);

/**
 * Renders the cost in the simulation and the gas budget, which is the amount that the reader signs. The rebate for
 * freed storage can exceed the gas cost.
 */
const renderCost = ({ cost, budget }: Pick<PreparedTransaction, 'cost' | 'budget'>): Html =>
  cost > 0n
    ? html`It costs about <strong class="amount">${formatRoundedUp(cost)}</strong>, and at most ${formatSui(budget)}.`
    : html`It costs <strong>nothing</strong> by the simulation, as the storage that it frees pays for the gas, and at most ${formatSui(budget)}.`;

/**
 * Shows a transaction and its cost, has the wallet sign it, executes it, and shows the result.
 * @returns the result; undefined if the reader closed the dialog before the signature, or the execution failed
 */
export async function sign(request: Request): Promise<ExecutedTransaction | undefined> {
  const dialog = openDialog();
  const { title, signer } = request;
  let executed: ExecutedTransaction | undefined;
  let sending: Promise<void> | undefined;
  /** The transaction that the dialog shows, until the reader signs it. */
  let displayed: PreparedTransaction | undefined;

  async function prepare(): Promise<void> {
    dialog.show(title, html`<p>Simulating the transaction…</p>`);
    try {
      const prepared = await simulate(request, requireSigner(signer));
      askToSign(prepared);
    } catch (error) {
      fail(error);
    }
  }

  async function askToSign(prepared: PreparedTransaction): Promise<void> {
    const { bytes, calls, cost, budget } = prepared;
    displayed = prepared;
    const skipped = Promise.withResolvers<Html>();
    // The button that signs waits for the explanation, which would move it while the reader presses it.
    const show = (explained: Html, isReady: boolean) =>
      dialog.show(
        title,
        html`<p>You sign one transaction: ${renderCalls(calls)}. ${renderCost({ cost, budget })}</p>
          ${request.consequence}${explained}`,
        html`<button type="button" disabled=${!isReady} onClick=${() => run(bytes)}>Sign in ${getAccount()?.wallet}</button>${cancelButton(dialog)}`,
      );
    show(
      renderExplaining(() => skipped.resolve(notExplained)),
      false,
    );
    const explained = await Promise.race([explainBytes(bytes), skipped.promise]);
    if (displayed === prepared) show(explained, true);
  }

  async function run(bytes: Uint8Array): Promise<void> {
    displayed = undefined;
    dialog.show(title, html`<p>Waiting for your signature in ${getAccount()?.wallet}…</p>`);
    try {
      requireSigner(signer);
      const { bytes: signed, signature } = await signTransaction({ transaction: Transaction.from(bytes) });
      if (!dialog.isOpen()) return;
      sending = send(fromBase64(signed), signature);
      await sending;
    } catch (error) {
      fail(error);
    }
  }

  async function send(bytes: Uint8Array, signature: string): Promise<void> {
    dialog.show(title, html`<p>Sent. Waiting until the chain has it…</p>`);
    executed = await execute(bytes, signature);
    dialog.show(title, html`${notice('good', 'Done', request.after)}${renderDigest(executed.digest)}`);
  }

  async function fail(error: unknown): Promise<void> {
    const ids = await readChainIds().catch(() => undefined);
    dialog.show(
      title,
      failureNotice(toRefusal(error, ids)),
      html`<button type="button" onClick=${prepare}>Try again</button>${cancelButton(dialog)}`,
    );
  }

  prepare();
  await dialog.closed;
  // A transaction that was sent before the dialog closed is executed anyway.
  await sending?.catch(() => undefined);
  return executed;
}

const renderDigest = (digest: string): Html =>
  html`<p class="muted">Transaction <code class="digest">${digest}</code>${copyButton(digest, 'Copy the digest')}</p>`;

const renderCalls = (calls: readonly string[]) =>
  [...new Set(calls)].map((call, at) => html`${at === 0 ? '' : ', '}<code>${call}</code>`);

interface PreparedTransaction {
  bytes: Uint8Array;
  /** `module::function` of each call. */
  calls: string[];
  /** Gas cost in the simulation, in MIST; negative if the storage rebate exceeds it. */
  cost: bigint;
  /** Gas budget of the transaction, in MIST. */
  budget: bigint;
}

/**
 * Returns the address that signs: the one that the request was made for.
 * @throws ActionFailedError if another address is connected now
 */
function requireSigner(signer: string | undefined): string {
  const connected = getAccount()?.address;
  if (connected === undefined || signer === undefined)
    throw new ActionFailedError('No wallet is connected', 'Connect one, and try again.');
  if (connected === signer) return signer;
  throw new ActionFailedError(
    'Another account is connected now',
    `This was made for ${shortened(signer)}, and ${shortened(connected)} is connected. Nothing was signed. Close this and start again, or connect ${shortened(signer)} and try again.`,
  );
}

/** Builds the transaction with gas coins of its sender, and has the node simulate it. */
async function simulate({ append }: Pick<Request, 'append'>, sender: string): Promise<PreparedTransaction> {
  const ids = await readChainIds();
  const tx = new Transaction();
  tx.setSender(sender);
  await append(tx, ids);
  const calls = tx.getData().commands.flatMap(({ MoveCall, Publish }) => {
    if (Publish) return ['publish'];
    return MoveCall ? [`${MoveCall.module}::${MoveCall.function}`] : [];
  });
  // Coins are chosen once for both. The build fails if the transaction would; the simulation beside it shows the cost.
  await tx.prepareForSerialization({ client });
  const copy = Transaction.from(tx);
  const [bytes, simulated] = await Promise.all([
    tx.build({ client }),
    client.core.simulateTransaction({ transaction: copy, doGasSelection: true, include: { effects: true } }),
  ]);
  if (simulated.$kind === 'FailedTransaction') {
    const { error } = simulated.FailedTransaction.status;
    throw error
      ? new SimulationError(error.message, { executionError: error })
      : new ActionFailedError('The simulation failed', 'Nothing was signed. Try again.');
  }
  const { computationCost, storageCost, storageRebate } = simulated.Transaction.effects.gasUsed;
  const cost = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
  const budget = BigInt(TransactionDataBuilder.fromBytes(bytes).gasData.budget ?? 0);
  return { bytes, calls, cost, budget };
}

/** Executes the signed transaction, and waits until this site has indexed it. */
async function execute(bytes: Uint8Array, signature: string): Promise<ExecutedTransaction> {
  const result = await client.core
    .executeTransaction({
      transaction: bytes,
      signatures: [signature],
      include: { effects: true, objectTypes: true, events: true },
    })
    .catch((error: unknown) => {
      throw new ActionFailedError(
        'The chain node did not confirm the transaction',
        `It may still be executed: look at your wallet before you sign again. ${toRefusal(error).title}.`,
      );
    });
  if (result.$kind === 'FailedTransaction') {
    const { status, digest } = result.FailedTransaction;
    if (status.error) throw describeChainRefusal(status.error, await readChainIds());
    throw new ActionFailedError('The transaction failed', `Its digest is ${digest}. Only its gas was paid.`);
  }
  const { digest, effects, events, objectTypes } = result.Transaction;
  await waitUntilIndexed(digest, findSources(events, await readChainIds()));
  const created = effects.changedObjects.filter(({ idOperation }) => idOperation === 'Created');
  return {
    digest,
    created: created.map(({ objectId }) => ({ id: objectId, type: objectTypes[objectId] ?? 'package' })),
    packageId: created.find(({ outputState }) => outputState === 'PackageWrite')?.objectId,
  };
}

/**
 * Finds the index sources of a transaction's events; undefined if an event belongs to no known source.
 * A source without events covers a checkpoint only after seconds, so waiting for all of them would delay the reader.
 */
function findSources(events: readonly { eventType: string }[], ids: ChainIds): string[] | undefined {
  const sources = new Map([
    [ids.registryOriginalId, 'REGISTRY'],
    [ids.wallet?.originalId, 'WALLET'],
    [ids.escrow?.originalId, 'ESCROW'],
  ]);
  const named = events.map(({ eventType }) => sources.get(eventType.slice(0, eventType.indexOf('::'))));
  const known = named.filter((source) => source !== undefined);
  return known.length === named.length ? [...new Set(known)] : undefined;
}

/** Waits until a checkpoint has the transaction and these sources cover it. If it fails, the page is only late. */
async function waitUntilIndexed(digest: string, sources: string[] | undefined): Promise<void> {
  const checkpoint = await findCheckpoint(digest);
  if (checkpoint === undefined || sources?.length === 0) return;
  await askGraph(
    `query ($chain: Chain, $at: Count, $sources: [EventSource!]) {
      _meta(chain: $chain, atLeastCheckpoint: $at, sources: $sources) { chain }
    }`,
    { at: Number(checkpoint), sources },
  ).catch(() => {
    // The transaction is executed. The page shows it later.
  });
}

const checkpointMsMax = 20_000;

/** Waits for the checkpoint of a transaction. The node does not know the transaction at first. */
async function findCheckpoint(digest: string): Promise<bigint | undefined> {
  const request = { digest, readMask: { paths: ['checkpoint'] } };
  const until = performance.now() + checkpointMsMax;
  while (performance.now() < until) {
    const found = await client.ledgerService.getTransaction(request).response.catch(() => undefined);
    if (found?.transaction?.checkpoint !== undefined) return found.transaction.checkpoint;
    await new Promise((done) => setTimeout(done, 250));
  }
  return undefined;
}
