import { once } from 'node:events';
import http2 from 'node:http2';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import type { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeEachTransport, eachTransport } from '../rpc/testing/each-transport.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

let localnet: Localnet;
beforeAll(async () => {
  localnet = await startTestLocalnet();
});
afterAll(() => localnet.close());
afterEach(() => localnet.misbehaviour.reset());

const misbehave: Localnet['misbehaviour']['set'] = (patch) => localnet.misbehaviour.set(patch);

/** The frames that came, and the code that ended the stream (`OK` without one). */
async function drain<Frame>({ responses }: { responses: AsyncIterable<Frame> }) {
  const frames: Frame[] = [];
  try {
    for await (const frame of responses) frames.push(frame);
    return { frames, code: 'OK' };
  } catch (error) {
    return { frames, code: (error as { code?: string }).code };
  }
}

const codeOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => 'OK',
    (error: { code: string }) => error.code,
  );

describeEachTransport('a network that misbehaves on demand', (transport) => {
  let client: SuiGrpcClient;
  let disconnect: () => void;
  beforeAll(() => {
    ({ client, close: disconnect } = transport.connect(localnet.rpcUrl));
  });
  afterAll(() => disconnect());

  /** A subscription that has begun, so that every checkpoint from here on reaches it. */
  async function subscribe(abort?: AbortSignal) {
    const call = client.subscriptionService.subscribeCheckpoints({}, abort ? { abort } : {});
    await call.headers;
    // The call itself can be awaited, which waits for its end.
    return { responses: call.responses };
  }
  const checkpoints = (count: number) => {
    for (let made = 0; made < count; made++) localnet.ledger.createCheckpoint();
  };

  test('drops a stream with a code after its frames', async () => {
    misbehave({ dropStream: { afterFrames: 2, code: 'UNAVAILABLE' } });
    const call = await subscribe();
    checkpoints(3);
    const { frames, code } = await drain(call);
    expect(frames).toHaveLength(2);
    expect(code).toBe('UNAVAILABLE');
  });

  test('drops a stream without a word after its frames', async () => {
    misbehave({ dropStream: { afterFrames: 2, methods: ['SubscribeCheckpoints'] } });
    const call = await subscribe();
    checkpoints(3);
    const { frames, code } = await drain(call);
    expect(frames).toHaveLength(2);
    expect(code).not.toBe('OK');
    expect(await drain(client.ledgerService.listCheckpoints({}))).toMatchObject({ code: 'OK' });
  });

  test('stalls a stream after its frames, while others go on', async () => {
    misbehave({ stallStream: { afterFrames: 1 } });
    const abort = new AbortController();
    const stalled = (await subscribe(abort.signal)).responses[Symbol.asyncIterator]();
    misbehave({ stallStream: null });
    const healthy = (await subscribe(abort.signal)).responses[Symbol.asyncIterator]();
    checkpoints(3);
    expect((await stalled.next()).value.cursor).toBeDefined();
    const silence = stalled.next();
    for (let frames = 0; frames < 3; frames++) await healthy.next();
    const first = await Promise.race([
      silence.then(() => 'stalled'),
      client.ledgerService.getServiceInfo({}),
    ]);
    expect(first).not.toBe('stalled');
    abort.abort();
    await expect(silence).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(healthy.next()).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('fails the same share of calls for the same seed, and no others than those named', async () => {
    const outcomes = async (seed: number) => {
      misbehave({ failCalls: { code: 'RESOURCE_EXHAUSTED', share: 0.5, seed, methods: ['GetServiceInfo'] } });
      const codes: string[] = [];
      for (let calls = 0; calls < 16; calls++)
        codes.push(await codeOf(client.ledgerService.getServiceInfo({})));
      expect(await codeOf(client.ledgerService.getEpoch({}))).toBe('OK');
      return codes;
    };
    const first = await outcomes(3);
    expect(new Set(first)).toEqual(new Set(['OK', 'RESOURCE_EXHAUSTED']));
    expect(await outcomes(3)).toEqual(first);
    expect(await outcomes(4)).not.toEqual(first);
  });

  test('refuses the lists as a node without indexes does, and serves the rest', async () => {
    misbehave({ refuseLists: true });
    const listed = client.ledgerService.listEvents({});
    await expect(listed.responses[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'rpc indexes are disabled',
    });
    const versions = client.movePackageService.listPackageVersions({ packageId: '0x2' });
    expect(await codeOf(versions)).toBe('NOT_FOUND');
    expect(await codeOf(client.ledgerService.getCheckpoint({ checkpointId: { oneofKind: undefined } }))).toBe(
      'OK',
    );
  });

  test('lets lists lag behind the subscription, and catch up', async () => {
    const call = await subscribe();
    checkpoints(3);
    const frames = call.responses[Symbol.asyncIterator]();
    const seen = [await frames.next(), await frames.next(), await frames.next()].map(
      ({ value }) => (value as GrpcTypes.SubscribeCheckpointsResponse).cursor!,
    );
    const listed = async () => {
      const { frames: all } = await drain(
        client.ledgerService.listCheckpoints({ startCheckpoint: seen[0]! }),
      );
      expect(all.at(-1)!.watermark!.checkpoint).toBe(all.at(-2)?.checkpoint?.sequenceNumber);
      return all.flatMap(({ checkpoint }) => checkpoint?.sequenceNumber ?? []);
    };
    misbehave({ lagLists: { checkpoints: 2 } });
    expect(await listed()).toEqual(seen.slice(0, 1));
    misbehave({ lagLists: null });
    expect(await listed()).toEqual(seen);
  });

  test('executes a transaction and loses the answer; the same bytes bring it later', async () => {
    const key = new Ed25519Keypair();
    const address = key.toSuiAddress();
    await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: address });
    const transaction = new Transaction();
    transaction.setSender(address);
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], address);
    const bytes = await transaction.build({ client });
    const { signature } = await key.signTransaction(bytes);
    const digest = await transaction.getDigest();
    const execute = (timeout: number) =>
      client.transactionExecutionService.executeTransaction(
        {
          transaction: { bcs: { value: bytes } },
          signatures: [
            { bcs: { value: Buffer.from(signature, 'base64') }, signature: { oneofKind: undefined } },
          ],
        },
        { timeout },
      );

    misbehave({ loseAnswers: { answer: 'never', share: 1, seed: 1 } });
    // The first deadlines may pass before it executes.
    for (let timeout = 300; localnet.ledger.getTransaction(digest) === undefined; timeout *= 2) {
      expect(await codeOf(execute(timeout))).toBe('DEADLINE_EXCEEDED');
    }
    misbehave({ loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 } });
    expect(await codeOf(execute(200_000))).toBe('DEADLINE_EXCEEDED');
    misbehave({ loseAnswers: null });
    const { response } = await execute(200_000);
    expect(response.transaction!.effects!.status!.success).toBe(true);
    const { Transaction: found } = await client.getTransaction({ digest });
    expect(found!.digest).toBe(digest);
  });

  test('says it is another chain, in answers and in headers', async () => {
    misbehave({ chainId: 'AnotherChain' });
    const call = client.ledgerService.getServiceInfo({});
    expect((await call.response).chainId).toBe('AnotherChain');
    expect((await call.headers)['x-sui-chain-id']).toBe('AnotherChain');
    misbehave({ chainId: null });
    expect((await client.ledgerService.getServiceInfo({})).response.chainId).toBe(localnet.ledger.chainId);
  });

  test('jumps its clock ahead, and does not turn it back', async () => {
    const newest = async () => {
      localnet.ledger.createCheckpoint();
      const { response } = await client.ledgerService.getServiceInfo({});
      return Number(response.timestamp!.seconds);
    };
    const before = await newest();
    misbehave({ clock: { offsetMs: before * 1_000 - Date.now() + 7_200_000 } });
    const ahead = await newest();
    expect(ahead - before).toBeGreaterThanOrEqual(7_199);
    misbehave({ clock: null });
    expect(await newest()).toBeGreaterThanOrEqual(ahead);
  });

  test('forgets old checkpoints', async () => {
    checkpoints(2);
    const floor = localnet.ledger.highestCheckpoint;
    misbehave({ prune: { below: Number(floor) } });
    const { response } = await client.ledgerService.getServiceInfo({});
    expect(response.lowestAvailableCheckpoint).toBe(floor);
    const { code } = await drain(client.ledgerService.listEvents({ startCheckpoint: floor - 1n }));
    expect(code).toBe('OUT_OF_RANGE');
  });
});

test('another chain begins in the place of this one, and streams end', async () => {
  const { client, close } = eachTransport.native.connect(localnet.rpcUrl);
  const call = client.subscriptionService.subscribeCheckpoints({});
  await call.headers;
  const { response: before } = await client.ledgerService.getServiceInfo({});
  misbehave({ newChain: true });
  expect((await drain({ responses: call.responses })).code).not.toBe('OK');
  const { response: after } = await client.ledgerService.getServiceInfo({});
  expect(after.chainId).not.toBe(before.chainId);
  expect(after.checkpointHeight).toBe(0n);
  expect(localnet.misbehaviour.settings).toEqual({});
  close();
});

test('a client goes on after GOAWAY on another connection, call after call', async () => {
  misbehave({ goAway: { afterCalls: 2 } });
  const { client, close } = eachTransport.native.connect(localnet.rpcUrl);
  for (let calls = 0; calls < 7; calls++) {
    expect(await codeOf(client.ledgerService.getServiceInfo({}))).toBe('OK');
  }
  close();
});

test('GOAWAY comes with the call it is due, and that call is served', async () => {
  misbehave({ goAway: { afterCalls: 2 } });
  const session = http2.connect(localnet.rpcUrl);
  const goneAway = once(session, 'goaway');
  const call = async () => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/sui.rpc.v2.LedgerService/GetServiceInfo',
      'content-type': 'application/grpc',
    });
    stream.end(Buffer.alloc(5));
    stream.resume();
    const [trailers] = await once(stream, 'trailers');
    return trailers['grpc-status'];
  };
  expect(await call()).toBe('0');
  expect(await call()).toBe('0');
  await goneAway;
  session.destroy();
});

test('GOAWAY now reaches connections that are open', async () => {
  const session = http2.connect(localnet.rpcUrl);
  await once(session, 'remoteSettings');
  const goneAway = once(session, 'goaway');
  misbehave({ goAway: { afterCalls: 0 } });
  await goneAway;
  session.destroy();
});
