import { manifestHash, toShownManifest } from '@adaptor-marketplace/adaptor/manifest';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { fromHex } from '@mysten/sui/utils';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { describe, expect, test } from 'vitest';
import { type VerifiableEntry, verifyEntry } from './verify.ts';

// test/sdk tests a running network. These tests cover the answers that it does not give.

const address = (digit: string) => `0x${digit.repeat(64)}`;
const [packageId, publisher, stranger] = [address('a'), address('1'), address('2')] as const;
const registry = { packageId: address('e'), objectId: address('f') };
const serviceType = `${packageId}::jar::Jar`;
const manifest = { name: 'Jar', category: 'Other', summary: 'A jar.', serviceType, packageId, ops: [] };
const entry: VerifiableEntry = {
  serviceType,
  packageId,
  publisher,
  manifest,
  version: 3,
  manifestUri: 'walrus://jar',
  manifestHash: manifestHash(manifest),
};

const known = {
  name: 'Jar',
  definingId: packageId,
  kind: GrpcTypes.DatatypeDescriptor_DatatypeKind.STRUCT,
  abilities: [GrpcTypes.Ability.DROP],
  typeParameters: [],
  fields: [],
  variants: [],
};
const absent = () => Promise.reject(new RpcError('there is none', 'NOT_FOUND'));
const found = async (response: object) => ({ response });

/** A registry's answer: the values of a listing, or an abort. */
const listed = ({ by = publisher, hash = entry.manifestHash } = {}) => ({
  commandResults: [
    {
      returnValues: [
        bcs.Address.serialize(by),
        bcs.Address.serialize(packageId),
        bcs.string().serialize(entry.manifestUri),
        bcs.byteVector().serialize(fromHex(hash)),
        bcs.u64().serialize(3n),
        bcs.u64().serialize(0n),
      ].map((value) => ({ bcs: value.toBytes() })),
    },
  ],
});
const aborted = (abortCode: string) => ({
  FailedTransaction: { status: { error: { message: 'MoveAbort', MoveAbort: { abortCode } } } },
});

interface Answers {
  simulated: object;
  hasPublishers: boolean;
  sender: string;
  package: object;
}

/** A client of a node with these answers, and the functions that it had to simulate. */
function createNode(answers: Partial<Answers> = {}) {
  const { simulated = listed(), hasPublishers = true, sender = publisher } = answers;
  const modules = [{ name: 'jar', datatypes: [known], functions: [] }];
  const called: (string | undefined)[] = [];
  const client = {
    movePackageService: {
      getFunction: () => (hasPublishers ? found({}) : absent()),
      getPackage: () => found({ package: { originalId: packageId, modules, ...answers.package } }),
    },
    ledgerService: {
      getObject: () => found({ object: { previousTransaction: 'publishing' } }),
      getTransaction: () =>
        found({ transaction: { transaction: { sender }, effects: { changedObjects: [] } } }),
    },
    async simulateTransaction({ transaction }: { transaction: { getData(): { commands: object[] } } }) {
      const [command] = transaction.getData().commands as { MoveCall?: { function: string } }[];
      called.push(command?.MoveCall?.function);
      return simulated;
    },
  };
  return { client: client as unknown as Parameters<typeof verifyEntry>[0], called };
}

/** The checks that did not pass, by name and status. */
async function findDoubts(answers: Partial<Answers>, changed: Partial<VerifiableEntry> = {}) {
  const { verified, checks } = await verifyEntry(createNode(answers).client, registry, {
    ...entry,
    ...changed,
  });
  const doubts = Object.entries(checks).filter(([, { status }]) => status !== 'passed');
  expect(verified).toBe(doubts.length === 0);
  return Object.fromEntries(doubts.map(([name, { status }]) => [name, status]));
}

describe('verifyEntry', () => {
  test('passes an entry that is what the chain says', async () => {
    expect(await findDoubts({})).toEqual({});
  });

  test('takes the hash from the registry, and not from the entry', async () => {
    const other = { ...manifest, feeBps: 500 };
    const forged = { manifest: other, manifestHash: manifestHash(other) };
    expect(await findDoubts({}, forged)).toEqual({ listing: 'failed', manifest: 'failed' });
  });

  test('fails a manifest that has the hash and describes another listing', async () => {
    const copy = { ...manifest, serviceType: `${packageId}::jar::Other` };
    const hash = manifestHash(copy);
    expect(await findDoubts({ simulated: listed({ hash }) }, { manifest: copy, manifestHash: hash })).toEqual(
      {
        manifest: 'failed',
      },
    );
  });

  test('passes what is shown otherwise than published, as long as only odd fields are', async () => {
    const published = { ...manifest, summary: 'x'.repeat(3_000), glyph: 7 };
    const hash = manifestHash(published);
    const { shown } = toShownManifest(published);
    const publishedFields = { summary: published.summary, glyph: 7 };
    const given = { manifest: shown as typeof manifest, manifestHash: hash, publishedFields };
    const answers = { simulated: listed({ hash }) };
    expect(await findDoubts(answers, given)).toEqual({});
    expect(await findDoubts(answers, { ...given, publishedFields: undefined })).toEqual({
      manifest: 'failed',
    });
    const forged = { ...given, manifest: { ...manifest, ops: [{ kind: 'pay' }] } };
    expect(
      await findDoubts(answers, { ...forged, publishedFields: { ...publishedFields, ops: [] } }),
    ).toEqual({ manifest: 'failed' });
    const priced = { ...manifest, feeBps: 500 };
    const other = { simulated: listed({ hash: manifestHash(priced) }) };
    const cheaper = { manifestHash: manifestHash(priced), publishedFields: { feeBps: 500 } };
    expect(await findDoubts(other, cheaper)).toEqual({ manifest: 'failed' });
  });

  test('fails what is not listed, or is listed by another', async () => {
    const doubts = { listing: 'failed', manifest: 'unknown' };
    expect(await findDoubts({ simulated: aborted('1') })).toEqual(doubts);
    expect(await findDoubts({ simulated: listed({ by: stranger }) })).toEqual(doubts);
  });

  test('fails a witness that others can make, and a publisher who did not publish', async () => {
    const abilities = [GrpcTypes.Ability.DROP, GrpcTypes.Ability.COPY];
    const modules = [{ name: 'jar', datatypes: [{ ...known, abilities }], functions: [] }];
    expect(await findDoubts({ package: { modules } })).toEqual({ witness: 'failed' });
    expect(await findDoubts({ sender: stranger })).toEqual({ publisher: 'failed' });
  });

  test('fails an entry without a service type or an address, and asks no node', async () => {
    const { client, called } = createNode();
    const { checks } = await verifyEntry(client, registry, { ...entry, serviceType: 'jar' });
    expect(Object.values(checks).map(({ status }) => status)).toEqual(Array(4).fill('failed'));
    expect(called).toEqual([]);
  });

  test('fails a manifest that has no canonical form', async () => {
    expect(await findDoubts({}, { manifest: { ...manifest, name: '\ud800' } })).toEqual({
      manifest: 'failed',
    });
  });

  test('does not know what a node cannot answer', async () => {
    const down = () => Promise.reject(new RpcError('restarting', 'UNAVAILABLE'));
    const client = {
      movePackageService: { getFunction: down, getPackage: down },
      ledgerService: { getObject: down, getTransaction: down },
      simulateTransaction: down,
    } as unknown as Parameters<typeof verifyEntry>[0];
    const { verified, checks } = await verifyEntry(client, registry, entry);
    expect(verified).toBe(false);
    expect(Object.values(checks).map(({ status }) => status)).toEqual(Array(4).fill('unknown'));
  });

  test('reads a registry with one publisher for each service type by its own function', async () => {
    const { client, called } = createNode({ hasPublishers: false });
    expect((await verifyEntry(client, registry, entry)).verified).toBe(true);
    expect(called).toEqual(['listing']);
    const current = createNode();
    await verifyEntry(current.client, registry, entry);
    expect(current.called).toEqual(['listing_of']);
  });
});
