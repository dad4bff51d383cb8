import { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount, execute } from '../../account.ts';
import type { Localnet } from '../../start.ts';
import { startTestLocalnet } from '../../testing/start.ts';
import { compileTestPackage } from '../testing/package.ts';

const { CoinTreasury_SupplyState: SupplyState } = GrpcTypes;

let localnet: Localnet;
let client: SuiGrpcClient;
let account: Account;
let coinType: string;
let capId: string;

beforeAll(async () => {
  localnet = await startTestLocalnet();
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  account = await createAccount(client, localnet.faucetUrl);
  const { modules, dependencies } = await compileTestPackage();
  const { created } = await execute(account, (tx) => {
    const cap = tx.publish({ modules: modules.map((each) => [...each]), dependencies });
    tx.transferObjects([cap], account.address);
  });
  coinType = `${created.find(({ type }) => type === 'package')!.id}::gem::GEM`;
  capId = created.find(({ type }) => type.includes('::coin::TreasuryCap<'))!.id;
});
afterAll(() => localnet.close());

const coinInfo = async () => (await client.stateService.getCoinInfo({ coinType })).response;

test('a coin is known by its metadata and treasury, also when its publication is pruned', async () => {
  const known = await coinInfo();
  expect(known).toMatchObject({
    coinType,
    metadata: { symbol: 'GEM', decimals: 6 },
    treasury: { id: capId, totalSupply: 1_000n, supplyState: SupplyState.SUPPLY_STATE_UNKNOWN },
  });
  for (let made = 0; made < 3; made++) localnet.ledger.createCheckpoint();
  localnet.ledger.prune(localnet.ledger.highestCheckpoint);
  expect(await coinInfo()).toEqual(known);
});

test('a supply whose treasury belongs to no one is fixed', async () => {
  await execute(account, (tx) => tx.transferObjects([capId], `0x${'0'.repeat(64)}`));
  expect((await coinInfo()).treasury!.supplyState).toBe(SupplyState.FIXED);
});

test('SUI has a constant description, and a coin that is none is NOT_FOUND', async () => {
  const { response } = await client.stateService.getCoinInfo({ coinType: '0x2::sui::SUI' });
  expect(response).toMatchObject({ metadata: { symbol: 'SUI', decimals: 9 } });
  const none = client.stateService.getCoinInfo({ coinType: '0x2::clock::Clock' });
  await expect(none).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
