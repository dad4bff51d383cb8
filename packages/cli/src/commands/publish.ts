import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { listOwnedObjects, packageVersions, readLineage } from '@adaptor-marketplace/adaptor/chain';
import { isSystemPackage } from '@adaptor-marketplace/adaptor/introspect';
import {
  appendUpgrade,
  type CompiledPackage,
  compilePackage,
  moduleId,
} from '@adaptor-marketplace/move-toolchain';
import { packageName, readDependencies, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction } from '@mysten/sui/transactions';
import { InvalidArgumentError, Option } from 'commander';
import {
  CommandFailedError,
  createNodeError,
  explainFileError,
  explainNodeError,
  type Io,
  UsageError,
} from '../io.ts';
import { addExamples, addressArgument, answer, byName, collectDistinct } from '../options.ts';
import { readPublication, recordPublication } from '../project.ts';
import {
  createSigningCommand,
  type ExecutedTransaction,
  type Session,
  type SigningOptions,
  signAndExecute,
  withSession,
} from '../signing.ts';

interface Options extends SigningOptions {
  with?: [name: string, id: string][];
  upgrade?: string;
}

/** `publish`: publishes or upgrades a package, linked to the packages that it uses. */
export function createPublishCommand(io: Io) {
  const command = createSigningCommand(
    'publish',
    'Compiles a Move package and publishes it, or upgrades it. You receive the UpgradeCap.',
  )
    .argument('<folder>', 'folder with Move.toml and sources; dependencies are local folders, or in git')
    .option(
      '--with <name=id>',
      "package id of a dependency, by its name in Move.toml; may be repeated. The wallet's is known",
      collectDistinct(parseDependency, byName, ([, id]) => id),
    )
    .option('--upgrade <id>', 'upgrade this package: its id, or the id of its UpgradeCap', addressArgument)
    .addOption(new Option('--ptb').hideHelp())
    .action(async (folder: string, options: Options) => {
      if (options.ptb) throw new UsageError(explainNoLine(folder));
      const named = new Map(options.with);
      const sources = await readSources(folder, [...named.keys()]);
      const published = await withSession(io, options, async (session) => {
        await requireNewOrUpgrade(folder, session, options);
        const compiled = await compileLinked(sources, await resolveLinks(session, sources, named));
        const publishOrUpgrade = options.upgrade === undefined ? publishNew : createUpgrader(options.upgrade);
        const done = await publishOrUpgrade(session, folder, compiled);
        return { ...done, modules: compiled.modules.map(parseModuleName) };
      });
      answer(io, options, published, () => [
        `package      ${published.packageId}`,
        ...(published.version === undefined ? [] : [`version      ${published.version}`]),
        `upgrade cap  ${published.upgradeCapId}`,
        `modules      ${published.modules.join(', ')}`,
        `digest       ${published.digest}`,
      ]);
    });
  return addExamples(
    command,
    'publish my_adaptor',
    'publish nest_egg --with vault=0x914b...',
    'publish nest_egg --with vault=0x914b... --upgrade 0xbfc9...',
  );
}

/**
 * Refuses a second package of a project: its publisher most likely means an upgrade, and the id of the first package and
 * of its UpgradeCap would be lost.
 */
async function requireNewOrUpgrade(
  folder: string,
  { chainId, network }: Session,
  { upgrade }: Options,
): Promise<void> {
  const earlier = await readPublication(folder, chainId);
  if (earlier === undefined || upgrade !== undefined) return;
  throw new UsageError(
    [
      `${folder} is published on ${network} as ${earlier.packageId}. Publish a new version of it:`,
      `  adaptor-marketplace publish ${folder} --upgrade ${earlier.packageId}`,
      `To publish another package, move ${join(folder, 'published.json')} away first.`,
    ].join('\n'),
  );
}

/**
 * Explains why there is no `--ptb` line. Its grammar names a folder instead of bytecode, so the line would publish the
 * output of another compiler.
 */
const explainNoLine = (folder: string) =>
  `--ptb: publish has no such line, because "sui client ptb --publish" compiles the folder by itself. Run it in place of this: sui client publish ${folder}`;

interface PublishResult {
  packageId: string | undefined;
  /** Version of an upgraded package. Absent for a new one. */
  version?: string;
  upgradeCapId: string | undefined;
  created: ExecutedTransaction['created'];
  digest: string;
}

async function publishNew(
  session: Session,
  folder: string,
  { modules, dependencies }: CompiledPackage,
): Promise<PublishResult> {
  const append = (tx: Transaction) => {
    const content = { modules: modules.map((module) => [...module]), dependencies };
    tx.transferObjects([tx.publish(content)], session.address);
  };
  const { digest, created } = await signAndExecute(session, `the publication of ${folder}`, append, {
    onExecuted: ({ created }) => record(session, folder, created, findCapId(created)),
  });
  return {
    packageId: findPackageId(created),
    upgradeCapId: findCapId(created),
    created: created.filter(({ type }) => type !== 'package'),
    digest,
  };
}

function createUpgrader(id: string) {
  return async (session: Session, folder: string, compiled: CompiledPackage): Promise<PublishResult> => {
    const cap = await findUpgradeCap(session, id);
    const what = `the upgrade of ${cap.packageId} to ${folder}`;
    const append = (tx: Transaction) => void appendUpgrade(tx, { ...cap, cap: cap.capId }, compiled);
    const { digest, created } = await signAndExecute(session, what, append, {
      onExecuted: ({ created }) => record(session, folder, created, cap.capId),
    });
    return {
      packageId: findPackageId(created),
      version: String(cap.version + 1n),
      upgradeCapId: cap.capId,
      created: created.filter(({ type }) => type !== 'package'),
      digest,
    };
  };
}

const findPackageId = (created: ExecutedTransaction['created']) =>
  created.find(({ type }) => type === 'package')?.id;
const findCapId = (created: ExecutedTransaction['created']) =>
  created.find(({ type }) => type.endsWith('::package::UpgradeCap'))?.id;

async function record(
  { network, chainId }: Session,
  folder: string,
  created: ExecutedTransaction['created'],
  upgradeCapId: string | undefined,
): Promise<void> {
  const packageId = findPackageId(created);
  if (packageId !== undefined) await recordPublication(folder, chainId, { network, packageId, upgradeCapId });
}

const parseModuleName = (module: Uint8Array) => moduleId(module).name;

function parseDependency(text: string): [string, string] {
  const at = text.indexOf('=');
  const address = normalizeAddress(text.slice(at + 1));
  if (at > 0 && address !== undefined) {
    const name = text.slice(0, at);
    if (!isSystemPackage(address)) return [name, address];
    throw new InvalidArgumentError(
      `${address} is reserved for the chain's own packages, which need no option. Expected the id of ${name}.`,
    );
  }
  throw new InvalidArgumentError(
    'Expected name=id, the name as in Move.toml and the id 0x and up to 64 hex digits, for example vault=0x914b.',
  );
}

/**
 * Finds the ids of the packages that a package uses: from the command line, else the wallet's from the marketplace.
 * @param named ids by the names in Move.toml, of any version of each package
 * @throws UsageError that lists the packages without an id
 */
async function resolveLinks(
  session: Session,
  { folder, uses }: Sources,
  named: ReadonlyMap<string, string>,
): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  const { walletPackage, node } = session;
  if (walletPackage && uses.includes('wallet')) {
    links.set('wallet', { originalId: walletPackage.originalId, linkedId: walletPackage.calledId });
  }
  const missing = uses.filter((name) => !links.has(name) && !named.has(name));
  if (missing.length > 0) {
    const options = missing.map((name) => `--with ${name}=${node.local?.packages[name] ?? '<package id>'}`);
    throw new UsageError(
      `${folder} uses ${missing.join(', ')}, which must be on chain already. Say where: ${options.join(' ')}`,
    );
  }
  const versions = packageVersions(session.client);
  const resolved = [...named].map(async ([name, linkedId]) => {
    const original = await versions.readOriginalId(linkedId);
    if (original.status === 'unavailable') {
      throw createNodeError(original.reason);
    }
    if (original.status === 'absent') {
      throw new UsageError(`--with ${name}: ${session.network} has no package ${linkedId}.`);
    }
    return [name, { originalId: original.value, linkedId }] as const;
  });
  return new Map([...links, ...(await Promise.all(resolved))]);
}

/** A folder with a Move package. */
interface Sources {
  folder: string;
  /** Packages that it uses, directly or not, by the names in their Move.toml. */
  uses: readonly string[];
}

/** A dependency: the id of its first version, which bytecode uses to name it, and the version to link to. */
interface Link {
  originalId: string;
  linkedId: string;
}

/**
 * Checks a folder before any request to a server.
 * @param named names of the packages that the command line has an id for
 * @throws UsageError for a folder without a package, and for a name that the package does not use
 */
async function readSources(folder: string, named: readonly string[]): Promise<Sources> {
  const found = await stat(folder).catch((error: unknown) => {
    throw new UsageError(explainFileError(folder, error));
  });
  if (!found.isDirectory()) {
    throw new UsageError(
      `${folder} is a file. Expected the folder of a Move package, which holds its Move.toml.`,
    );
  }
  try {
    const files = await readPackage(folder);
    const uses = (await readDependencies(files, folder)).map(packageName);
    const unknown = named.find((name) => !uses.includes(name));
    if (unknown === undefined) return { folder, uses };
    throw new UsageError(
      `--with ${unknown}: ${folder} uses no package of this name. It uses ${uses.join(', ') || 'none'}.`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${folder}: ${getErrorMessage(error)} Expected a Move package, whose dependencies are local folders or in git, for example ` +
        `${join(folder, 'Move.toml')} with a [package] name and ${join(folder, 'sources')}.`,
    );
  }
}

/**
 * Compiles a package, linked to the given versions. The digest is that of the bytecode in the transaction.
 * @throws CommandFailedError with the compiler's diagnostics
 */
async function compileLinked(
  { folder }: Sources,
  links: ReadonlyMap<string, Link>,
): Promise<CompiledPackage> {
  const published = Object.fromEntries([...links].map(([name, { originalId }]) => [name, originalId]));
  const linked = new Map([...links.values()].map(({ originalId, linkedId }) => [originalId, linkedId]));
  const compiled = await compilePackage(folder, { published, linked }).catch((error: unknown) => {
    throw new CommandFailedError(`${folder} does not compile.\n${getErrorMessage(error)}`);
  });
  if (compiled.modules.length === 0) {
    throw new CommandFailedError(
      `${folder} has no modules. Expected .move files in ${join(folder, 'sources')}.`,
    );
  }
  const placed = compiled.modules.map(moduleId).find(({ address }) => BigInt(`0x${address}`) !== 0n);
  if (placed) {
    throw new CommandFailedError(
      `The module ${placed.name} is at 0x${placed.address}: the chain gives a package its address when it is published. ` +
        'Write a name for it in the source, with "0x0" in [addresses] of Move.toml.',
    );
  }
  return compiled;
}

/** The right to upgrade a package, as an object that the signer owns. */
interface UpgradeCap {
  capId: string;
  /** Newest version of its package, which the upgrade replaces. */
  packageId: string;
  version: bigint;
  /** Changes that it allows: 0 compatible ones, 128 additions, 192 other dependencies. */
  policy: number;
}

const upgradeCapLayout = bcs.struct('UpgradeCap', {
  id: bcs.Address,
  package: bcs.Address,
  version: bcs.u64(),
  policy: bcs.u8(),
});

/** Bound for the caps of one address. Each cap belongs to a package of its own. */
const pagesMax = 20;
const timeoutMs = 20_000;
const shownMax = 5;

/**
 * Finds the signer's cap for a package.
 * @param id of the cap, or of any version of the package
 * @throws CommandFailedError that lists the signer's caps
 */
async function findUpgradeCap({ client, address }: Session, id: string): Promise<UpgradeCap> {
  const type = '0x2::package::UpgradeCap';
  const answer = await listOwnedObjects(client, { owner: address, type, pagesMax, timeoutMs });
  if (answer.status !== 'found') {
    throw new CommandFailedError(
      `Cannot list the objects of ${address} from the node: ${explainNodeError(answer.reason)}.`,
    );
  }
  const caps = answer.value.objects.map(({ contents }): UpgradeCap => {
    const { id: capId, package: packageId, version, policy } = upgradeCapLayout.parse(contents);
    return { capId, packageId, version: BigInt(version), policy };
  });
  const own = caps.find(({ capId, packageId }) => capId === id || packageId === id);
  if (own) return own;
  const lineage = await readLineage(client, id);
  const versions = new Set<string>(lineage.status === 'found' ? lineage.value.ids : []);
  const found = caps.find(({ packageId }) => versions.has(packageId));
  if (found) return found;
  const shown = caps.slice(0, shownMax).map(({ capId, packageId }) => `${capId} of package ${packageId}`);
  throw new CommandFailedError(
    [
      `--upgrade: ${address} has no UpgradeCap ${id}, and none of a package ${id}. Its caps:`,
      ...(shown.length > 0 ? shown : ['none']),
      ...(caps.length > shownMax || answer.value.truncated ? ['and more'] : []),
    ].join('\n  '),
  );
}
