import { isValidSuiAddress, normalizeSuiAddress } from '@mysten/sui/utils';
import type { ExecutedTransaction, ObjectRecord, PageRequest, TransactionRecord } from '../ledger/types.ts';
import type { ChainView } from '../rpc/convert/chain-view.ts';
import {
  addressLink,
  checkpointLink,
  data,
  facts,
  objectLink,
  page,
  table,
  transactionLink,
} from './frame.ts';
import { type Content, type Html, html } from './html.ts';
import { modulePage, packageFacts } from './packages.ts';

/** Rows of a list, and places that a list of newest transactions looks at: most are those of users. */
const rowsMax = 50;
const newestScanned = 200;

const time = (ms: number) => new Date(ms).toISOString();

/** Digests of transactions and checkpoints. */
const isDigest = (text: string) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);

/** An id or address in its long form. */
function parseId(text: string): string | undefined {
  const id = text.length <= 66 ? normalizeSuiAddress(text) : '';
  return isValidSuiAddress(id) ? id : undefined;
}

/** Where a search leads; undefined when nothing is there. */
export function find({ ledger }: ChainView, text: string): string | undefined {
  if (/^\d{1,15}$/.test(text)) return `checkpoints/${text}`;
  if (isDigest(text)) {
    if (ledger.getTransaction(text)) return `transactions/${text}`;
    const checkpoint = ledger.getCheckpoint({ digest: text });
    return checkpoint && `checkpoints/${checkpoint.sequence}`;
  }
  const id = parseId(text);
  if (id === undefined) return undefined;
  return `${ledger.getObject(id) ? 'objects' : 'addresses'}/${id}`;
}

export function homePage({ ledger, chainId }: ChainView): string {
  const { highestCheckpoint: newest, lowestAvailableCheckpoint: oldest } = ledger;
  const checkpoints = Array.from({ length: 15 }, (_, index) => newest - BigInt(index))
    .filter((sequence) => sequence >= oldest)
    .flatMap((sequence) => ledger.getCheckpoint({ sequence }) ?? []);
  const transactions = ledger
    .listTransactions({
      from: { checkpoint: oldest, transactionIndex: 0 },
      to: { checkpoint: newest + 1n, transactionIndex: 0 },
      ordering: 'descending',
      limit: newestScanned,
    })
    .filter(({ signatures }) => signatures.length > 0)
    .slice(0, rowsMax);
  const body = html`${facts([
    ['chain', chainId],
    ['newest checkpoint', newest],
  ])}<h2>Transactions</h2>${transactionTable(transactions)}<h2>Checkpoints</h2>${table(
    ['checkpoint', 'time', 'transactions'],
    checkpoints.map((each) => [
      checkpointLink(each.sequence),
      time(each.timestampMs),
      each.transactionDigests.length,
    ]),
  )}`;
  return page('Newest', body, true);
}

export function checkpointPage({ ledger }: ChainView, text: string, from: number): string | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const sequence = BigInt(text);
  const checkpoint = ledger.getCheckpoint({ sequence });
  if (!checkpoint) return undefined;
  const transactions = ledger.listTransactions({
    from: { checkpoint: sequence, transactionIndex: from },
    to: { checkpoint: sequence + 1n, transactionIndex: 0 },
    ordering: 'ascending',
    limit: rowsMax,
  });
  const count = checkpoint.transactionDigests.length;
  const next = from + rowsMax;
  return page(
    `Checkpoint ${text}`,
    html`${facts([
      ['digest', checkpoint.digest],
      ['time', time(checkpoint.timestampMs)],
      ['previous', sequence > ledger.lowestAvailableCheckpoint ? checkpointLink(sequence - 1n) : undefined],
      ['next', sequence < ledger.highestCheckpoint ? checkpointLink(sequence + 1n) : undefined],
      ['transactions', count],
      ['transactions since genesis', checkpoint.networkTotalTransactions],
    ])}<h2>Transactions</h2>${transactionTable(transactions)}
${next < count ? html`<a href="/explorer/checkpoints/${text}?from=${next}">Next ${rowsMax}</a>` : undefined}`,
  );
}

export function transactionPage(view: ChainView, digest: string): string | undefined {
  const transaction = isDigest(digest) ? view.ledger.getTransaction(digest) : undefined;
  if (!transaction) return undefined;
  const sent = transaction.data.V1;
  const { effects, events, objects, balanceChanges, checkpoint } = transaction;
  const answer = view.answer();
  const program = sent.kind.ProgrammableTransaction ?? sent.kind.ProgrammableSystemTransaction;
  const { computationCost, storageCost, storageRebate } = effects.gasUsed;
  return page(
    `Transaction ${digest}`,
    html`${facts([
      ['result', resultOf(transaction)],
      ['sender', addressLink(sent.sender)],
      ['gas owner', sent.gasData.owner === null ? undefined : addressLink(sent.gasData.owner)],
      ['checkpoint', checkpoint === undefined ? 'none yet' : checkpointLink(checkpoint)],
      ['time', transaction.timestampMs === undefined ? undefined : time(transaction.timestampMs)],
      ['gas', html`computation ${computationCost}, storage ${storageCost}, rebate ${storageRebate} MIST`],
    ])}<h2>Commands</h2>${
      program
        ? html`<ol start="0">${program.commands.slice(0, rowsMax).map((each) => html`<li>${data(each)}</li>`)}</ol>
${more(program.commands.length)}<h2>Inputs</h2>${data(program.inputs)}`
        : data(sent.kind)
    }<h2>Events</h2>${table(
      ['type', 'sender', 'fields'],
      events
        .slice(0, rowsMax)
        .map(({ type, sender, contents }) => [
          type,
          addressLink(sender),
          data(answer.value(type, contents) ?? 'too large to show'),
        ]),
    )}${more(events.length)}<h2>Objects</h2>${table(
      ['change', 'object', 'type', 'version'],
      objects
        .slice(0, rowsMax)
        .map(({ id, type, change, outputVersion }) => [change, objectLink(id), type, outputVersion]),
    )}${more(objects.length)}<h2>Balances</h2>${table(
      ['address', 'coin', 'change'],
      balanceChanges
        .slice(0, rowsMax)
        .map(({ address, coinType, amount }) => [addressLink(address), coinType, amount]),
    )}<h2>Effects</h2>${data(effects)}`,
  );
}

export function objectPage(view: ChainView, text: string, version: string | undefined): string | undefined {
  const id = parseId(text);
  if (id === undefined || (version !== undefined && !/^\d{1,15}$/.test(version))) return undefined;
  const object = view.ledger.getObject(id, version === undefined ? undefined : BigInt(version));
  if (!object) return undefined;
  const shown = facts([
    ['type', object.kind === 'package' ? 'package' : object.type],
    ['version', object.version],
    ['owner', ownerOf(object)],
    ['digest', object.digest],
    ['written by', transactionLink(object.previousTransaction)],
    ['storage rebate', html`${object.storageRebate} MIST`],
  ]);
  return page(
    `${object.kind === 'package' ? 'Package' : 'Object'} ${id}`,
    html`${shown}${contentOf(view, object)}`,
  );
}

function contentOf(view: ChainView, object: ObjectRecord): Html | undefined {
  if (object.kind === 'package') {
    const loaded = view.package(object.id);
    return (
      loaded && packageFacts(loaded, view.ledger.listPackageVersions(object.id, { limit: rowsMax }).items)
    );
  }
  const fields = view.ledger.listDynamicFields(object.id, { limit: rowsMax });
  const answer = view.answer();
  return html`<h2>Fields</h2>${data(answer.value(object.type, object.contents) ?? 'too large to show')}
<h2>Dynamic fields</h2>${table(
    ['name', 'type of the value', 'field'],
    fields.items.map(({ nameType, name, valueType, field, child }) => [
      data(answer.value(nameType, name) ?? nameType),
      valueType,
      objectLink((child ?? field).id),
    ]),
  )}${fields.next === undefined ? undefined : html`<p>There are more.</p>`}`;
}

export function addressPage(
  { ledger }: ChainView,
  text: string,
  after: string | undefined,
): string | undefined {
  const address = parseId(text);
  if (address === undefined) return undefined;
  const request: PageRequest = { limit: rowsMax, ...(after !== undefined && { after }) };
  const owned = ledger.listOwnedObjects(address, request);
  const sent = ledger.listTransactions({
    from: { checkpoint: ledger.lowestAvailableCheckpoint, transactionIndex: 0 },
    to: { checkpoint: ledger.highestCheckpoint + 1n, transactionIndex: 0 },
    ordering: 'descending',
    limit: rowsMax,
    anyOf: [{ kind: 'affectedAddress', address }],
  });
  const next = owned.next && `/explorer/addresses/${address}?after=${encodeURIComponent(owned.next)}`;
  return page(
    `Address ${address}`,
    html`<h2>Balances</h2>${table(
      ['coin', 'in coins', 'in funds'],
      ledger
        .listBalances(address, { limit: rowsMax })
        .items.map(({ coinType, coins, funds }) => [coinType, coins, funds]),
    )}<h2>Objects</h2>${table(
      ['object', 'type', 'version'],
      owned.items.map(({ id, type, version }) => [objectLink(id), type, version]),
    )}${next ? html`<a href="${next}">Next ${rowsMax}</a>` : undefined}<h2>Transactions</h2>${transactionTable(sent)}`,
  );
}

export function moduleOf(view: ChainView, text: string, name: string): string | undefined {
  const id = parseId(text);
  const loaded = id === undefined ? undefined : view.package(id);
  const body = loaded && modulePage(loaded, name);
  return body && page(`Module ${name}`, body);
}

function transactionTable(transactions: TransactionRecord[]): Html {
  return table(
    ['transaction', 'result', 'commands', 'events', 'sender'],
    transactions.map((each) => [
      transactionLink(each.digest),
      resultOf(each),
      each.data.V1.kind.ProgrammableTransaction?.commands
        .slice(0, 5)
        .map(({ MoveCall, $kind }) =>
          MoveCall ? `${MoveCall.module}::${MoveCall.function} ` : `${$kind} `,
        ) ?? each.data.V1.kind.$kind,
      each.events.length,
      addressLink(each.data.V1.sender),
    ]),
  );
}

function resultOf({ effects, failureDescription }: ExecutedTransaction): Content {
  const { Failure } = effects.status;
  if (!Failure) return 'success';
  return html`<span class="bad">${(failureDescription ?? Failure.error.$kind).slice(0, 1_000)}</span>`;
}

function ownerOf({ kind, ...object }: ObjectRecord): Content {
  const owner = 'owner' in object ? object.owner : undefined;
  if (kind === 'package' || owner === undefined || owner.kind === 'immutable') return 'immutable';
  if (owner.kind === 'shared') return html`shared since version ${owner.initialSharedVersion}`;
  return owner.kind === 'object' ? objectLink(owner.address) : addressLink(owner.address);
}

const more = (count: number) =>
  count > rowsMax ? html`<p>The first ${rowsMax} of ${count}.</p>` : undefined;
