import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase58, toHex } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';
import { describeEachTransport } from './testing/each-transport.ts';

const isCoinReservation = (digest: string) => toHex(fromBase58(digest)).endsWith('ac'.repeat(20));

let localnet: Localnet;
const key = Ed25519Keypair.generate();
const sender = key.toSuiAddress();

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 10 });
  await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: sender });
});
afterAll(() => localnet.close());

describeEachTransport('an unchanged client', (transport) => {
  let client: SuiGrpcClient;
  let disconnect: () => void;

  beforeAll(() => {
    ({ client, close: disconnect } = transport.connect(localnet.rpcUrl));
  });
  afterAll(() => disconnect());

  test('sends to an address balance, reads it, and pays and withdraws from it', async () => {
    const recipient = Ed25519Keypair.generate();
    const owner = recipient.toSuiAddress();
    const sending = new Transaction();
    sending.moveCall({
      target: '0x2::coin::send_funds',
      typeArguments: ['0x2::sui::SUI'],
      arguments: [sending.coin({ balance: 100_000_000n }), sending.pure.address(owner)],
    });
    const { Transaction: sent } = await client.signAndExecuteTransaction({
      transaction: sending,
      signer: key,
      include: { effects: true },
    });
    expect(sent!.effects!.changedObjects).toContainEqual(
      expect.objectContaining({ outputState: 'AccumulatorWriteV1' }),
    );
    const balanceOf = async (of: string) => (await client.getBalance({ owner: of })).balance;
    expect(await balanceOf(owner)).toMatchObject({
      balance: '100000000',
      coinBalance: '0',
      addressBalance: '100000000',
    });
    const { balances } = await client.listBalances({ owner });
    expect(balances).toMatchObject([{ addressBalance: '100000000' }]);
    // Without a coin at all: the client withdraws, and gas comes from the same balance.
    const transaction = new Transaction();
    transaction.transferObjects([transaction.coin({ balance: 1_000n, useGasCoin: false })], sender);
    const result = await client.signAndExecuteTransaction({
      transaction,
      signer: recipient,
      include: { effects: true, transaction: true },
    });
    expect(result.Transaction?.status).toEqual({ success: true, error: null });
    const { gasUsed } = result.Transaction!.effects!;
    const cost =
      BigInt(gasUsed.computationCost) + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate);
    expect((await balanceOf(owner)).addressBalance).toBe(String(100_000_000n - 1_000n - cost));
    expect(result.Transaction!.transaction!.gasData.payment).toEqual([]);
    expect(result.Transaction!.transaction!.inputs).toContainEqual(
      expect.objectContaining({ $kind: 'FundsWithdrawal' }),
    );
    // The gas coin has it, too, and a coin that comes later: the node selects a coin reservation.
    const spending = new Transaction();
    spending.transferObjects([spending.splitCoins(spending.gas, [1_000])], owner);
    const spent = await client.signAndExecuteTransaction({
      transaction: spending,
      signer: recipient,
      include: { effects: true, transaction: true },
    });
    expect(spent.Transaction?.status).toEqual({ success: true, error: null });
    expect(spent.Transaction!.effects!.gasObject).toBeNull();
    const [reservation] = spent.Transaction!.transaction!.gasData.payment!;
    expect(isCoinReservation(reservation!.digest)).toBe(true);
  });
});
