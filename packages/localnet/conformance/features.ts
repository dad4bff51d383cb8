import { appendUpgrade } from '@adaptor-marketplace/move-toolchain';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Transaction } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { reservationOf } from '../src/ledger/coin-reservations.ts';
import type { Blocks } from './document.ts';
import { answer, COIN, type Data, prepareTrials, SUI } from './trials.ts';

/** A row of a table: what is tried; what it says beside the answer. */
type Feature = [what: string, tried: () => Promise<string>, note?: string];

/** What the network at `url` does with transactions of each kind; `key` has coins. */
export async function featureTables(url: string, key: Ed25519Keypair): Promise<Blocks> {
  const trials = await prepareTrials(url, key);
  const { client, address, chain, compiled, packageId, parent, cap, secp256k1, secp256r1, multisig } = trials;
  const { coinOf, newCoins, simulates, tries } = trials;
  const publication = {
    modules: compiled.modules.map((module) => toBase64(module)),
    dependencies: compiled.dependencies,
  };
  const target = (name: string) => `${packageId}::features::${name}`;
  const pays = (tx: Transaction) => {
    tx.transferObjects([tx.splitCoins(tx.gas, [1])], address);
  };
  const withdraws = (tx: Transaction) => {
    const balance = tx.moveCall({
      target: '0x2::balance::redeem_funds',
      typeArguments: [SUI],
      arguments: [tx.withdrawal({ amount: 5 })],
    });
    const to = tx.pure.address(address);
    tx.moveCall({ target: '0x2::balance::send_funds', typeArguments: [SUI], arguments: [balance, to] });
  };
  const sponsored = (tx: Transaction) => {
    tx.setGasOwner(secp256k1.toSuiAddress());
    tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.object.clock()] });
  };
  const valid = (times: { minTimestamp: string | null; maxTimestamp: string | null }) => ({
    ValidDuring: { ...times, minEpoch: '0', maxEpoch: '1', chain, nonce: 1 },
  });
  const always = { minTimestamp: null, maxTimestamp: null };
  const from = (withdrawFrom: object) => (data: Data) => {
    const inputs = data.kind.ProgrammableTransaction!.inputs;
    const withdrawal = inputs.find((input) => input.FundsWithdrawal)!.FundsWithdrawal!;
    Object.assign(withdrawal, { withdrawFrom });
  };
  const asInput = (reference: object) => (data: Data) => {
    const inputs = data.kind.ProgrammableTransaction!.inputs;
    const owned = inputs.find((input) => input.Object?.ImmOrOwnedObject)!.Object!.ImmOrOwnedObject!;
    Object.assign(owned, reference);
  };
  const look = (tx: Transaction, id: string) =>
    tx.moveCall({ target: '0x2::coin::value', typeArguments: [SUI], arguments: [tx.object(id)] });

  const looksAtReference = (tx: Transaction) => {
    const reference = tx.moveCall({ target: target('same'), arguments: [tx.object(parent)] });
    tx.moveCall({ target: target('look'), arguments: [reference] });
  };
  const commands: Feature[] = [
    [
      '`MoveCall`, `TransferObjects`, `SplitCoins`, `MergeCoins`, `MakeMoveVec`, `Publish`',
      () =>
        tries((tx) => {
          const [one, other] = tx.splitCoins(tx.gas, [1, 2]);
          tx.mergeCoins(one!, [other!]);
          const coins = tx.makeMoveVec({ type: COIN, elements: [one!] });
          tx.moveCall({ target: '0x2::pay::join_vec', typeArguments: [SUI], arguments: [tx.gas, coins] });
          tx.transferObjects([tx.publish(publication)], address);
        }),
    ],
    [
      '`Upgrade`, policies compatible, additive and dependencies only',
      () => tries((tx) => appendUpgrade(tx, { cap, packageId }, compiled)),
      '; the effects say why one is refused. The `init` of a new module runs; one that is new in an old module is refused (`IncompatibleUpgrade`)',
    ],
    [
      'a reference that a function returns, in a later command',
      () => tries(looksAtReference),
      ', as on public networks',
    ],
  ];
  const inputs: Feature[] = [
    [
      'pure values, and owned objects',
      async () => {
        const [coin] = await newCoins();
        return tries((tx) => look(tx, coin!));
      },
    ],
    ['immutable objects', () => tries((tx) => look(tx, coinOf(undefined)))],
    [
      'shared objects, to read and to change',
      () =>
        tries((tx) => {
          tx.moveCall({ target: target('look'), arguments: [tx.object(parent)] });
          tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.object.clock()] });
        }),
    ],
    [
      'receiving objects',
      () =>
        tries((tx) => {
          const coin = tx.moveCall({
            target: target('receive'),
            arguments: [tx.object(parent), tx.object(coinOf(parent))],
          });
          tx.transferObjects([coin], address);
        }),
    ],
    [
      'withdrawal from the address balance of the sender, up to 10',
      () => tries(withdraws),
      '; more than there is, is refused without a charge',
    ],
    [
      'withdrawal from the address balance of the sponsor',
      () =>
        tries(
          (tx) => {
            sponsored(tx);
            withdraws(tx);
          },
          { keys: [key, secp256k1], change: from({ Sponsor: true, $kind: 'Sponsor' }) },
        ),
    ],
    [
      'withdrawal by an allowance',
      () => tries(withdraws, { change: from({ SenderAllowance: { funder: address, allowance: address } }) }),
    ],
    [
      '`literal` inputs of a simulation',
      () => {
        const literal = { kind: { oneofKind: 'boolValue', boolValue: true } } as const;
        const programmableTransaction = { inputs: [{ literal }], commands: [] };
        const data = { oneofKind: 'programmableTransaction', programmableTransaction } as const;
        const transaction = { sender: address, kind: { data } };
        return answer(client.transactionExecutionService.simulateTransaction({ transaction }));
      },
      ': give pure values as BCS',
    ],
    ['signatures of Ed25519', () => tries(pays)],
    ['signatures of Secp256k1', () => tries(pays, { keys: [secp256k1] })],
    ['signatures of Secp256r1', () => tries(pays, { keys: [secp256r1] })],
    [
      'multisig of these',
      () =>
        tries(
          (tx) => {
            tx.setSender(multisig.toSuiAddress());
            pays(tx);
          },
          {
            sign: async (bytes) => {
              const parts = await Promise.all([key, secp256k1].map((each) => each.signTransaction(bytes)));
              return [multisig.combinePartialSignatures(parts.map(({ signature }) => signature))];
            },
          },
        ),
    ],
    [
      'zkLogin',
      () => tries(pays, { sign: async () => [toBase64(Uint8Array.of(5, 1, 2))] }),
      ', nor in a multisig',
    ],
    [
      'sponsor (a gas owner other than the sender)',
      () => tries(sponsored, { keys: [key, secp256k1] }),
      '; both sign. A simulation selects the coins or the funds of the sponsor',
    ],
    [
      'several gas coins, up to 256',
      async () => {
        const { objects: coins } = await client.getObjects({ objectIds: await newCoins() });
        return tries((tx) => {
          tx.setGasPayment(coins.filter((coin) => !(coin instanceof Error)));
          pays(tx);
        });
      },
      '; they are merged into the first',
    ],
    [
      'gas from an address balance (no gas coins)',
      () =>
        tries((tx) => {
          tx.setGasPayment([]);
          tx.setGasBudget(100_000_000);
          tx.setExpiration(valid(always));
          tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.object.clock()] });
        }),
      ', with the expiration `ValidDuring`; the gas coin is empty then',
    ],
    [
      "coin reservations of the sender's SUI among the gas coins",
      () =>
        tries(pays, {
          change: ({ gasData }) =>
            Object.assign(gasData, { payment: [reservationOf(address, 50_000_000n, chain)] }),
        }),
      '; a simulation selects one if a command uses the gas coin',
    ],
    [
      "coin reservations of the sponsor's SUI among the gas coins",
      () =>
        tries(
          (tx) => {
            tx.setGasOwner(secp256k1.toSuiAddress());
            pays(tx);
          },
          { keys: [key, secp256k1] },
        ),
      ': a simulation selects one, and fails, if a command uses the gas coin of a sponsor with an address balance, as that of a node',
    ],
    [
      'coin reservations as inputs',
      async () => {
        const [coin] = await newCoins();
        return tries((tx) => look(tx, coin!), { change: asInput(reservationOf(address, 1n, chain)) });
      },
      ': give a withdrawal',
    ],
    [
      'transactions without gas (gas price 0)',
      () => tries(pays, { change: ({ gasData }) => Object.assign(gasData, { price: '0' }) }),
    ],
    [
      'expiration by epoch',
      () =>
        tries((tx) => {
          tx.setExpiration({ Epoch: 1 });
          pays(tx);
        }),
    ],
    [
      'expiration `ValidDuring` with epochs and chain',
      () =>
        tries((tx) => {
          tx.setExpiration(valid(always));
          pays(tx);
        }),
    ],
    [
      'expiration with timestamps',
      () =>
        tries(pays, {
          change: (data) =>
            Object.assign(data, { expiration: valid({ minTimestamp: '1', maxTimestamp: null }) }),
        }),
      ', as on the chain',
    ],
    [
      'system transactions from clients',
      () =>
        tries(pays, {
          change: (data) =>
            Object.assign(data, {
              kind: { ConsensusCommitPrologue: { epoch: 0, round: 1, commitTimestampMs: 1 } },
            }),
        }),
    ],
  ];
  const simulations: [what: string, build: (tx: Transaction) => void][] = [
    [
      'an object of another owner',
      (tx) => tx.transferObjects([tx.object(coinOf(secp256r1.toSuiAddress()))], address),
    ],
    ['gas of a sponsor', sponsored],
    ['a function that is not public', (tx) => tx.moveCall({ target: target('hidden') })],
    ['`init`', (tx) => tx.moveCall({ target: target('init') })],
    ['a reference that a function returns, in a later command', looksAtReference],
    ['a value without `drop` that is left over', (tx) => tx.moveCall({ target: target('potato') })],
    [
      'bytes as an argument of any type, as BCS',
      (tx) => tx.moveCall({ target: target('look'), arguments: [tx.pure(new Uint8Array(32).fill(7))] }),
    ],
    [
      'an argument of another type',
      (tx) => tx.moveCall({ target: target('look'), arguments: [tx.object.clock()] }),
    ],
    ['a function that aborts', (tx) => tx.moveCall({ target: target('fail') })],
  ];
  const simulated = ['| simulated | with checks | without (`checksEnabled: false`) |', '|---|---|---|'];
  for (const [what, build] of simulations) {
    simulated.push(`| ${what} | ${(await simulates(build)).join(' | ')} |`);
  }
  return {
    simulations: simulated.join('\n'),
    commands: await table('command', commands),
    inputs: await table('input, signature or field', inputs),
  };
}

async function table(heading: string, features: Feature[]): Promise<string> {
  const rows = [`| ${heading} | supported |`, '|---|---|'];
  for (const [what, tried, note = ''] of features) rows.push(`| ${what} | ${await tried()}${note} |`);
  return rows.join('\n');
}
