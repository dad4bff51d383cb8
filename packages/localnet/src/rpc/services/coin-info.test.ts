import { compileSources } from '@adaptor-marketplace/move-toolchain';
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

test('what the coin registry has of a coin is what is answered', async () => {
  const source = `module coins::silver {
    use sui::coin_registry;
    public struct SILVER has drop {}
    fun init(witness: SILVER, ctx: &mut TxContext) {
      let (mut making, mut treasury) = coin_registry::new_currency_with_otw(
        witness, 4, b"AG".to_string(), b"Silver".to_string(), b"a metal".to_string(), b"".to_string(), ctx,
      );
      let cap = making.make_regulated(true, ctx);
      coins::silver::give(treasury.mint(70, ctx), ctx);
      making.make_supply_fixed(treasury);
      transfer::public_transfer(making.finalize(ctx), ctx.sender());
      transfer::public_transfer(cap, ctx.sender());
    }
    fun give(coin: sui::coin::Coin<SILVER>, ctx: &TxContext) { transfer::public_transfer(coin, ctx.sender()) }
  }`;
  const manifest = '[package]\nname = "coins"\nedition = "2024"\n[addresses]\ncoins = "0x0"\n';
  const { modules, dependencies } = await compileSources({
    'Move.toml': manifest,
    'sources/silver.move': source,
  });
  const { created } = await execute(account, (tx) => {
    const cap = tx.publish({ modules: modules.map((each) => [...each]), dependencies });
    tx.transferObjects([cap], account.address);
  });
  const silver = `${created.find(({ type }) => type === 'package')!.id}::silver::SILVER`;
  const info = async () => (await client.stateService.getCoinInfo({ coinType: silver })).response;
  await expect(info()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const currency = created.find(({ type }) => type.includes('::coin_registry::Currency<'))!.id;
  const { created: registered } = await execute(account, (tx) => {
    tx.moveCall({
      target: '0x2::coin_registry::finalize_registration',
      typeArguments: [silver],
      arguments: [tx.object('0xc'), tx.object(currency)],
    });
  });
  expect(await info()).toMatchObject({
    metadata: {
      id: registered.find(({ type }) => type.includes('::coin_registry::Currency<'))!.id,
      symbol: 'AG',
      name: 'Silver',
      description: 'a metal',
      decimals: 4,
      metadataCapState: GrpcTypes.CoinMetadata_MetadataCapState.CLAIMED,
      metadataCapId: created.find(({ type }) => type.includes('::coin_registry::MetadataCap<'))!.id,
    },
    treasury: { totalSupply: 70n, supplyState: SupplyState.FIXED },
    regulatedMetadata: {
      denyCapObject: created.find(({ type }) => type.includes('::coin::DenyCapV2<'))!.id,
      allowGlobalPause: true,
      coinRegulatedState: GrpcTypes.RegulatedCoinMetadata_CoinRegulatedState.REGULATED,
    },
  });
});

test('SUI has a constant description, and a coin that is none is NOT_FOUND', async () => {
  const { response } = await client.stateService.getCoinInfo({ coinType: '0x2::sui::SUI' });
  expect(response).toMatchObject({ metadata: { symbol: 'SUI', decimals: 9 } });
  const none = client.stateService.getCoinInfo({ coinType: '0x2::clock::Clock' });
  await expect(none).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
