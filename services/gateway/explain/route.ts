import type { Network } from '@adaptor-marketplace/adaptor';
import {
  ExplainError,
  type Explanation,
  explain,
  explainBounds,
  listObjectIds,
  type ParsedTransaction,
  parseTransaction,
} from '@adaptor-marketplace/adaptor/explain';
import { z } from 'zod';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { problem } from '../../../lib/errors/index.ts';
import { signalDeparture } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import {
  addressParameter,
  id,
  type NetworkChoice,
  networkField,
  networkName,
  owner,
  sui,
} from '../openapi/parts.ts';
import { createChainProblem, type PublishChain } from '../publish/route.ts';
import { openUpgradeReader, readObjectFacts, type UpgradeReader } from './chain.ts';
import { type FunctionReader, openAnalysis, openFunctionReader } from './functions.ts';

interface ExplainChain extends Pick<PublishChain, 'client'> {
  readFunctions: FunctionReader;
  readUpgrades: UpgradeReader;
}

export interface ExplainDependencies {
  choose: NetworkChoice;
  reads: ReadPools;
  explainChains: ReadonlyMap<Network, ExplainChain>;
}

/** Opens what explanations read of each network. */
export function openExplainChains(
  chains: ReadonlyMap<Network, PublishChain>,
  closing: AsyncDisposableStack,
): ReadonlyMap<Network, ExplainChain> {
  const analyze = openAnalysis(closing);
  return new Map(
    [...chains].map(([network, { client, packages }]) => [
      network,
      {
        client,
        readFunctions: openFunctionReader(network, packages, analyze),
        readUpgrades: openUpgradeReader(client),
      },
    ]),
  );
}

/** JSON in a string of JSON is up to twice as long. */
const bodyBytesMax = 2 * explainBounds.jsonCharacters;

const addressHolder = z
  .object({ kind: z.literal('address'), address: z.string() })
  .meta({ id: 'AddressHolder', title: 'An address' });

const holder = z
  .union([
    addressHolder,
    z.object({ kind: z.literal('object'), id: z.string() }).meta({ title: 'An object' }),
  ])
  .meta({ id: 'Holder', description: 'An owner of money: an address, or an object such as a wallet.' });

const likelihood = z.enum(['always', 'may', 'unread']).meta({
  description:
    '`always`: if the transaction succeeds, it does this. `may`: its code has a path that looks like it. `unread`: code that ' +
    'was not read gets it.',
});

const typed = z.enum(['shared', 'frozen']);
const stored = z.enum(['storedAddress', 'kept']);
const plain = z.enum(['computedAddress', 'burned', 'destroyed', 'unread']);

const destination = z
  .union([
    holder,
    z.object({ kind: stored, path: z.string() }).meta({ title: 'A stored field' }),
    z.object({ kind: typed, type: z.string() }).meta({ title: 'A shared or frozen object' }),
    z.object({ kind: plain }).meta({ title: 'Another destination' }),
  ])
  .meta({
    id: 'Destination',
    description:
      '`storedAddress`: the address in the stored field `path`. `kept`: stored in the field `path`. `computedAddress`: an address ' +
      'that is calculated. `destroyed`: the object is taken apart. `unread`: code that was not read.',
  });

const commands = z.array(z.int().min(0)).meta({ description: 'Positions of commands, from 0.' });

const moneyRoute = z
  .object({
    to: destination,
    within: z.string().optional().meta({ description: 'Type of the object that the money is put into.' }),
    likelihood,
    commands,
  })
  .meta({ id: 'MoneyRoute' });

const provenance = z
  .union([
    holder,
    z.object({ kind: z.literal('protocol'), id: z.string() }).meta({ title: 'An object of a protocol' }),
    z.object({ kind: z.enum(['made', 'unread']) }).meta({ title: 'Another origin' }),
  ])
  .meta({
    id: 'Provenance',
    description: '`protocol`: an object that is not a wallet. `made`: made in the transaction.',
  });

const upgrade = z.union([
  addressHolder,
  z.object({ kind: z.enum(['none', 'unread']), reason: z.string() }).meta({ title: 'No known holder' }),
]);

const moduleNames = z
  .array(z.string())
  .meta({ description: 'Names of its modules; `?` for one that is not valid bytecode.' });

const upgradePolicy = z.enum(['compatible', 'additive', 'dependencies']).meta({
  description:
    'Changes that are allowed. `compatible`: to all code. `additive`: additions alone. `dependencies`: other versions of ' +
    'dependencies alone.',
});

export const explanationBody = z
  .object({
    network: networkName,
    analysis: z.int().meta({ description: 'Version of the analysis of the functions.' }),
    sender: z.string(),
    versions: z
      .array(
        z.object({
          id: z.string(),
          named: z.string().meta({ description: 'Version in the transaction.' }),
          found: z.string().meta({ description: 'Version that the node has.' }),
          kind: z.enum(['older', 'newer', 'content', 'shared']).meta({
            description:
              '`older`, `content` (another digest) and `shared` (shared at another version): the network refuses the ' +
              'transaction. `newer`: the node is behind, and another state was read than the one in which it runs.',
          }),
        }),
      )
      .meta({ description: 'Objects that the transaction names at another version than the node has.' }),
    leaves: z
      .array(
        z.object({
          holder,
          type: z.string().meta({ description: '`?` if it is unknown.' }),
          atMost: z
            .string()
            .nullable()
            .meta({ description: 'In base units. Null: no bound is known but all that the holder has.' }),
          routes: z.array(moneyRoute),
        }),
      )
      .meta({ description: 'Money that leaves an address, a wallet, or an object of a signer.' }),
    arrives: z
      .array(
        z.object({
          holder,
          type: z.string(),
          atLeast: z.string().meta({ description: 'In base units; 0 if no command fixes an amount.' }),
          from: z.array(provenance),
          commands,
        }),
      )
      .meta({ description: 'Money and objects that come to a signer, a wallet, or an object of a signer.' }),
    objects: z
      .array(z.object({ id: z.string(), type: z.string(), holder, routes: z.array(moneyRoute) }))
      .meta({ description: 'Objects that change their owner or end.' }),
    changes: z
      .array(
        z.object({
          id: z.string(),
          type: z.string(),
          fields: z.array(z.string()).meta({
            description: 'Such as `0x...::wallet::Wallet.grants`, with the first id of the package.',
          }),
          otherFields: z.int().min(0).meta({ description: 'Number of fields beside these.' }),
          commands,
        }),
      )
      .meta({
        description:
          'Wallets, and objects of signers, in which calls may write these fields. Rights of others, such as ' +
          'grants, are in such fields.',
      }),
    receives: z
      .array(z.object({ id: z.string(), type: z.string(), from: z.string(), routes: z.array(moneyRoute) }))
      .meta({
        description:
          'Objects that were sent to the object `from`, and that the transaction names to receive them. Without routes, one stays there.',
      }),
    publishes: z
      .array(
        z.object({
          command: z.int().min(0),
          modules: moduleNames,
          policy: upgradePolicy,
          cap: z.array(moneyRoute).meta({
            description: 'Where its UpgradeCap goes. Empty: not known. `destroyed`: no upgrade is possible.',
          }),
        }),
      )
      .meta({ description: 'Packages that it publishes.' }),
    upgrades: z
      .array(
        z.object({
          command: z.int().min(0),
          package: z.string(),
          modules: moduleNames,
          policy: upgradePolicy.nullable(),
          cap: z
            .object({ id: z.string(), holder: holder.nullable() })
            .nullable()
            .meta({ description: 'UpgradeCap that its ticket is from. Null: not known.' }),
        }),
      )
      .meta({ description: 'Versions that it adds to packages, with what their tickets allow.' }),
    gas: z.object({
      payer: z.string(),
      atMost: z.string().nullable().meta({ description: 'The budget in MIST. Null: not set yet.' }),
    }),
    rest: z.enum(['cannot', 'unread']).meta({
      description:
        '`cannot`: nothing else leaves a signer or a wallet. `unread`: an input was not read, and more may leave.',
    }),
    packages: z
      .array(z.object({ id: z.string(), originalId: z.string(), version: z.string(), upgrade }))
      .meta({
        description:
          'Packages whose code runs, with the holder of the right to upgrade each. The code of this transaction cannot change, but ' +
          'a new version can change objects that it uses.',
      }),
    calls: z
      .array(
        z.object({ command: z.int().min(0), kind: z.enum(['steers', 'droppedCheck']), text: z.string() }),
      )
      .meta({
        description:
          'Stored fields that decide amounts and recipients, with who can change them; ignored checks.',
      }),
    notRead: z
      .array(z.object({ command: z.int().min(0).optional(), what: z.string(), reason: z.string() }))
      .meta({ description: 'Functions and inputs that could not be read.' }),
    sentences: z
      .array(
        z.object({
          kind: z.enum([
            'versions',
            'leaves',
            'objects',
            'changes',
            'receives',
            'publishes',
            'upgrades',
            'arrives',
            'rest',
            'gas',
            'packages',
            'calls',
            'notRead',
          ]),
          verdict: z.enum(['cannot', 'always', 'may', 'unread']),
          text: z.string(),
        }),
      )
      .meta({ description: 'The same in English. Names come from bytecode: escape them.' }),
  })
  .meta({
    id: 'Explanation',
    description: 'What a transaction can do with money and objects of its signers.',
  });

const example: Explanation = {
  analysis: 4,
  sender: owner,
  versions: [],
  leaves: [
    {
      holder: { kind: 'address', address: owner },
      type: sui,
      atMost: '5000000',
      routes: [{ to: { kind: 'address', address: id('7') }, likelihood: 'always', commands: [1] }],
    },
  ],
  arrives: [],
  objects: [],
  changes: [],
  receives: [],
  publishes: [],
  upgrades: [],
  gas: { payer: owner, atMost: '2000000' },
  rest: 'cannot',
  packages: [],
  calls: [],
  notRead: [],
  sentences: [
    {
      kind: 'leaves',
      verdict: 'always',
      text: `At most 0.005 SUI leaves your address. It goes to ${id('7')}.`,
    },
  ],
};

export const explainTransaction = route({
  method: 'post',
  path: '/api/explain',
  bodyBytesMax,
  body: z.object({
    transaction: z.string().min(1).meta({
      description: 'Unsigned: BCS bytes in base64, or the JSON of a `Transaction` of `@mysten/sui`.',
    }),
    sender: addressParameter.optional().meta({ description: 'The signer, if the transaction names none.' }),
    network: networkField,
  }),
  operation: {
    operationId: 'explainTransaction',
    tag: 'catalog',
    summary: 'Explain a transaction before it is signed',
    description:
      'What leaves which address or wallet at most, where it goes, what comes back, which objects change hands, and who can ' +
      'influence that, from the bytecode of all packages that it calls. Nothing is executed or stored.',
    response: { description: 'Claims and sentences.', schema: explanationBody },
    refusals: [
      'network_not_configured',
      'transaction_invalid',
      'transaction_too_large',
      'node_unavailable',
      'node_busy',
      'node_timeout',
      'database_unavailable',
    ],
    example: {
      request: { transaction: 'AAACAAhkAAAAAAAAAAAg…', network: 'testnet' },
      answer: { network: 'testnet', ...example },
    },
  },
  async handler({ exchange, body }, { choose, reads, explainChains }: ExplainDependencies) {
    const network = choose(body.network);
    const chain = explainChains.get(network)!;
    const signal = signalDeparture(exchange);
    const transaction = parse(body);
    try {
      const [objects, functions] = await Promise.all([
        readObjectFacts(chain.client, listObjectIds(transaction), signal),
        chain.readFunctions(transaction, reads.begin(), signal),
      ]);
      const upgrades = await chain.readUpgrades(functions, signal);
      const explanation = explain(transaction, { objects, functions, upgrades });
      return { network, ...explanation } satisfies z.infer<typeof explanationBody>;
    } catch (error) {
      throw toProblem(error);
    }
  },
});

function parse(body: { transaction: string; sender?: string | undefined }): ParsedTransaction {
  try {
    return parseTransaction(body.transaction, body.sender);
  } catch (error) {
    throw toProblem(error);
  }
}

function toProblem(error: unknown): unknown {
  return error instanceof ExplainError ? problem(error.code, error.message) : createChainProblem(error);
}
