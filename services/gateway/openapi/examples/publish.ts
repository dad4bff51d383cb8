import type { OperationExample } from './example.ts';
import {
  atMs,
  digest,
  id,
  manifest,
  manifestHash,
  manifestUri,
  op,
  owner,
  packageId,
  publisher,
  serviceType,
} from './values.ts';

const walletType = `${id('6')}::wallet::Wallet`;

const introspected = {
  module: 'tip_jar',
  entry: 'tip',
  fqn: `${packageId}::tip_jar::tip`,
  visibility: 'public',
  isEntry: false,
  touchesWallet: true,
  executable: true,
  paramCount: 5,
  typeParamCount: 0,
  params: [
    {
      typeStr: `&mut ${walletType}`,
      type: walletType,
      reference: 'mutable',
      role: 'wallet',
      confidence: 'high',
    },
    {
      typeStr: `&mut ${packageId}::tip_jar::Jar`,
      type: `${packageId}::tip_jar::Jar`,
      reference: 'mutable',
      role: 'object',
      confidence: 'high',
    },
    {
      typeStr: 'u64',
      type: 'u64',
      reference: 'none',
      role: 'amount',
      confidence: 'high',
      coin: '0x2::sui::SUI',
    },
    {
      typeStr: '&0x2::clock::Clock',
      type: '0x2::clock::Clock',
      reference: 'immutable',
      role: 'clock',
      confidence: 'high',
      objectId: '0x6',
    },
    {
      typeStr: '&mut 0x2::tx_context::TxContext',
      type: '0x2::tx_context::TxContext',
      reference: 'mutable',
      role: 'ctx',
      confidence: 'high',
    },
  ],
  typeParams: [],
  intentMode: 'A',
  coinsIn: ['0x2::sui::SUI'],
  coinsOut: [],
  movesAsset: false,
};

const nothing = {
  objectCandidates: [],
  singleton: null,
  singletonFrom: null,
  pureCandidates: [],
  distinct: 0,
  owned: 0,
  results: 0,
};
const text = '0x1::string::String';

export const publishExamples: Record<string, OperationExample> = {
  introspectPackage: {
    request: { packageId },
    answer: {
      witnesses: [{ module: 'tip_jar', name: 'TipJar', serviceType, warnings: [] }],
      ops: [introspected],
      modules: ['tip_jar'],
    },
  },
  inferCall: {
    request: { packageId, entry: 'tip_jar::tip' },
    answer: {
      packageId,
      module: 'tip_jar',
      entry: 'tip',
      args: [
        nothing,
        {
          ...nothing,
          objectCandidates: [
            {
              objectId: id('2'),
              kind: 'shared',
              type: `${packageId}::tip_jar::Jar`,
              initialSharedVersion: '7',
              mutable: true,
              count: 3,
              lastMs: atMs,
            },
          ],
          singleton: id('2'),
          singletonFrom: {
            ...{ calls: 3, senders: 2 },
            latest: [owner, publisher].map((sender) => ({ sender, digest })),
          },
          distinct: 1,
        },
        {
          ...nothing,
          pureCandidates: [{ type: 'u64', value: '5000000', count: 2, lastMs: atMs }],
          distinct: 2,
        },
        nothing,
      ],
      sampleTypeArgs: [],
      typeArgCandidates: [],
      samples: 3,
      truncated: false,
    },
  },
  draftListing: {
    request: { packageId, name: 'Tip Jar', summary: 'A jar that anyone tips.', upload: true, sender: owner },
    answer: {
      manifest,
      manifestHash,
      manifestUri,
      serviceType,
      ops: [introspected],
      executableOps: [op],
      register: {
        deployed: true,
        target: `${id('9')}::registry::register`,
        arguments: [
          { name: 'registry', kind: 'object', type: `${id('9')}::registry::Registry`, value: id('8') },
          { name: 'package_id', kind: 'pure', type: 'address', value: packageId },
          { name: 'service_type', kind: 'pure', type: text, value: serviceType },
          { name: 'manifest_uri', kind: 'pure', type: text, value: manifestUri },
          { name: 'manifest_hash', kind: 'pure', type: 'vector<u8>', value: `0x${manifestHash}` },
          { name: 'clock', kind: 'object', type: '0x2::clock::Clock', value: '0x6' },
        ],
        transaction: { sender: owner, base64: 'AAAGAQEICAgI…', json: '{"version":2,"sender":"0xaaaa…"}' },
      },
      warnings: [
        {
          code: 'object_from_past_calls',
          op: 'tip_jar::tip',
          detail: `All past calls of tip used ${id('2')}: check that it is the object that callers are to use.`,
        },
      ],
    },
  },
};
