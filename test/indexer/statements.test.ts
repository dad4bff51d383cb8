import type { SharedTarget } from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStatements } from '../../db/queries/statements.ts';
import type { Attester } from '../../lib/config/attesters.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { describeAuditor } from '../../services/demo/audits.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { deriveBox } from '../../services/indexer/statements/read-statements.ts';
import { indexedTo, useTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { runIndexer } from '../support/run-indexer.ts';
import { createTesterClient } from '../support/tester-client.ts';

const network = 'testnet';
const db = useTestDatabase();
let localnet: Localnet;
let client: ReturnType<typeof createTesterClient>;
let keeper: Account;
let attestations: SharedTarget;
let registryPackageId: string;
let auditor: PublishedAuditor;
/** Another package with the same code, which no operator lists. */
let stranger: PublishedAuditor;

interface PublishedAuditor {
  packageId: string;
  cap: string;
}

async function publishAuditor(): Promise<PublishedAuditor> {
  const published = await publish(keeper, 'auditor', { attestations: attestations.packageId });
  return { packageId: published.packageId, cap: findCreatedObject(published, '::audit::AuditorCap') };
}

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  client = createTesterClient(localnet.rpcUrl);
  keeper = await createAccount(client, localnet.faucetUrl);
  registryPackageId = (await publish(keeper, 'registry')).packageId;
  const published = await publish(keeper, 'attestations');
  const objectId = findCreatedObject(published, '::attestations::Registry');
  attestations = { packageId: published.packageId, objectId };
  auditor = await publishAuditor();
  stranger = await publishAuditor();
});
afterAll(async () => {
  client.close();
  await localnet.close();
});
beforeEach(() => db.pool.query('truncate sources, events, attesters, statement_reads, package_statements'));

let subjects = 0;
/** An id that no other test has statements about. */
const newSubject = () => `0x${(0xabc000 + subjects++).toString(16).padStart(64, '0')}`;

/** States something about a package. Returns the statement's object. */
async function attest(
  { packageId, cap }: PublishedAuditor,
  subject: string,
  { description = 'Nothing found.', report = 'https://audits.example/1' } = {},
): Promise<string> {
  const executed = await execute(keeper, (tx) => {
    const texts = [description, 'https://git.example/it', 'c0ffee', report].map((text) =>
      tx.pure.string(text),
    );
    tx.moveCall({
      target: `${packageId}::audit::attest`,
      arguments: [tx.object(cap), tx.object(attestations.objectId), tx.pure.id(subject), ...texts],
    });
  });
  return findCreatedObject(executed, `Attestation<${packageId}::audit::Audit>`);
}

async function revoke({ packageId, cap }: PublishedAuditor, subject: string, id: string): Promise<void> {
  await execute(keeper, (tx) => {
    tx.moveCall({
      target: `${attestations.packageId}::attestations::create_box`,
      arguments: [tx.object(attestations.objectId), tx.pure.id(subject)],
    });
  });
  const settings = { packageId: attestations.packageId, registryId: attestations.objectId };
  await execute(keeper, (tx) => {
    tx.moveCall({
      target: `${packageId}::audit::revoke`,
      arguments: [tx.object(cap), tx.object(deriveBox(settings, subject)), tx.object(id)],
    });
  });
}

/** Runs an indexer with these attesters. Without any, it follows no statements. */
function index(list: Attester[] = [describeAuditor(auditor.packageId)]) {
  const settings: NetworkSettings = {
    network,
    rpcUrl: localnet.rpcUrl,
    registryPackageId,
    registryObjectId: attestations.objectId,
    aggregatorUrl: 'http://127.0.0.1:1',
    ...(list.length > 0 && {
      attesters: { packageId: attestations.packageId, registryId: attestations.objectId, list },
    }),
  };
  return runIndexer({ db, networks: [settings], lookAgainMs: 200 });
}

const read = async (packageId: string) => (await readStatements(db.pool, [{ network, packageId }]))[0]!;

const showsIds = (subject: string, ids: string[]) =>
  eventually(async () => {
    expect((await read(subject)).map(({ objectId }) => objectId).sort()).toEqual(ids.toSorted());
  });

/** Waits until the indexer has read the chain to its end, and each statement that it named. */
async function settle(): Promise<void> {
  const { response } = await client.ledgerService.getServiceInfo({});
  await indexedTo(db, Number(response.checkpointHeight), ['statements']);
  await eventually(async () => {
    const { rows } = await db.pool.query('select 1 from statement_reads where next_check_at <= now()');
    expect(rows).toEqual([]);
  });
}

test('what a listed attester states is shown with its texts, and what another package of the same code states is not', async () => {
  const subject = newSubject();
  const before = await attest(auditor, subject);
  await attest(stranger, subject);
  index();
  await showsIds(subject, [before]);
  const after = await attest(auditor, subject, { description: 'Read again.' });
  await attest(stranger, subject);
  await showsIds(subject, [before, after]);
  await settle();
  const shown = await read(subject);
  expect(shown).toHaveLength(2);
  expect(shown.find(({ objectId }) => objectId === after)).toEqual({
    objectId: after,
    attester: 'Demo auditor',
    type: `${auditor.packageId}::audit::Audit`,
    says: 'It audited this version of the package.',
    summary: 'Read again.',
    repository: 'https://git.example/it',
    commit: 'c0ffee',
    path: null,
    sourceHash: null,
    report: 'https://audits.example/1',
    issuer: null,
    readAtMs: expect.any(Number),
  });
});

test('a revoked statement disappears, and the others stay', async () => {
  const subject = newSubject();
  const [kept, revoked] = [await attest(auditor, subject), await attest(auditor, subject)];
  index();
  await showsIds(subject, [kept, revoked]);
  await revoke(auditor, subject, revoked);
  await showsIds(subject, [kept]);
});

test('texts that are too long, or would lead elsewhere than to https, are left out, and the statement stays', async () => {
  const subject = newSubject();
  const long = await attest(auditor, subject, {
    description: 'x'.repeat(600),
    report: 'javascript:alert(1)',
  });
  index();
  await showsIds(subject, [long]);
  expect(await read(subject)).toMatchObject([{ summary: null, report: null, commit: 'c0ffee' }]);
});

test('an indexer that starts again goes on from its cursor, and shows each statement once', async () => {
  const subject = newSubject();
  const first = await attest(auditor, subject);
  const indexer = index();
  await showsIds(subject, [first]);
  await settle();
  await indexer.close();
  const readEvents = async () =>
    (await db.pool.query("select tx_digest, event_index from events where source = 'statements'")).rows
      .length;
  const events = await readEvents();
  const second = await attest(auditor, subject);
  index();
  await showsIds(subject, [first, second]);
  await settle();
  expect(await readEvents()).toBe(events + 1);
  // A read of everything again, as after an outage, changes nothing.
  await db.pool.query('update statement_reads set next_check_at = now(), check_ready = true');
  await settle();
  await showsIds(subject, [first, second]);
});

test('an attester that leaves the list is no longer shown, and one that joins it is shown with its history', async () => {
  const subject = newSubject();
  const ours = await attest(auditor, subject);
  const theirs = await attest(stranger, subject);
  const first = index();
  await showsIds(subject, [ours]);
  await first.close();
  const second = index([{ ...describeAuditor(stranger.packageId), name: 'Stranger' }]);
  await showsIds(subject, [theirs]);
  expect(await read(subject)).toMatchObject([{ attester: 'Stranger' }]);
  await second.close();
  index([]);
  await showsIds(subject, []);
});

test('another mapping of fields is applied to the statements that are known', async () => {
  const subject = newSubject();
  const id = await attest(auditor, subject);
  const first = index();
  await showsIds(subject, [id]);
  await first.close();
  index([{ ...describeAuditor(auditor.packageId), fields: { summary: 'commit', path: 'absent' } }]);
  await eventually(async () =>
    expect(await read(subject)).toMatchObject([{ summary: 'c0ffee', commit: null, path: null }]),
  );
});
