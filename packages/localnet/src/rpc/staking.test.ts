import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount, execute } from '../account.ts';
import { faucetKeypair, suiSupply, validatorKeypair } from '../ledger/genesis.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

const VAULT = `
module demo::vault {
  use sui::{coin::Coin, sui::SUI};
  use sui_system::{staking_pool::StakedSui, sui_system::SuiSystemState};
  public struct Vault has key { id: UID, stake: StakedSui }
  public fun open(system: &mut SuiSystemState, coin: Coin<SUI>, ctx: &mut TxContext) {
    let validator = system.active_validator_addresses()[0];
    let stake = system.request_add_stake_non_entry(coin, validator, ctx);
    assert!(stake.amount() >= 1_000_000_000 && stake.activation_epoch() == ctx.epoch() + 1);
    let rates = system.pool_exchange_rates(&stake.pool_id());
    assert!(rates[0].sui_amount() == 0 && rates.length() == 1);
    transfer::share_object(Vault { id: object::new(ctx), stake })
  }
  public fun close(vault: Vault, system: &mut SuiSystemState, ctx: &mut TxContext): Coin<SUI> {
    let Vault { id, stake } = vault;
    id.delete();
    system.request_withdraw_stake_non_entry(stake, ctx).into_coin(ctx)
  }
}`;

let localnet: Localnet;
let client: SuiGrpcClient;
let alice: Account;
let validator: Account;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 10 });
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  alice = await createAccount(client, localnet.faucetUrl);
  const keypair = validatorKeypair();
  validator = { client, keypair, address: keypair.toSuiAddress() };
  await execute(alice, (tx) =>
    tx.transferObjects([tx.splitCoins(tx.gas, [10_000_000_000n])], validator.address),
  );
});
afterAll(() => localnet.close());

async function systemState() {
  const { response } = await client.ledgerService.getEpoch({ readMask: { paths: ['system_state'] } });
  return response.epoch!.systemState!;
}

async function pool() {
  return (await systemState()).validators!.activeValidators[0]!.stakingPool!;
}

// Without `mutable` the SDK compares the version that it names, a number, with a text.
const systemOf = (tx: Transaction) => tx.object.system({ mutable: true });
const system = (name: string) => `0x3::sui_system::${name}`;

function staking(amount: bigint, at = validator.address) {
  return (tx: Transaction) => {
    const coin = tx.splitCoins(tx.gas, [amount]);
    tx.moveCall({
      target: system('request_add_stake'),
      arguments: [systemOf(tx), coin, tx.pure.address(at)],
    });
  };
}

test('stake is pending until the next epoch, and is withdrawn as it was', async () => {
  const before = await pool();
  const { created } = await execute(alice, staking(2_000_000_000n));
  const staked = created.find(({ type }) => type.endsWith('::staking_pool::StakedSui'))!;
  const { object } = await client.getObject({ objectId: staked.id, include: { json: true } });
  expect(object.json).toMatchObject({
    pool_id: before.id,
    stake_activation_epoch: '1',
    principal: '2000000000',
  });
  expect((await pool()).pendingStake).toBe(before.pendingStake! + 2_000_000_000n);
  const total = async () => BigInt((await client.getBalance({ owner: alice.address })).balance.balance);
  const had = await total();
  const withdrawing = new Transaction();
  withdrawing.moveCall({
    target: system('request_withdraw_stake'),
    arguments: [systemOf(withdrawing), withdrawing.object(staked.id)],
  });
  const { Transaction: sent } = await client.signAndExecuteTransaction({
    transaction: withdrawing,
    signer: alice.keypair,
    include: { effects: true, events: true },
  });
  await client.waitForTransaction({ digest: sent!.digest });
  const { computationCost, storageCost, storageRebate } = sent!.effects!.gasUsed;
  const cost = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
  expect((await total()) - had).toBe(2_000_000_000n - cost);
  expect(sent!.events![0]!.eventType).toBe(`${normalizeSuiAddress('0x3')}::validator::UnstakingRequestEvent`);
  expect((await pool()).pendingStake).toBe(before.pendingStake);
});

test('stake with nobody, and less than 1 SUI, abort as on the chain', async () => {
  await expect(execute(alice, staking(2_000_000_000n, alice.address))).rejects.toThrow(
    /abort code: 4, in '.*::validator_set::/,
  );
  await expect(execute(alice, staking(999_999_999n))).rejects.toThrow(
    /abort code: 10, in '.*::validator_set::/,
  );
});

test('only stake that is active becomes fungible: that of the validator', async () => {
  const { created } = await execute(alice, staking(1_000_000_000n));
  const convert = (id: string) => (tx: Transaction) => {
    const fungible = tx.moveCall({
      target: system('convert_to_fungible_staked_sui'),
      arguments: [systemOf(tx), tx.object(id)],
    });
    const half = tx.moveCall({
      target: '0x3::staking_pool::split_fungible_staked_sui',
      arguments: [fungible, tx.pure.u64(1_000_000_000)],
    });
    const redeemed = tx.moveCall({
      target: system('redeem_fungible_staked_sui'),
      arguments: [systemOf(tx), half],
    });
    const coin = tx.moveCall({
      target: '0x2::coin::from_balance',
      typeArguments: ['0x2::sui::SUI'],
      arguments: [redeemed],
    });
    tx.transferObjects([coin, fungible], alice.address);
  };
  const pending = created.find(({ type }) => type.endsWith('::StakedSui'))!;
  await expect(execute(alice, convert(pending.id))).rejects.toThrow(/abort code: 19, in '.*::staking_pool::/);
  const { objects } = await client.listOwnedObjects({
    owner: validator.address,
    type: '0x3::staking_pool::StakedSui',
  });
  const redeemed = await execute(validator, convert(objects[0]!.objectId));
  const fungible = redeemed.created.find(({ type }) => type.endsWith('::FungibleStakedSui'))!;
  const { object } = await client.getObject({ objectId: fungible.id, include: { content: true } });
  const Fungible = bcs.struct('FungibleStakedSui', { id: bcs.Address, pool: bcs.Address, value: bcs.u64() });
  expect(Fungible.parse(object.content).value).toBe(String(19_999_999_000_000_000n));
  expect((await pool()).pendingTotalSuiWithdraw).toBe(1_000_000_000n);
});

test('the system state has the one validator and all of its stake', async () => {
  const state = await systemState();
  expect(state).toMatchObject({ version: 2n, epoch: 0n, protocolVersion: 138n, referenceGasPrice: 1_000n });
  expect(state.validators).toMatchObject({
    totalStake: 20_000_000_000_000_000n,
    activeValidators: [{ name: 'localnet', address: validator.address, votingPower: 10_000n }],
    stakingPoolMappings: { size: 1n },
  });
  const { systemState: current } = await client.getCurrentSystemState();
  expect(current).toMatchObject({ systemStateVersion: '2', epoch: '0', referenceGasPrice: '1000' });
  expect(BigInt(current.epochStartTimestampMs)).toBe(state.epochStartTimestampMs);
  expect(current.parameters).toMatchObject({ maxValidatorCount: '1' });
  const { object } = await client.getObject({ objectId: '0x5', include: { json: true } });
  expect(object).toMatchObject({ type: `${normalizeSuiAddress('0x3')}::sui_system::SuiSystemState` });
  const faucet = await client.getBalance({ owner: faucetKeypair().toSuiAddress() });
  expect(BigInt(faucet.balance.balance)).toBeLessThan(suiSupply - state.validators!.totalStake!);
});

test('a package stakes by itself, and is linked to 0x3 because it names it', async () => {
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const compile = (source: string) =>
    compileSources({ 'Move.toml': manifest, 'sources/demo.move': source }, { uncached: true });
  const { modules, dependencies } = await compile(VAULT);
  expect(dependencies.map((id) => Number(BigInt(id))).sort()).toEqual([1, 2, 3]);
  const quiet = await compile('module demo::quiet;\n// not sui_system::staking_pool\npublic fun f() {}');
  expect(quiet.dependencies.map((id) => Number(BigInt(id))).sort()).toEqual([1, 2]);
  const { created } = await execute(alice, (tx) => {
    const cap = tx.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
    tx.transferObjects([cap], alice.address);
  });
  const target = `${created.find(({ type }) => type === 'package')!.id}::vault`;
  const opened = await execute(alice, (tx) => {
    const coin = tx.splitCoins(tx.gas, [3_000_000_000n]);
    tx.moveCall({ target: `${target}::open`, arguments: [systemOf(tx), coin] });
  });
  const vault = opened.created.find(({ type }) => type.endsWith('::vault::Vault'))!;
  await execute(alice, (tx) => {
    const coin = tx.moveCall({
      target: `${target}::close`,
      arguments: [tx.object(vault.id), systemOf(tx)],
    });
    tx.transferObjects([coin], alice.address);
  });
});
