import assert from 'node:assert/strict';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, normalizeSuiAddress } from '@mysten/sui/utils';
import { casesOf, NotApplicable, required, type Subject } from '../case.ts';
import { fieldsOf, isDigest, isId, missingId, refused, refusedField } from '../expect.ts';

const coin = '0x2::coin::Coin';
const suiCoin = normalizeStructTag('0x2::coin::Coin<0x2::sui::SUI>');

async function owned({ client, picked }: Subject, request: Partial<GrpcTypes.ListOwnedObjectsRequest> = {}) {
  const { response } = await client.stateService.listOwnedObjects({ owner: picked.sender, ...request });
  return response;
}

const objects = casesOf('ListOwnedObjects', {
  async 'answers id, version and type without a mask'(subject) {
    const { objects: found } = await owned(subject, { pageSize: 1 });
    assert.deepEqual(fieldsOf(found[0]), ['objectId', 'objectType', 'version']);
  },
  async 'filters by a type with and without its arguments'(subject) {
    for (const objectType of [coin, suiCoin]) {
      const { objects: found } = await owned(subject, { objectType, pageSize: 5 });
      assert.ok(found.length > 0);
      for (const { objectType: type } of found) assert.ok(type!.startsWith(normalizeSuiAddress('0x2')));
    }
    const { objects: none } = await owned(subject, { objectType: `${missingId}::m::N` });
    assert.deepEqual(none, []);
  },
  async 'goes on from a page token without gap or repetition'(subject) {
    // Objects of any type are listed: a node that selects every coin for gas leaves the sender with few of them.
    const whole = await owned(subject, { pageSize: 2 });
    const first = await owned(subject, { pageSize: 1 });
    if (!first.nextPageToken) throw new NotApplicable('the sender has one object');
    const second = await owned(subject, { pageSize: 1, pageToken: first.nextPageToken });
    const ids = [...first.objects, ...second.objects].map(({ objectId }) => objectId);
    assert.deepEqual(
      ids,
      whole.objects.map(({ objectId }) => objectId),
    );
  },
  async 'refuses the page token of another request'(subject) {
    const { nextPageToken: pageToken } = await owned(subject, { pageSize: 1 });
    if (!pageToken) throw new NotApplicable('the sender has one object');
    await refused('INVALID_ARGUMENT', owned(subject, { owner: missingId, pageToken }));
  },
  'refuses a page token that it did not make': (subject) =>
    refusedField('page_token', owned(subject, { pageToken: Uint8Array.from([1, 2, 3]) })),
  async 'takes no more than its largest page for any size'(subject) {
    assert.ok((await owned(subject, { pageSize: 1_000_000 })).objects.length <= 1_000);
  },
  'refuses an owner that is not an address': (subject) =>
    refused('INVALID_ARGUMENT', owned(subject, { owner: 'me' })),
  'refuses a type that is none': (subject) =>
    refused('INVALID_ARGUMENT', owned(subject, { objectType: '0x2::coin::Coin<' })),
  'refuses no owner': ({ client }) => refusedField('owner', client.stateService.listOwnedObjects({})),
});

const balances = casesOf('GetBalance, ListBalances, GetCoinInfo', {
  async 'have the sum of the coins'({ client, picked }) {
    const coinType = '0x2::sui::SUI';
    const { response } = await client.stateService.getBalance({ owner: picked.sender, coinType });
    let sum = 0n;
    let pageToken: Uint8Array | undefined;
    for (let pages = 0; pages === 0 || pageToken; pages++) {
      if (pages > 10) throw new NotApplicable('the sender has too many coins');
      const page: GrpcTypes.ListOwnedObjectsResponse = await owned({ client, picked } as Subject, {
        objectType: suiCoin,
        readMask: { paths: ['balance'] },
        pageSize: 1_000,
        ...(pageToken && { pageToken }),
      });
      for (const { balance } of page.objects) sum += balance!;
      pageToken = page.nextPageToken;
    }
    const after = await client.stateService.getBalance({ owner: picked.sender, coinType });
    if (after.response.balance!.balance !== response.balance!.balance) {
      throw new NotApplicable('the sender is busy');
    }
    assert.equal(response.balance!.coinBalance ?? response.balance!.balance, sum);
    assert.equal(response.balance!.coinType, normalizeStructTag(coinType));
  },
  async 'list what is had of each coin'({ client, picked: { sender: owner } }) {
    const { response } = await client.stateService.listBalances({ owner });
    const sui = response.balances.find(({ coinType }) => coinType === normalizeStructTag('0x2::sui::SUI'));
    assert.ok(sui && sui.balance! >= 0n);
  },
  async 'answer zero for a coin that an address does not have'({ client }) {
    const request = { owner: missingId, coinType: '0x2::sui::SUI' };
    const { response } = await client.stateService.getBalance(request);
    assert.equal(response.balance!.balance ?? 0n, 0n);
  },
  'refuse a coin type that is none': ({ client, picked: { sender: owner } }) =>
    refused('INVALID_ARGUMENT', client.stateService.getBalance({ owner, coinType: 'gold' })),
  'refuse an owner that is not an address': ({ client }) =>
    refused('INVALID_ARGUMENT', client.stateService.listBalances({ owner: 'me' })),
  async 'describe SUI'({ client }) {
    const { response } = await client.stateService.getCoinInfo({ coinType: '0x2::sui::SUI' });
    assert.equal(response.metadata!.decimals, 9);
    assert.equal(response.metadata!.symbol, 'SUI');
    assert.ok(response.treasury!.totalSupply! > 0n);
    const { UNREGULATED } = GrpcTypes.RegulatedCoinMetadata_CoinRegulatedState;
    assert.equal(response.regulatedMetadata!.coinRegulatedState, UNREGULATED);
  },
  'have no description of a coin that is none': ({ client }) =>
    refused('NOT_FOUND', client.stateService.getCoinInfo({ coinType: `${missingId}::m::N` })),
  'refuse to describe what is not a type': ({ client }) =>
    refused('INVALID_ARGUMENT', client.stateService.getCoinInfo({ coinType: 'gold' })),
});

const fields = casesOf('ListDynamicFields', {
  async 'answers parent and field id without a mask'({ client, picked }) {
    const parent = required(picked.parent, 'no object with dynamic fields was found');
    const { response } = await client.stateService.listDynamicFields({ parent, pageSize: 1 });
    assert.deepEqual(fieldsOf(response.dynamicFields[0]), ['fieldId', 'parent']);
    isId(response.dynamicFields[0]!.fieldId);
  },
  async 'has names and values whose objects exist'({ client, picked }) {
    const parent = required(picked.parent, 'no object with dynamic fields was found');
    const { response } = await client.stateService.listDynamicFields({ parent, readMask: { paths: ['*'] } });
    for (const field of response.dynamicFields) {
      assert.ok(field.name?.name && field.value?.name);
      const { response: found } = await client.ledgerService.getObject({ objectId: field.fieldId! });
      isDigest(found.object!.digest);
    }
  },
  async 'answers nothing for an object that has none'({ client }) {
    const { response } = await client.stateService.listDynamicFields({ parent: missingId });
    assert.deepEqual(response.dynamicFields, []);
  },
  'refuses a parent that is not an id': ({ client }) =>
    refused('INVALID_ARGUMENT', client.stateService.listDynamicFields({ parent: 'me' })),
  'refuses a field that does not exist': ({ client }) =>
    refusedField(
      'read_mask',
      client.stateService.listDynamicFields({ parent: '0x6', readMask: { paths: ['nope'] } }),
    ),
});

const core = casesOf('the SDK client', {
  async 'reads objects with content, JSON and owner'({ client }) {
    const include = { content: true, json: true, previousTransaction: true } as const;
    const { object } = await client.getObject({ objectId: '0x6', include });
    assert.equal(object.owner.$kind, 'Shared');
    assert.equal(String(object.json!.timestamp_ms), bcs.u64().parse(object.content!.subarray(32)));
  },
  async 'reads several objects and names the missing one'({ client }) {
    const { objects: found } = await client.getObjects({ objectIds: ['0x6', missingId] });
    assert.ok(found[1] instanceof Error);
    assert.ok(!(found[0] instanceof Error));
  },
  async 'reads coins and balances'({ client, picked: { sender: owner } }) {
    const { objects: coins } = await client.listCoins({ owner, limit: 3 });
    assert.ok(coins.every(({ balance }) => BigInt(balance) >= 0n));
    assert.ok(BigInt((await client.getBalance({ owner })).balance.balance) >= 0n);
  },
  async 'reads a transaction with effects, events and content'({ client, picked: { digest } }) {
    const include = { effects: true, events: true, transaction: true, balanceChanges: true } as const;
    const result = await client.getTransaction({ digest, include });
    const found = (result.Transaction ?? result.FailedTransaction)!;
    assert.equal(found.digest, digest);
    assert.equal(found.effects.transactionDigest, digest);
    assert.ok(found.transaction!.sender);
  },
  async 'does not find a transaction that is not there'({ client }) {
    await assert.rejects(
      client.getTransaction({ digest: '4'.repeat(43) }),
      /not found|invalid|not a digest/i,
    );
  },
  async 'reads the gas price, the system state, the protocol and the chain'({ client, picked }) {
    assert.ok(BigInt((await client.getReferenceGasPrice()).referenceGasPrice) > 0n);
    assert.ok(BigInt((await client.getCurrentSystemState()).systemState.epoch) >= 0n);
    assert.ok(Object.keys((await client.getProtocolConfig()).protocolConfig.attributes).length > 0);
    assert.equal((await client.getChainIdentifier()).chainIdentifier, picked.chainId);
  },
  async 'lists events and transactions page by page'({ client, picked }) {
    const filter = { sender: picked.sender };
    const first = await client.core.listTransactions({ filter, limit: 1 });
    assert.equal(first.transactions.length, 1);
    const { events } = await client.core.listEvents({ filter, limit: 2 });
    assert.ok(events.every(({ sender }) => sender === picked.sender));
  },
  async 'reads dynamic fields'({ client, picked }) {
    const parentId = required(picked.parent, 'no object with dynamic fields was found');
    const { dynamicFields } = await client.listDynamicFields({ parentId, limit: 5 });
    assert.ok(dynamicFields.length > 0);
    for (const field of dynamicFields) isId(field.fieldId);
  },
});

export const stateCases = [...objects, ...balances, ...fields, ...core];
