import { RpcError } from '@protobuf-ts/runtime-rpc';
import { expect, test } from 'vitest';
import { awaitSimulation } from './failures.ts';

const refuse = (reason: string) =>
  awaitSimulation(Promise.reject(new RpcError(reason, 'INVALID_ARGUMENT')), {}).catch((error) => error);

test.each([
  'Balance of gas object 10 is lower than the needed amount: 50000000',
  'Transaction gas payment missing',
  'Object 0x5 is not a gas object',
  'Cannot find gas coin for signer address 0x5 with amount sufficient for the required gas amount 50000000.',
  'Unable to perform gas selection due to insufficient SUI balance',
  'Insufficient gas balance to cover estimated transaction cost.',
])('a refusal of the coin that pays means that the key needs one: %s', async (reason) => {
  expect(await refuse(reason)).toMatchObject({ code: 'agent_out_of_gas' });
});

test.each([
  'Gas price 1 under reference gas price (RGP) 1000',
  'Gas budget: 60000000000 is higher than max: 50000000000',
  'Could not find function refuel in module 0x5::gas_station',
  'Type 0x5::vegas::Chip is unknown',
])('a refusal with the letters of gas is not about the coins of the key: %s', async (reason) => {
  expect(await refuse(reason)).toMatchObject({
    code: 'not_executable',
    message: expect.stringContaining(reason),
  });
});
