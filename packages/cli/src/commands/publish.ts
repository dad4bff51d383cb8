import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { type CompiledPackage, moduleId } from '@adaptor-marketplace/move-toolchain';
import { InvalidArgumentError } from 'commander';
import { addressArgument, several } from '../arguments.ts';
import type { Io } from '../io.ts';
import { answer, withExamples } from '../options.ts';
import { linksOf } from '../publishing/links.ts';
import { compileLinked, readSources } from '../publishing/sources.ts';
import { appendUpgrade, upgradeCapOf } from '../publishing/upgrade.ts';
import { type Executed, signAndExecute } from '../signing/execute.ts';
import { type Session, type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions {
  with?: [name: string, id: string][];
  upgrade?: string;
}

/** A package of the signer's on chain, linked to those that it uses. */
export function publishCommand(io: Io) {
  const command = signingCommand(
    'publish',
    'Compiles a Move package and publishes it, or a new version of it. The UpgradeCap is yours.',
  )
    .argument('<folder>', 'with Move.toml and sources; dependencies are local folders')
    .option(
      '--with <name=id>',
      "where a dependency is on chain, by its Move.toml's name; may be repeated. The marketplace knows the wallet's",
      several(dependency),
    )
    .option(
      '--upgrade <id>',
      'publish a new version of this package of yours: its id, or that of its UpgradeCap',
      addressArgument,
    )
    .action(async (folder: string, options: Options) => {
      const named = new Map(options.with);
      const sources = await readSources(folder, [...named.keys()]);
      const published = await withSession(io, options, async (session) => {
        const compiled = await compileLinked(sources, await linksOf(session, sources, named));
        const of = options.upgrade === undefined ? publishNew : upgradeOf(options.upgrade);
        return { ...(await of(session, folder, compiled)), modules: compiled.modules.map(nameOf) };
      });
      answer(io, options, published, () => [
        `package      ${published.packageId}`,
        ...(published.version === undefined ? [] : [`version      ${published.version}`]),
        `upgrade cap  ${published.upgradeCapId}`,
        `modules      ${published.modules.join(', ')}`,
        `digest       ${published.digest}`,
      ]);
    });
  return withExamples(
    command,
    'publish my_adaptor',
    'publish nest_egg --with vault=0x914b...',
    'publish nest_egg --with vault=0x914b... --upgrade 0xbfc9...',
  );
}

interface Published {
  packageId: string | undefined;
  /** Of an upgrade. */
  version?: string;
  upgradeCapId: string | undefined;
  created: Executed['created'];
  digest: string;
}

async function publishNew(
  session: Session,
  folder: string,
  { modules, dependencies }: CompiledPackage,
): Promise<Published> {
  const { digest, created } = await signAndExecute(session, `the publication of ${folder}`, (tx) => {
    const content = { modules: modules.map((module) => [...module]), dependencies };
    tx.transferObjects([tx.publish(content)], session.address);
  });
  return {
    packageId: packageIn(created),
    upgradeCapId: created.find(({ type }) => type.endsWith('::package::UpgradeCap'))?.id,
    created: created.filter(({ type }) => type !== 'package'),
    digest,
  };
}

function upgradeOf(id: string) {
  return async (session: Session, folder: string, compiled: CompiledPackage): Promise<Published> => {
    const cap = await upgradeCapOf(session, id);
    const what = `the upgrade of ${cap.packageId} to ${folder}`;
    const { digest, created } = await signAndExecute(session, what, (tx) => appendUpgrade(tx, cap, compiled));
    return {
      packageId: packageIn(created),
      version: String(cap.version + 1n),
      upgradeCapId: cap.capId,
      created: created.filter(({ type }) => type !== 'package'),
      digest,
    };
  };
}

const packageIn = (created: Executed['created']) => created.find(({ type }) => type === 'package')?.id;
const nameOf = (module: Uint8Array) => moduleId(module).name;

function dependency(text: string): [string, string] {
  const at = text.indexOf('=');
  const address = normalizeAddress(text.slice(at + 1));
  if (at > 0 && address !== undefined) return [text.slice(0, at), address];
  throw new InvalidArgumentError(
    'Expected name=id, the name as in Move.toml and the id 0x and up to 64 hex digits, for example vault=0x914b.',
  );
}
